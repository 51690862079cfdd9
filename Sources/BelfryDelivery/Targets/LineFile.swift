import BelfryModel
import Glibc
import Synchronization

/// A file that decisions are appended to, a line each.
final class LineFile: SinkTarget {
    let address: String
    private let descriptor: Int32
    /// Whether half a line that a kill has left is gone. Not before the first delivery: until then a former target may write there.
    private let isWhole = Mutex(false)

    /// Opens the file, and makes it first where there is none.
    ///
    /// - Throws: the system refuses.
    init(_ path: String, of sink: String) throws {
        address = path
        descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw UnusableSink(id: sink, path: path, reason: String(cString: strerror(errno)))
        }
    }

    deinit { Glibc.close(descriptor) }

    private func cutTornLine() {
        var (end, byte) = (lseek(descriptor, 0, SEEK_END), UInt8(0))
        while end > 0, pread(descriptor, &byte, 1, end - 1) == 1, byte != UInt8(ascii: "\n") { end -= 1 }
        ftruncate(descriptor, end)
    }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        isWhole.withLock { isWhole in
            if !isWhole { cutTornLine() }
            isWhole = true
        }
        let line = item.line + [UInt8(ascii: "\n")]
        if write(descriptor, line, line.count) == line.count { return done(.taken) }
        let why = String(cString: strerror(errno))
        cutTornLine()
        done(.failed("cannot be written: \(why)"))
    }

    func sync() throws {
        if fdatasync(descriptor) != 0, errno != EINVAL {
            throw TargetFailure(path: address, reason: String(cString: strerror(errno)))
        }
    }

    func close() {}
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
