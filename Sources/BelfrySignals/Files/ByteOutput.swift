import Glibc
import Synchronization

/// Writes bytes to a file descriptor, in large pieces.
public final class ByteOutput: Sendable {
    private let descriptor: Int32
    package let name: String
    /// Whether it is a file that a later run goes on with.
    private let isContinued: Bool
    /// Whether nothing leaves before `flush`.
    private let isHeld: Bool
    private let buffer = Mutex<[UInt8]>([])

    /// Drops all that it is given.
    public static let nowhere = ByteOutput(-1, name: "nowhere")

    /// - Parameter isContinued: whether it is a regular file that decisions are appended to, run by run, so that it must hold
    ///   each of them once.
    public init(_ descriptor: Int32, name: String, isContinued: Bool = false, isHeld: Bool = false) {
        (self.descriptor, self.name, self.isContinued, self.isHeld) = (descriptor, name, isContinued, isHeld)
    }

    package func append(_ bytes: [UInt8]) throws {
        try buffer.withLock { buffer in
            if buffer.isEmpty { buffer = bytes } else { buffer.append(contentsOf: bytes) }
            if !isHeld, buffer.count >= 1 << 16 { try write(&buffer) }
        }
    }

    /// Writes everything that was appended.
    package func flush() throws { try buffer.withLock { try write(&$0) } }

    private func write(_ buffer: inout [UInt8]) throws {
        var written = self === Self.nowhere ? buffer.count : 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure()
            }
            written += count
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private func failure() -> OutputFailure { OutputFailure(name: name, reason: String(cString: strerror(errno))) }
}

// MARK: Files that a later run goes on with

extension ByteOutput {
    /// How long the file is, all of it on the disk; nil for what is no file that a later run goes on with.
    package func position() throws -> OutputPosition? {
        try sync()
        return try place()
    }

    /// What is marked as handed out must survive a power loss, too.
    func sync() throws {
        guard try place() != nil else { return }
        guard fdatasync(descriptor) == 0 else { throw failure() }
    }

    /// How long the file is, as far as this process can tell.
    package func place() throws -> OutputPosition? {
        guard isContinued else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return OutputPosition(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), length: Int(status.st_size))
    }

    package func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        do {
            return try readBytes(of: descriptor, at: offset, count: count)
        } catch {
            throw OutputFailure(name: name, reason: error.reason)
        }
    }

    /// Cuts off what a process that was killed has left of a line at the end of a regular file. Another text there is ended as a line.
    ///
    /// - Parameter beginning: of all lines that are appended.
    package func dropTornLine(_ beginning: String) throws {
        var status = stat()
        guard isContinued, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
        else { return }
        let size = Int(status.st_size)
        let start = max(0, size - (2 << 20))
        let tail = try bytes(at: start, count: size - start)
        guard tail.last != UInt8(ascii: "\n") else { return }
        let line = tail.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        if tail[line...].starts(with: beginning.utf8) {
            try cut(to: start + line)
        } else {
            try append([UInt8(ascii: "\n")])
        }
    }

    package func cut(to length: Int) throws {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure() }
    }
}

/// How much of a file holds decisions that were committed as handed out.
package struct OutputPosition: Equatable {
    package var device: UInt64
    package var inode: UInt64
    /// In bytes.
    package var length: Int

    package init(device: UInt64, inode: UInt64, length: Int) {
        (self.device, self.inode, self.length) = (device, inode, length)
    }

    package func isSameFile(as other: OutputPosition) -> Bool { device == other.device && inode == other.inode }
}

/// Why decisions or rejects cannot be written.
public struct OutputFailure: Error, CustomStringConvertible {
    public var name: String
    public var reason: String

    public var description: String {
        "cannot write to \(name)\n  why: \(reason)\n  fix: check the file, the disk or the program that reads it; what is in the store is safe"
    }
}
