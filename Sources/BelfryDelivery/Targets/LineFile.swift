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
        let opened = OpenFile(path)
        if opened == nil, !waits {
            throw UnusableSink(id: sink, path: path, reason: String(cString: strerror(errno)))
        }
        file = Mutex(opened)
    }

    deinit {
        file.withLock { if let file = $0 { Glibc.close(file.descriptor) } }
    }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        let line = item.line + [UInt8(ascii: "\n")]
        done(file.withLock { append(line, to: &$0) })
    }

    private func append(_ line: [UInt8], to current: inout OpenFile?) -> SinkOutcome {
        guard follow(&current), var file = current, file.beginLine() else { return failure(errno) }
        defer { current = file }
        let count = write(file.descriptor, line, line.count)
        if count == line.count { return .taken }
        // What is written in part is no error to the system: it had room for no more.
        let number = count < 0 ? errno : ENOSPC
        file.isWhole = false
        _ = file.beginLine()
        return failure(number)
    }

    private func failure(_ number: Int32) -> SinkOutcome {
        .failed("cannot be written: \(String(cString: strerror(number)))")
    }

    /// Opens the file anew if another one, or none, is where it was: logrotate moves it. False with errno set.
    private func follow(_ file: inout OpenFile?) -> Bool {
        if let identity = FileIdentity(address), identity == file?.identity { return true }
        // What was taken is in the former one, which no later `sync` reaches.
        if let file, fdatasync(file.descriptor) != 0, errno != EINVAL { return false }
        guard let opened = OpenFile(address) else { return false }
        if let file { Glibc.close(file.descriptor) }
        file = opened
        return true
    }

    func sync() throws {
        try file.withLock { file in
            guard let file else { return }
            if fdatasync(file.descriptor) != 0, errno != EINVAL {
                throw TargetFailure(path: address, reason: String(cString: strerror(errno)))
            }
        }
    }

    func close() {}
}

/// A file that is open for lines.
private struct OpenFile {
    let descriptor: Int32
    let identity: FileIdentity?
    /// Whether what is written next begins a line. Not looked at before the first delivery: until then a former
    /// target may write there.
    var isWhole = false

    /// How every decision begins.
    private static let beginning = Array(#"{"specversion":"1.0","id":"#.utf8)

    /// Nil with errno set if the system refuses.
    init?(_ path: String) {
        let opened = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard opened >= 0 else { return nil }
        (descriptor, identity) = (opened, FileIdentity(opened))
    }

    /// Cuts half a decision that a kill has left, and ends a line that another program wrote: a `path` may be wrong.
    ///
    /// - Returns: whether the next line can be written; false with errno set.
    mutating func beginLine() -> Bool {
        if isWhole { return true }
        let end = lseek(descriptor, 0, SEEK_END)
        let begin = lastLine(before: end)
        // Some files cannot be cut.
        isWhole =
            begin == end || isDecision(begin, end) && ftruncate(descriptor, begin) == 0
            || write(descriptor, "\n", 1) == 1
        return isWhole
    }

    /// Where the line begins that has no end; `end` if there is none, also in what is no regular file.
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

    /// Whether that is a decision, as far as it goes.
    private func isDecision(_ begin: off_t, _ end: off_t) -> Bool {
        var start = [UInt8](repeating: 0, count: min(Self.beginning.count, Int(end - begin)))
        let count = pread(descriptor, &start, start.count, begin)
        return count == start.count && Self.beginning.starts(with: start)
    }
}

/// A sink whose file cannot be opened.
struct UnusableSink: Error, CustomStringConvertible {
    let (id, path): (String, String)
    let reason: String

    var description: String {
        """
        the sink '\(id)' cannot be used
          why: '\(path)' cannot be written: \(reason)
          fix: make its folder or change its rights, or give the sink another 'path'
        """
    }
}

/// A file that cannot be written.
struct TargetFailure: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "'\(path)' cannot be written: \(reason)" }
}
