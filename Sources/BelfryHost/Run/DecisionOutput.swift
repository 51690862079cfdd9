import BelfryModel
import Glibc

/// Writes bytes to a file descriptor, in large pieces.
public final class ByteOutput {
    private let descriptor: Int32
    private let name: String
    private var buffer: [UInt8] = []

    public init(_ descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    func append(_ bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes everything that was appended.
    func flush() throws {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
            if count < 0 {
                if errno == EINTR { continue }
                throw OutputFailure(name: name, reason: String(cString: strerror(errno)))
            }
            written += count
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Why decisions or rejects cannot be written.
public struct OutputFailure: Error, CustomStringConvertible {
    public var name: String
    public var reason: String

    public var description: String {
        "cannot write to \(name)\n  why: \(reason)\n  fix: check the file, the disk or the program that reads it; what is in the store is safe"
    }
}
