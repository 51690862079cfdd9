import CZlib

/// Unpacks a stream of gzip, piece by piece.
final class Gunzip {
    private var stream = z_stream()
    private var isAtEnd = false
    private var isEmpty = true

    /// What came is no gzip.
    struct Failure: Error {}

    init() { belfry_begin_gunzip(&stream) }

    deinit { inflateEnd(&stream) }

    private static let piece = 256 << 10

    /// Unpacks what comes next, and hands it on in pieces.
    func take(_ bytes: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
        var input = bytes
        try input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            if input.count > 0 { isEmpty = false }
            repeat {
                // Several packed streams may follow one another (RFC 1952, section 2.2).
                if isAtEnd {
                    if stream.avail_in == 0 { return }
                    guard inflateReset(&stream) == Z_OK else { throw Failure() }
                    isAtEnd = false
                }
                try unpack(body)
            } while stream.avail_in > 0 || stream.avail_out == 0
        }
    }

    private func unpack(_ body: ([UInt8]) throws -> Void) throws {
        var status = Z_OK
        let piece = [UInt8](unsafeUninitializedCapacity: Self.piece) { output, count in
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(Self.piece)
            status = inflate(&stream, Z_NO_FLUSH)
            count = Self.piece - Int(stream.avail_out)
        }
        guard status == Z_OK || status == Z_STREAM_END || (status == Z_BUF_ERROR && stream.avail_in == 0) else {
            throw Failure()
        }
        isAtEnd = status == Z_STREAM_END
        if !piece.isEmpty { try body(piece) }
    }

    /// - Throws: if the last piece is missing.
    func end() throws {
        if !isAtEnd || isEmpty { throw Failure() }
    }
}
