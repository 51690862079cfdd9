import BelfryModel
import BelfrySignals
import Glibc
import Synchronization

/// A file that decisions are appended to, a line each. When it was moved or removed, the next line begins another one.
final class LineFile: SinkTarget {
    let address: String
    /// Nil as long as it cannot be opened.
    private let file: Mutex<OpenFile?>

    /// Opens the file, and makes it first where there is none.
    ///
    /// - Parameter waits: whether a file that cannot be opened now may be later.
    /// - Throws: the system refuses.
    init(_ path: String, of sink: String, waits: Bool) throws {
        address = path
        do {
            file = Mutex(try OpenFile(path))
        } catch {
            guard waits else { throw UnusableSink(id: sink, failure: error) }
            file = Mutex(nil)
        }
    }

    deinit {
        file.withLock { if let file = $0 { Glibc.close(file.descriptor) } }
    }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        let line = item.line + [UInt8(ascii: "\n")]
        done(file.withLock { append(line, to: &$0) })
    }

    private func append(_ line: [UInt8], to current: inout OpenFile?) -> SinkOutcome {
        do { try follow(&current) } catch { return .failed("cannot be written: \(error.reason)") }
        guard var file = current, file.beginLine() else { return failure(errno) }
        defer { current = file }
        let count = write(file.descriptor, line, line.count)
        if count == line.count { return .taken }
        // What is written in part is no error to the system: it had room for no more.
        let number = count < 0 ? errno : ENOSPC
        file.mayCut = true
        _ = file.beginLine()
        return failure(number)
    }

    private func failure(_ number: Int32) -> SinkOutcome {
        .failed("cannot be written: \(String(cString: strerror(number)))")
    }

    /// Opens the file anew if another one, or none, is where it was: logrotate moves it.
    private func follow(_ file: inout OpenFile?) throws(TargetFailure) {
        if let identity = FileIdentity(address), identity == file?.identity { return }
        let opened = try OpenFile(address)
        if let former = file {
            // What was taken is in the former one, which no later `sync` reaches.
            let failure = former.failedSync ?? syncFailure(of: former)
            Glibc.close(former.descriptor)
            file = opened
            file?.failedSync = failure
        } else {
            file = opened
        }
    }

    func sync() throws {
        try file.withLock { file in
            guard let current = file else { return }
            file?.failedSync = nil
            if let failure = current.failedSync ?? syncFailure(of: current) { throw failure }
        }
    }

    private func syncFailure(of file: OpenFile) -> TargetFailure? {
        fdatasync(file.descriptor) == 0 || errno == EINVAL ? nil : .system(address)
    }

    func close() {}
}

/// A file that is open for lines.
private struct OpenFile {
    let descriptor: Int32
    let identity: FileIdentity?
    /// Whether half a decision at the end may be what a kill, or a full disk, has left. Later it is another program's, which
    /// may still be writing it.
    var mayCut = true
    /// Why the file that was here before could not be brought to the disk, until `sync` has said so.
    var failedSync: TargetFailure?

    /// How every decision begins.
    private static let beginning = Array(#"{"specversion":"1.0","id":"#.utf8)

    /// - Throws: the system refuses, or what is there is no regular file.
    init(_ path: String) throws(TargetFailure) {
        if let found = FileIdentity(path), !found.isRegular {
            throw TargetFailure(
                path: path, reason: "it is a folder, a pipe or a device, which keeps no lines",
                fix: "give the sink the 'path' of a file; a program is given decisions by a sink of the type 'exec'")
        }
        let opened = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard opened >= 0 else { throw .system(path) }
        (descriptor, identity) = (opened, FileIdentity(opened))
    }

    /// Cuts half a decision that a kill has left, and ends every other line: a whole decision may have been taken, and a `path` may be wrong.
    ///
    /// Not before the first delivery: until then a former target may write there.
    ///
    /// - Returns: whether the next line can be written; false with errno set.
    mutating func beginLine() -> Bool {
        let end = lseek(descriptor, 0, SEEK_END)
        guard endsLine(at: end) || mayCut && cutHalfDecision(before: end) || write(descriptor, "\n", 1) == 1 else {
            return false
        }
        mayCut = false
        return true
    }

    private func cutHalfDecision(before end: off_t) -> Bool {
        let begin = lastLine(before: end)
        return isHalfDecision(begin, end) && ftruncate(descriptor, begin) == 0
    }

    private func endsLine(at end: off_t) -> Bool {
        var last: UInt8 = 0
        return end == 0 || pread(descriptor, &last, 1, end - 1) == 1 && last == UInt8(ascii: "\n")
    }

    /// Where the line begins that has no end.
    private func lastLine(before end: off_t) -> off_t {
        var (begin, piece) = (end, [UInt8](repeating: 0, count: 65_536))
        while begin > 0 {
            let wanted = min(begin, off_t(piece.count))
            guard pread(descriptor, &piece, Int(wanted), begin - wanted) == Int(wanted) else { break }
            begin -= wanted
            let lineEnd = piece[..<Int(wanted)].lastIndex(of: UInt8(ascii: "\n"))
            if let lineEnd { return begin + off_t(lineEnd) + 1 }
        }
        return begin
    }

    /// Whether that is a decision as far as it goes, and does not go to its end.
    private func isHalfDecision(_ begin: off_t, _ end: off_t) -> Bool {
        guard let start = bytes(min(Self.beginning.count, Int(end - begin)), at: begin),
            Self.beginning.starts(with: start), let line = bytes(Int(end - begin), at: begin)
        else { return false }
        return Value(json: line[...]) == nil
    }

    private func bytes(_ count: Int, at place: off_t) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return pread(descriptor, &bytes, count, place) == count ? bytes : nil
    }
}

/// A sink whose file cannot be opened.
struct UnusableSink: Error, CustomStringConvertible {
    let id: String
    let failure: TargetFailure

    var description: String {
        """
        the sink '\(id)' cannot be used
          why: \(failure)
          fix: \(failure.fix)
        """
    }
}

/// A file that cannot be written.
struct TargetFailure: Error, CustomStringConvertible {
    let path: String
    let reason: String
    let fix: String

    /// What the system has just said, as `errno`.
    static func system(_ path: String) -> TargetFailure {
        TargetFailure(
            path: path, reason: String(cString: strerror(errno)),
            fix: "make its folder or change its rights, or give the sink another 'path'")
    }

    var description: String { "'\(path)' cannot be written: \(reason)" }
}
