import BelfryModel
import Foundation
import Testing

/// A service that takes tokens of an identity provider.
@Suite struct TokenServiceTests {
    private static let configuration = """
        app: shop
        store: "memory:"
        campaigns: [ { id: hello, message: Hello } ]
        serve:
          tokens: tokens.yaml
          jwt: { keys: jwks.json, issuer: "https://id.example.org", audience: belfry, roles: { backend: submit, sre: operate } }
        """

    private let place: Workplace
    private let first: Issuer

    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration])
        first = try Issuer(.edDSA, id: "first", in: place)
        try publish(first)
    }

    private func publish(_ issuers: Issuer...) throws {
        try place.write(Value.map(["keys": .list(try issuers.map { try $0.jwk })]).json, to: "jwks.json")
    }

    private func status(_ method: String, _ path: String, _ token: String, of service: LiveService) async throws -> Int
    {
        let fields = ["Authorization": "Bearer \(token)", "Content-Type": "application/x-ndjson"]
        return try await service.send(method, service.api + path, fields).status
    }

    @Test func `callers do what the roles of their tokens include`() async throws {
        let secret = try place.belfry("tokens", "new", "laptop", "--role", "admin").lines[0]
        let service = try LiveService(in: place, token: secret)
        let (backend, operator_) = (try first.token(["role": "backend"]), try first.token(["role": "sre"]))
        let both = try first.token(["role": ["backend", "sre"]])
        for (token, submits, reads) in [
            (secret, 200, 200), (backend, 200, 403), (operator_, 403, 200), (both, 200, 200),
            (try first.token(["role": "admin"]), 403, 403), (try first.token(["exp": 0]), 401, 401),
        ] {
            #expect(try await status("POST", "/v1/signals", token, of: service) == submits)
            #expect(try await status("GET", "/v1/config", token, of: service) == reads)
        }
        let refused = try await service.get(
            "/v1/config", headers: ["Authorization": "Bearer \(try first.token(["role": "guest"]))"])
        #expect(refused.fields["found"] as? String == "'jwt:ana' with no role")
        let expired = try await service.get(
            "/v1/config", headers: ["Authorization": "Bearer \(try first.token(["exp": 0]))"])
        #expect(expired.headers["www-authenticate"] == "Bearer")
        #expect(expired.fields["found"] as? String == "a token of 'jwt:ana' that has expired")
    }

    @Test func `a key that is gone opens nothing after a reload, and one that is broken changes nothing`() async throws
    {
        let secret = try place.belfry("tokens", "new", "laptop", "--role", "admin").lines[0]
        let service = try LiveService(in: place, token: secret)
        let second = try Issuer(.es256, id: "second", in: place)
        let tokens = [try first.token(["role": "sre"]), try second.token(["role": "sre"])]
        func statuses() async throws -> [Int] {
            var statuses: [Int] = []
            for token in tokens { statuses.append(try await status("GET", "/v1/config", token, of: service)) }
            return statuses
        }
        #expect(try await statuses() == [200, 401])
        try publish(first, second)
        #expect(try await service.manage("POST", "/-/reload").status == 200)
        #expect(try await statuses() == [200, 200])
        try publish(second)
        #expect(try await service.manage("POST", "/-/reload").status == 200)
        #expect(try await statuses() == [401, 200])
        try place.write("nonsense", to: "jwks.json")
        let refused = try await service.manage("POST", "/-/reload")
        #expect(refused.status == 422)
        #expect(refused.text.contains("there is no list 'keys' in it"))
        #expect(try await statuses() == [401, 200])
    }

    @Test func `without its keys a service does not start`() throws {
        try FileManager.default.removeItem(at: place.file("jwks.json"))
        let result = try place.belfry("serve", "--listen", "127.0.0.1:0", "--manage", "127.0.0.1:0")
        #expect(result.status == 2)
        #expect(result.errors.contains("cannot use the keys in '"))
        #expect(result.errors.contains("  why: it is not there, or cannot be read\n  fix: get it from the issuer"))
    }

    @Test func `nobody takes a name that callers of an issuer have`() throws {
        let result = try place.belfry("tokens", "new", "jwt:ana", "--role", "admin")
        #expect(result.status == 2)
        #expect(result.errors.contains("names that begin with 'jwt:' are those of an issuer's callers"))
    }

    @Test func `no token is made that has expired`() throws {
        let result = try place.belfry(
            "tokens", "new", "laptop", "--role", "admin", "--expires", "2020-01-01T00:00:00Z")
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(
            result.errors.contains(
                "--expires is 2020-01-01T00:00:00Z, which is over; name a later time, or leave it out"),
            "\(result.errors)")
        #expect(try place.belfry("tokens", "list").output == "there are no tokens\n")
    }

    @Test func `a configuration without an issuer is refused`() throws {
        try place.write(
            Self.configuration.replacing("audience: belfry, ", with: "").replacing(
                "backend: submit", with: "backend: sumbit"),
            to: "belfry.yaml")
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(result.errors.contains("no key 'audience'"), "\(result.errors)")
        #expect(result.errors.contains("did you mean 'submit'?"), "\(result.errors)")
    }
}
