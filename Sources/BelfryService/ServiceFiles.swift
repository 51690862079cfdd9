import BelfryEngine

/// The files that say who may call a service, and what it shows of itself.
public struct ServiceFiles: Sendable {
    /// The one with tokens.
    let tokens: String?
    /// Whose tokens are taken besides. With neither, a token is made for the start.
    private let jwt: Configuration.Service.JWT?
    /// Nil: without TLS.
    private let tls: Configuration.Service.TLS?

    /// - Parameter path: where a file is that the configuration names.
    public init(of configured: Configuration.Service, at path: (String) -> String) {
        tokens = configured.tokens.map(path)
        jwt = configured.jwt.map { jwt in
            var jwt = jwt
            jwt.keys = path(jwt.keys)
            return jwt
        }
        tls = configured.tls.map {
            .init(certificate: path($0.certificate), key: path($0.key), clientCA: $0.clientCA.map(path))
        }
    }

    /// Whether neither tokens nor an issuer of tokens are configured.
    var areForAnybody: Bool { tokens == nil && jwt == nil }

    /// The tokens and their issuer, as the files have them now.
    ///
    /// - Throws: `TokenFileFailure`, `JSONWebKeySetFailure`.
    var callers: Guardian.Callers { get throws { Guardian.Callers(tokens: try known, issuer: try issuer) } }

    private var known: [Token] { get throws { try tokens.map { try TokenFile(path: $0).tokens } ?? [] } }

    private var issuer: TokenIssuer? { get throws { try jwt.map { try TokenIssuer($0) } } }

    /// The token file, if it has no token and no issuer is configured: every call would be refused.
    func empty(_ callers: Guardian.Callers) -> String? { callers.tokens.isEmpty && jwt == nil ? tokens : nil }

    /// The remark that every call would be refused; nil if a token would be accepted.
    func remark(on callers: Guardian.Callers) -> String? {
        empty(callers).map { path in
            """
            every call that needs a token will be refused
              why: there is no token in '\(path)'
              fix: belfry tokens new NAME --role admin
            """
        }
    }

    /// - Throws: `TLSFailure`.
    var tlsContext: TLSContext? { get throws { try tls.map { try TLSContext($0) } } }

    /// Why `belfry serve` would not start with these files, or would refuse every call.
    public var warnings: [String] {
        let attempts: [() throws -> Void] = [{ _ = try known }, { _ = try issuer }, { _ = try tlsContext }]
        let failures = attempts.compactMap { attempt in
            do { try attempt() } catch { return "'belfry serve' would not start here, as this user: \(error)" }
            return nil
        }
        return failures + [(try? callers).flatMap { remark(on: $0) }].compactMap(\.self)
    }
}
