import Foundation

/// The private key that a server of web push is known by, as its tools write it: a number on the curve P-256, in Base64 for URLs (RFC 8292).
package struct VapidKey: Sendable, Hashable {
    /// 32, the largest first.
    package let bytes: [UInt8]

    /// One less than this is the largest that is a key: the order of the curve (SEC 2, section 2.4.2).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Nil if the text is none.
    package init?(_ text: String) {
        guard let bytes = [UInt8](base64URL: text) else { return nil }
        self.init(bytes: bytes)
    }

    package init?(bytes: [UInt8]) {
        guard bytes.count == 32, bytes.contains(where: { $0 > 0 }), bytes.lexicographicallyPrecedes(Self.order) else {
            return nil
        }
        self.bytes = bytes
    }

    package static let expected = "a private key on P-256: 32 bytes in Base64 for URLs"
    package static let fix =
        "make one: npx web-push generate-vapid-keys, or as docs/sinks.md does with openssl; the private one goes here"
}

extension [UInt8] {
    /// RFC 4648, section 5; nil if the text is none. Padding may be left out.
    package init?(base64URL text: String) {
        let text = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding) else { return nil }
        self.init(data)
    }

    /// RFC 4648, section 5, without padding.
    package var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
