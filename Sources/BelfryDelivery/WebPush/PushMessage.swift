/// A message that only one browser can read (RFC 8291).
enum PushMessage {
    /// In front of it stands our key, 65 bytes.
    static let limit = ContentEncoding.limit(keyID: [UInt8](repeating: 0, count: 65))

    /// - Parameters:
    ///   - key: made for this message alone.
    ///   - salt: 16 bytes, others each time.
    static func encrypt(
        _ text: [UInt8], for subscription: PushSubscription, key: P256Key, salt: [UInt8]
    ) -> [UInt8]? {
        guard let agreed = key.agree(with: subscription.key) else { return nil }
        let info = Array("WebPush: info\0".utf8) + subscription.key + key.point
        let secret = HKDF.derive(agreed, salt: subscription.secret, info: info, count: 32)
        return ContentEncoding.encode(text, secret: secret, salt: salt, keyID: key.point)
    }

    /// With the system's randomness.
    static func encrypt(_ text: [UInt8], for subscription: PushSubscription) -> [UInt8]? {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return encrypt(text, for: subscription, key: P256Key(using: &generator), salt: salt)
    }
}
