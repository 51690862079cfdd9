import CCrypto
import NIOCore

/// One side of a TLS connection, which knows no socket: what comes is put in, and what is to leave is taken out.
final class TLSSession {
    enum Step {
        case done
        /// More has to come from the client first.
        case waiting
        /// The client has said that no more comes.
        case closed
        case failed
    }

    private let session: OpaquePointer
    /// Memory that OpenSSL reads from, and that it writes to; freed with the session.
    private let (input, output): (OpaquePointer, OpaquePointer)

    init(_ context: OpaquePointer) {
        guard let session = SSL_new(context), let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            fatalError("OpenSSL has no memory")
        }
        (self.session, self.input, self.output) = (session, input, output)
        SSL_set_bio(session, input, output)
        SSL_set_accept_state(session)
    }

    deinit { SSL_free(session) }

    func receive(_ bytes: ByteBuffer) {
        bytes.withUnsafeReadableBytes { _ = BIO_write(input, $0.baseAddress, Int32($0.count)) }
    }

    func shakeHands() -> Step {
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        return result == 1 ? .done : step(after: result)
    }

    /// Appends what the client said.
    ///
    /// - Returns: why there is no more of it.
    func read(into buffer: inout ByteBuffer) -> Step {
        ERR_clear_error()
        while true {
            var result: Int32 = 0
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 16 << 10) { room in
                result = SSL_read(session, room.baseAddress, Int32(room.count))
                return max(0, Int(result))
            }
            if result <= 0 { return step(after: result) }
        }
    }

    /// - Returns: whether it was taken.
    func write(_ bytes: ByteBuffer) -> Bool {
        ERR_clear_error()
        return bytes.withUnsafeReadableBytes {
            $0.isEmpty || SSL_write(session, $0.baseAddress, Int32($0.count)) == Int32($0.count)
        }
    }

    /// Says that no more comes.
    func end() {
        ERR_clear_error()
        SSL_shutdown(session)
    }

    /// What is to go to the client; nil for nothing.
    func takeOutput(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let count = BIO_ctrl_pending(output)
        guard count > 0 else { return nil }
        var buffer = allocator.buffer(capacity: count)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
            max(0, Int(BIO_read(output, $0.baseAddress, Int32($0.count))))
        }
        return buffer
    }

    private func step(after result: Int32) -> Step {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: .waiting
        case SSL_ERROR_ZERO_RETURN: .closed
        default: .failed
        }
    }
}
