import Foundation

/// Asks a service at a port of this machine over one kept connection, and waits for each answer. It knows at once when the other end is gone.
///
/// Of several ports, such as those of replicas, each connection takes any.
final class PlainClient: @unchecked Sendable {
    // Unchecked: one thread at a time has it.

    struct Gone: Error {}

    private let ports: [UInt16]
    private let token: String
    private var descriptor: Int32 = -1
    private var read: ArraySlice<UInt8> = []

    init(port: UInt16, token: String) { (ports, self.token) = ([port], token) }

    init(ports: [UInt16], token: String) { (self.ports, self.token) = (ports, token) }

    deinit { hangUp() }

    func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        (descriptor, read) = (-1, [])
    }

    /// - Throws: `Gone`, also when a part of the answer is missing.
    func ask(
        _ method: String, _ path: String, headers: [String: String] = [:], body: [UInt8] = []
    ) throws -> (status: Int, headers: [String: String], text: String) {
        do {
            let head = try begin(method, path, headers, body)
            let text = method == "HEAD" ? "" : String(decoding: try self.body(head), as: UTF8.self)
            if head.fields["connection"] == "close" { hangUp() }
            return (head.status, head.fields, text)
        } catch {
            hangUp()
            throw Gone()
        }
    }

    /// Asks until an answer has that in it, or until it has it no more; false if that does not come.
    func wait(_ path: String, for text: String, toGo: Bool = false) throws -> Bool {
        try (0..<10_000).contains { _ in try ask("GET", path).text.contains(text) != toGo }
    }

    /// Sends requests that are written out, without waiting for an answer.
    ///
    /// - Parameter isLast: says to the other end that nothing more comes.
    func send(_ text: String, isLast: Bool = false) throws {
        if descriptor < 0 { try connect() }
        try write(Array(text.utf8))
        if isLast { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// Whether an answer has begun to come.
    var hasAnswer: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    /// The next answer.
    func answer() throws -> (status: Int, headers: [String: String], text: String) {
        let head = try readHead()
        return (head.status, head.fields, String(decoding: try body(head), as: UTF8.self))
    }

    /// All that comes until the other end closes the connection.
    func rest() throws -> String {
        while (try? receive()) != nil {}
        return String(decoding: read, as: UTF8.self)
    }

    /// Asks, and hangs up when it knows how the answer begins.
    func status(_ method: String, _ path: String, headers: [String: String], body: [UInt8]) throws -> Int {
        defer { hangUp() }
        return try begin(method, path, headers, body).status
    }

    /// Reads a stream line by line, as long as more is wanted.
    func follow(_ path: String, headers: [String: String], _ wantsMore: (String) -> Bool) throws {
        defer { hangUp() }
        guard try begin("GET", path, headers, []).status == 200 else { throw Gone() }
        var line = ""
        while true {
            let chunk = try chunk()
            for character in String(decoding: chunk, as: UTF8.self) {
                guard character.isNewline else {
                    line.append(character)
                    continue
                }
                guard wantsMore(line) else { return }
                line = ""
            }
            if chunk.isEmpty { throw Gone() }
        }
    }

    // MARK: HTTP

    private struct Head {
        var status = 0
        /// By their names in small letters.
        var fields: [String: String] = [:]
    }

    private func begin(_ method: String, _ path: String, _ headers: [String: String], _ body: [UInt8]) throws -> Head {
        if descriptor < 0 { try connect() }
        var fields = [
            "Host": "127.0.0.1:\(ports[0])", "Authorization": "Bearer \(token)", "Content-Length": "\(body.count)",
        ]
        fields.merge(headers) { $1 }
        let lines = ["\(method) \(path) HTTP/1.1"] + fields.map { "\($0): \($1)" }
        try write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        return try readHead()
    }

    private func readHead() throws -> Head {
        var head = Head()
        head.status = try readLine().split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        while case let line = try readLine(), let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            head.fields[line[..<colon].lowercased()] = value
        }
        return head
    }

    private func body(_ head: Head) throws -> [UInt8] {
        if let length = head.fields["content-length"].flatMap({ Int($0) }) { return try take(length) }
        var bytes: [UInt8] = []
        guard head.fields["transfer-encoding"] == "chunked" else { return bytes }
        while case let chunk = try chunk(), !chunk.isEmpty { bytes += chunk }
        return bytes
    }

    /// Empty at the end.
    private func chunk() throws -> [UInt8] {
        guard let size = Int(try readLine(), radix: 16) else { throw Gone() }
        let bytes = try take(size)
        _ = try readLine()
        return bytes
    }

    // MARK: The socket

    private func connect() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = ports.randomElement()!.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else { throw Gone() }
    }

    private func write(_ bytes: [UInt8]) throws {
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { throw Gone() }
    }

    private func readLine() throws -> String {
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                let line = read[..<end]
                read = read[(end + 1)...]
                return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
            try receive()
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while read.count < count { try receive() }
        defer { read = read.dropFirst(count) }
        return Array(read.prefix(count))
    }

    private func receive() throws {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw Gone() }
        read = read + bytes.prefix(count)
    }
}
