/// A digest of SHA-256, written as `sha256:` and 64 lower-case hexadecimal digits.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
    private static let prefix = "sha256:"

    package let bytes: [UInt8]

    /// - Parameter bytes: 32 of them.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Nil if that is not such a text.
    package init?(text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        self.init(digits: text.dropFirst(Self.prefix.count))
    }

    /// Nil if these are not 64 such digits.
    package init?(digits: some StringProtocol) {
        let values = digits.utf8.compactMap(Self.value)
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The 64 digits.
    package var digits: String { bytes.hexadecimal }

    package var description: String { Self.prefix + digits }
}

extension [UInt8] {
    /// Two digits a byte, in lower case.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
