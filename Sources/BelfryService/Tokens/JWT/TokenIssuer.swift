import BelfryEngine
import BelfryModel
import Synchronization

/// An identity provider that says who calls: its signed tokens are taken.
final class TokenIssuer: Sendable {
    /// Whom a token names, and for how long.
    struct Caller: Sendable {
        let name: String
        let roles: [Role]
        let from: Instant
        let until: Instant
    }

    private let settings: Configuration.Service.JWT
    private let keys: JSONWebKeySet
    /// Tokens whose signature was verified: to do that takes as long as many decisions.
    private let known = Mutex<[SHA256Digest: Caller]>([:])
    private static let most = 10_000
    /// Clocks may differ by so much.
    private static let leeway = Duration.seconds(30)
    /// What the names of callers begin with, so that none of them is taken for the holder of a token of the file.
    static let prefix = "jwt:"

    /// - Throws: `JSONWebKeySetFailure`.
    init(_ settings: Configuration.Service.JWT) throws {
        self.settings = settings
        keys = try JSONWebKeySet(path: settings.keys)
    }

    /// - Throws: `TokenRefusal`.
    func caller(_ token: String, at now: Instant = .wallClock) throws -> Caller {
        let digest = SHA256Digest(of: token)
        let caller = try known.withLock { $0[digest] } ?? verified(token)
        if now >= caller.until + Self.leeway {
            throw TokenRefusal("a token of '\(caller.name)' that has expired", "get another one from the issuer")
        }
        if now + Self.leeway < caller.from {
            throw TokenRefusal(
                "a token of '\(caller.name)' that is not good before \(caller.from)", "wait, or set the clocks")
        }
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[digest] = caller
        }
        return caller
    }

    private func verified(_ text: String) throws -> Caller {
        guard let token = JSONWebToken(text) else {
            throw TokenRefusal("a token that is not known, and no JWT", "'belfry tokens list' names those that are")
        }
        try checkSignature(of: token)
        return try caller(token)
    }

    // MARK: The signature

    private func checkSignature(of token: JSONWebToken) throws {
        let name = token.header["alg"]?.text ?? ""
        // 'none', and what is signed by a shared secret, proves nothing: the keys are public.
        guard let algorithm = JSONWebKey.Algorithm(named: name) else {
            throw TokenRefusal(
                "a token with the algorithm '\(name.prefix(32))'", "have it signed by RS256, ES256 or EdDSA")
        }
        // RFC 7515, section 4.1.11: a recipient that does not know what is critical refuses it.
        if token.header["crit"] != nil {
            throw TokenRefusal("a token with critical extensions", "have it issued without 'crit'")
        }
        let type = token.header["typ"]?.text?.lowercased() ?? "jwt"
        guard ["jwt", "at+jwt", "application/at+jwt"].contains(type) else {
            throw TokenRefusal("a token of the type '\(type.prefix(32))'", "send an access token: a JWT")
        }
        let candidates = keys.keys(for: algorithm, id: token.header["kid"]?.text)
        if candidates.isEmpty {
            throw TokenRefusal(
                "a token of a key that is not known", "reload the service when its file has the keys of today")
        }
        guard candidates.contains(where: { $0.verifies(token.signature, of: token.text) }) else {
            throw TokenRefusal("a token with a wrong signature", "send it as the issuer gave it")
        }
    }

    // MARK: The claims

    private func caller(_ token: JSONWebToken) throws -> Caller {
        guard token.claims["iss"]?.text == settings.issuer else {
            throw TokenRefusal("a token of another issuer", "get one from '\(settings.issuer)'")
        }
        guard token.isFor(settings.audience) else {
            throw TokenRefusal("a token for another audience", "get one for '\(settings.audience)'")
        }
        guard let until = try token.instant("exp") else {
            throw TokenRefusal("a token that never expires", "have it issued with 'exp'")
        }
        guard let subject = token.claims["sub"]?.text, (1...255).contains(subject.utf8.count) else {
            throw TokenRefusal("a token without 'sub'", "have it issued for somebody, of at most 255 bytes")
        }
        return Caller(
            name: Self.prefix + subject, roles: roles(token), from: try token.instant("nbf") ?? .distantPast,
            until: until)
    }

    private func roles(_ token: JSONWebToken) -> [Role] {
        token.texts(settings.claim).compactMap {
            Role(rawValue: settings.roles.isEmpty ? $0 : settings.roles[$0] ?? "")
        }
    }
}
