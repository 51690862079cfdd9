import Foundation

/// The keys that a webhook is signed with, as Standard Webhooks writes them: `whsec_` and Base64; two while they are changed.
package struct WebhookKeys: Sendable, Hashable {
    /// One or two, in order.
    package let keys: [[UInt8]]

    /// Nil if the text is none, or more than two.
    package init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        let keys = words.compactMap { Self.key($0.hasPrefix("whsec_") ? $0.dropFirst(6) : $0) }
        guard 1...2 ~= keys.count, keys.count == words.count else { return nil }
        self.keys = keys
    }

    /// At least 16 bytes: shorter is no key but a made-up word.
    private static func key(_ text: Substring) -> [UInt8]? {
        Data(base64Encoded: String(text)).flatMap { $0.count >= 16 ? [UInt8]($0) : nil }
    }
}
