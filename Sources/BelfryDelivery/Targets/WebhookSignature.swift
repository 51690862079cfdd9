import BelfryConfiguration
import Foundation

/// What proves that a delivery is ours: HMAC-SHA256 over id, timestamp and body (Standard Webhooks, "Signature scheme").
enum WebhookSignature {
    /// One signature for each key, with a space between them.
    ///
    /// - Parameter timestamp: in s since 1970.
    static func text(_ keys: WebhookKeys, id: String, timestamp: Int64, body: [UInt8]) -> String {
        let content = Array("\(id).\(timestamp).".utf8) + body
        return keys.keys.map { "v1," + Data(HMACSHA256.code(of: content, key: $0)).base64EncodedString() }.joined(
            separator: " ")
    }
}
