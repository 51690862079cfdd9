import BelfryConfiguration
import Glibc

/// Which addresses may be connected to. It is asked for the address that a name was resolved to, each time that a connection is made, so
/// that no name can be pointed elsewhere in between.
enum AddressPolicy: Sendable {
    case all
    /// Those of the open network, and these.
    case open(besides: [AddressRange])

    func allows(_ address: SocketAddress) -> Bool {
        switch self {
        case .all: true
        case .open(let others): address.isOpen || others.contains { $0.contains(address.bytes) }
        }
    }

    func refusal(of address: String) -> String {
        "is at \(address), which is no address of the open network; 'allow: [\(address)]' lets it be used"
    }
}

/// An address of the internet, without its port.
struct SocketAddress: CustomStringConvertible {
    /// 4 or 16, in network order.
    let bytes: [UInt8]

    /// Nil if it is of another family.
    init?(_ address: UnsafeRawPointer) {
        switch Int32(address.load(as: sockaddr.self).sa_family) {
        case AF_INET:
            bytes = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6:
            let all = withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
            // An address of version 4 in the clothes of version 6.
            bytes = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] ? Array(all.suffix(4)) : all
        default: return nil
        }
    }

    /// Whether it is one of the open network (IANA's special-purpose address registries).
    var isOpen: Bool {
        if bytes.count == 4 { return !Self.closed.contains { $0.contains(bytes) } }
        return bytes[0] & 0xE0 == 0x20 && !Self.closed.contains { $0.contains(bytes) }
    }

    private static let closed = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].compactMap { AddressRange($0) }

    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
}
