import BelfryConfiguration
import BelfryModel
import Synchronization

/// Who sends, for push services: a token that is signed and good for one of them (RFC 8292).
final class Vapid: Sendable {
    private let key: P256Key
    /// Whom a push service can write to.
    private let subject: String
    /// By origin of the push service.
    private let tokens = Mutex<[String: Token]>([:])

    private struct Token {
        let text: String
        let end: Instant
    }

    /// At most 24 h are allowed (section 2).
    private static let (life, rest): (Duration, Duration) = (.hours(12), .hours(1))
    /// Origins come from subscriptions, which others make: so many are kept.
    private static let limit = 1000

    /// Nil if the key is none.
    init?(key: String, subject: String) {
        guard let key = VapidKey(key).flatMap(P256Key.init) else { return nil }
        (self.key, self.subject) = (key, subject)
    }

    /// The value of the header field `Authorization`. A token is used again until an hour before its end.
    func authorization(for origin: String, at now: Instant) -> String {
        let token = tokens.withLock { tokens in
            if let token = tokens[origin], now + Self.rest < token.end { return token }
            let token = Token(text: self.token(for: origin, until: now + Self.life), end: now + Self.life)
            if tokens.count >= Self.limit { tokens = [:] }
            tokens[origin] = token
            return token
        }
        return "vapid t=\(token.text), k=\(key.point.base64URL)"
    }

    private func token(for origin: String, until end: Instant) -> String {
        let claims: Fields = [
            "aud": .text(origin), "exp": .integer(end.milliseconds / 1000), "sub": .text(subject),
        ]
        let parts = [#"{"typ":"JWT","alg":"ES256"}"#, Value.map(claims).json].map { Array($0.utf8).base64URL }
        let text = parts.joined(separator: ".")
        return text + "." + (key.signature(of: Array(text.utf8)) ?? []).base64URL
    }
}
