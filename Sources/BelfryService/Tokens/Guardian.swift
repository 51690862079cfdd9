import BelfryConfiguration
import BelfryModel
import HTTPTypes
import Synchronization

/// Says who calls, and whether they may.
final class Guardian: Sendable {
    /// Those who are known.
    struct Callers: Sendable {
        var tokens: [Token] = []
        /// Nil: no other tokens are taken.
        var issuer: TokenIssuer?
        /// Whether there is one token, which was made for this start.
        var areForThisStart: Bool { tokens.count == 1 && tokens[0].name == Token.thisStart }
    }

    private let callers: Mutex<Callers>
    /// The names by which a browser may know a listener that is not to be reached from elsewhere; nil: any.
    private let hosts: Set<String>?

    /// - Parameter address: of the listener.
    init(_ callers: Callers, at address: SocketAddressText) {
        self.callers = Mutex(callers)
        var hosts: Set = ["localhost", "127.0.0.1", "[::1]"]
        if case .network(let host, _) = address { hosts.insert(host) }
        self.hosts = address.isLocal ? hosts : nil
    }

    func take(_ callers: Callers) { self.callers.withLock { $0 = callers } }

    /// The name of a caller who has a role: that of the token, or the one that its issuer gave.
    ///
    /// - Throws: 401 or 403.
    func caller(of head: HTTPRequest, as role: Role) throws -> String {
        let header = head.headerFields.value(.authorization) ?? ""
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.unauthorized("no token", "send 'Authorization: Bearer TOKEN'; 'belfry tokens new' makes one")
        }
        let (name, roles) = try holder(of: String(parts[1]))
        guard roles.contains(where: { $0.includes(role) }) else {
            let words = roles.isEmpty ? "no role" : "the role \(roles.map(\.rawValue).joined(separator: ", "))"
            throw Problem(
                .forbidden, "forbidden", "the token may not do this", found: "'\(name)' with \(words)",
                expected: "the role \(role.rawValue)", fix: "use a token of that role")
        }
        return name
    }

    private func holder(of secret: String) throws -> (name: String, roles: [Role]) {
        let digest = SHA256Digest(of: secret)
        // All are compared, so that time tells nothing.
        let (found, issuer, isForThisStart) = callers.withLock { callers in
            (callers.tokens.filter { $0.digest.matches(digest) }.first, callers.issuer, callers.areForThisStart)
        }
        if let found {
            if let expires = found.expires, expires <= .wallClock {
                throw Self.unauthorized(
                    "the token '\(found.name)', which has expired", "make another one: 'belfry tokens new'")
            }
            return (found.name, [found.role])
        }
        guard let issuer else {
            throw Self.unauthorized(
                "a token that is not known",
                isForThisStart
                    ? "take the one in the address that this start of the service printed"
                    : "'belfry tokens list' names those that are")
        }
        do {
            let caller = try issuer.caller(secret)
            return (caller.name, caller.roles)
        } catch let refusal as TokenRefusal {
            throw Self.unauthorized(refusal.found, refusal.fix)
        }
    }

    private static func unauthorized(_ found: String, _ fix: String) -> Problem {
        Problem(
            .unauthorized, "unauthorized", "the caller is not known", found: found, expected: "a bearer token", fix: fix
        )
        .with(.wwwAuthenticate, "Bearer")
    }

    /// A page elsewhere may make a browser send requests here: those are refused, whatever they are.
    func checkOrigin(of head: HTTPRequest) throws {
        let site = head.headerFields.value(.secFetchSite)
        if let site, !["same-origin", "none"].contains(site) {
            throw Problem(
                .forbidden, "cross-site", "another site may not call", found: "Sec-Fetch-Site: \(site)",
                expected: "same-origin", fix: "call from a page of this service, or not from a browser")
        }
        guard let hosts, let authority = head.authority else { return }
        // RFC 9110, section 7.4: a name that resolves to this machine is not yet a name of this service.
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        guard hosts.contains(host.lowercased()) else {
            throw Problem(
                .misdirectedRequest, "wrong-host", "this is not a name of the service", found: "Host: \(authority)",
                expected: hosts.sorted().joined(separator: ", "), fix: "use one of these names")
        }
    }
}
