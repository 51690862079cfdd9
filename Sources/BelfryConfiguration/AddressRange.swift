import Glibc

/// A range of IP addresses as networks write it: `127.0.0.0/8`, `fd00::/8`, or one address.
package struct AddressRange: Sendable, Hashable {
    /// 4 or 16 bytes.
    private let base: [UInt8]
    /// How many bits have to agree.
    private let bits: Int

    /// Nil if it is no such text, or has bits beyond its length.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, let base = Self.bytes(of: String(parts[0])) else { return nil }
        let bits = parts.count == 2 ? Int(parts[1]) : base.count * 8
        guard let bits, 0...base.count * 8 ~= bits, Self.masked(base, bits) == base else { return nil }
        (self.base, self.bits) = (base, bits)
    }

    /// - Parameter address: 4 or 16 bytes.
    package func contains(_ address: [UInt8]) -> Bool {
        address.count == base.count && Self.masked(address, bits) == base
    }

    private static func masked(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            byte & UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, bits - index * 8)))
        }
    }

    private static func bytes(of text: String) -> [UInt8]? {
        let (family, count) = text.contains(":") ? (AF_INET6, 16) : (AF_INET, 4)
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
