import Foundation

/// A real server on this machine that takes what is forwarded, or fails in the way it is told to.
final class EventServer: @unchecked Sendable {  // everything below the lock is only touched with it
    enum Reply: Sendable {
        case status(Int, headers: [String] = [], body: String = "")
        /// Says nothing, and keeps the connection.
        case hang
        /// Closes the connection without a word.
        case close
        /// Closes the connection in the middle of its answer, after a 200.
        case breakOff
    }

    /// A request as it came, but for when it was sent.
    struct Post: Hashable {
        var headers: [String: String]
        var bytes: [UInt8]

        var body: String { String(decoding: bytes, as: UTF8.self) }
        var key: String? { headers["idempotency-key"] }
    }

    let port: UInt16
    private let listener: Int32
    private let lock = NSCondition()
    private var replies: [Reply]
    private var lastReply: Reply
    private var dates: [String] = []
    private var isStopped = false
    private var received: [Post] = []
    private var taken: [Post] = []
    private var begun: [Post] = []

    /// - Parameters:
    ///   - replies: the first answers.
    ///   - lastReply: the answer after these; usually it takes everything.
    ///   - port: 0 for any.
    init(_ replies: [Reply] = [], then lastReply: Reply = .status(200), port: UInt16 = 0) throws {
        (self.replies, self.lastReply) = (replies, lastReply)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, length) = (listener, size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 16) == 0 else { return Int32(-1) }
                return getsockname(listener, address, &size)
            }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let server = self else { return }
                Thread.detachNewThread { server.serve(connection) }
            }
        }
    }

    deinit { stop() }

    var url: String { "http://127.0.0.1:\(port)/events" }

    /// Everything that came, in order.
    var posts: [Post] { lock.withLock { received } }
    /// The same without what was not answered with a 200.
    var accepted: [Post] { lock.withLock { taken } }

    /// Those that got a 200, be it without the rest of the answer.
    var answered: [Post] { lock.withLock { begun } }

    /// When each of them was sent, by its own account.
    var sentAt: [String] { lock.withLock { dates } }

    /// From now on it takes everything.
    func recover() { lock.withLock { (replies, lastReply) = ([], .status(200)) } }

    /// Nothing answers any more.
    func stop() {
        // Once: the number may be another file's by the second time.
        let isFirst = lock.withLock {
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    /// Waits until that many requests have come.
    ///
    /// - Returns: whether they have, within half a minute.
    func wait(for count: Int) -> Bool {
        let deadline = Date.now + 30
        return lock.withLock {
            while received.count < count { if !lock.wait(until: deadline) { return false } }
            return true
        }
    }

    private func serve(_ connection: Int32) {
        defer {
            // Also where a child process has got hold of the connection.
            shutdown(connection, Int32(SHUT_RDWR))
            Glibc.close(connection)
        }
        while var post = Self.read(connection) {
            let date = post.headers.removeValue(forKey: "date")
            switch note(post, sentAt: date ?? "") {
            case .status(let status, let headers, let body):
                let head = ["HTTP/1.1 \(status) -", "Content-Length: \(body.utf8.count)"] + headers
                Self.send(head.map { $0 + "\r\n" }.joined() + "\r\n" + body, connection)
            case .hang: while Self.byte(connection) != nil {}
            case .close: return
            case .breakOff: return Self.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", connection)
            }
        }
    }

    private func note(_ post: Post, sentAt date: String) -> Reply {
        lock.withLock {
            received.append(post)
            dates.append(date)
            let reply = replies.isEmpty ? lastReply : replies.removeFirst()
            switch reply {
            case .status(200, _, _):
                taken.append(post)
                begun.append(post)
            case .breakOff: begun.append(post)
            default: break
            }
            lock.broadcast()
            return reply
        }
    }

    private static func read(_ connection: Int32) -> Post? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = byte(connection) else { return nil }
            head.append(byte)
            // Not a POST, but perhaps the first byte of TLS.
            if head == [byte], byte != UInt8(ascii: "P") {
                send("HTTP/1.1 400 -\r\n\r\n", connection)
                // To close with something unread would take the answer back.
                while self.byte(connection) != nil {}
                return nil
            }
        }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").dropFirst()
        let headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
        }
        let fields = Dictionary(headers) { $1 }
        var body: [UInt8] = []
        for _ in 0..<(Int(fields["content-length"] ?? "") ?? 0) {
            guard let byte = byte(connection) else { return nil }
            body.append(byte)
        }
        return Post(headers: fields, bytes: body)
    }

    private static func byte(_ connection: Int32) -> UInt8? {
        var byte: UInt8 = 0
        return recv(connection, &byte, 1, 0) == 1 ? byte : nil
    }

    private static func send(_ text: String, _ connection: Int32) {
        _ = Array(text.utf8).withUnsafeBytes {
            Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }
}
