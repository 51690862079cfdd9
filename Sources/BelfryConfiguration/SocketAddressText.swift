/// Where a service listens, as configurations and command lines say it.
public enum SocketAddressText: Hashable, Sendable, CustomStringConvertible {
    /// Port 0 is any that is free.
    case network(host: String, port: Int)
    case unix(path: String)

    /// Nil for text that names no such place.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard text.utf8.count > 5 else { return nil }
            self = .unix(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            0...65535 ~= port
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host.isEmpty { return nil }
        self = .network(host: host, port: port)
    }

    /// Whether it is an address of 127.0.0.0/8, and no name that looks like one.
    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }

    /// Whether only this machine gets there.
    public var isLocal: Bool {
        switch self {
        case .unix: true
        case .network(let host, _): host == "localhost" || host == "::1" || Self.isLoopback(host)
        }
    }

    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}
