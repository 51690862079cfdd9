import BelfryModel
import CLinux
import Glibc

/// A stream socket that carries messages, each behind its length, some with descriptors.
struct FrameSocket: Sendable {
    let descriptor: Int32
    private let owner = getpid()

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Ends this process if it is not the one that has made this: a copy of it, which a plugin has forked, has no say.
    func endIfForked() {
        if getpid() != owner { belfry_end_without_blame(0) }
    }

    func close() { Glibc.close(descriptor) }

    /// - Returns: also the other end.
    static func pair() throws -> (FrameSocket, other: [Int32]) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SystemFailure("speak with a process for plugins")
        }
        return (FrameSocket(ends[0]), [ends[1]])
    }

    /// Says the number of this process to the other end, which waits for it with `hearNumber`; false if that is gone.
    func sayNumber() -> Bool {
        var hello = MessageWriter()
        hello.number(getpid())
        return send(hello)
    }

    /// Waits for the number of the process at the other end; without one the socket is closed.
    func hearNumber() -> pid_t? {
        if let frame = receive(within: .seconds(10)) {
            var reader = MessageReader(frame.bytes)
            // Of 0, 1 and less, the system means others.
            if let number = try? reader.number(), number > 1, let number = pid_t(exactly: number) { return number }
        }
        close()
        return nil
    }

    struct Frame {
        var bytes: [UInt8]
        var descriptors: [Int32]
    }

    private static let longest = 1 << 30

    /// From here on `send` fails where the other process does not read for so long.
    func limitSending(to time: Duration) {
        var limit = timeval(tv_sec: Int(time.milliseconds / 1000), tv_usec: Int(time.milliseconds % 1000) * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// - Returns: whether the other side takes it.
    func send(_ message: borrowing MessageWriter, _ descriptors: [Int32] = []) -> Bool {
        endIfForked()
        var length = Int64(message.count)
        guard belfry_send_descriptors(descriptor, &length, 8, descriptors, descriptors.count) == 0 else { return false }
        return message.withBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let sent = Glibc.send(descriptor, piece.baseAddress!, piece.count, Int32(MSG_NOSIGNAL))
                if sent < 0, errno == EINTR { continue }
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }
    }

    /// The next message; nil at the end, or if it does not come in time.
    func receive(within time: Duration? = nil) -> Frame? {
        let deadline = time.map { MonotonicTime.now + $0 }
        guard isReadable(until: deadline) else { return nil }
        var (length, descriptors, count) = (Int64(0), [Int32](repeating: -1, count: 8), 8)
        let received = belfry_receive_descriptors(descriptor, &length, 8, &descriptors, &count)
        guard received == 8, (0...Int64(Self.longest)).contains(length) else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(length))
        var done = 0
        while done < bytes.count {
            guard isReadable(until: deadline) else { return nil }
            let more = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + done, $0.count - done, 0) }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return nil }
            done += more
        }
        return Frame(bytes: bytes, descriptors: Array(descriptors.prefix(count)))
    }

    /// Whether there is something to be read, or the end, by then; nil: as soon as it is asked.
    func isReadable(until deadline: MonotonicTime?) -> Bool {
        guard let deadline else { return true }
        while true {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let found = poll(&polled, 1, Int32(clamping: deadline.milliseconds(after: .now)))
            if found < 0, errno == EINTR { continue }
            return found > 0
        }
    }
}
