import BelfryConfiguration
import BelfryEngine
import BelfryModel
import Foundation
import Testing

@testable import BelfryService

/// Tokens of an identity provider.
@Suite struct TokenIssuerTests {
    private let place: Workplace
    private let issuers: [Issuer.Kind: Issuer]

    init() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\n"])
        self.place = place
        issuers = try Dictionary(
            uniqueKeysWithValues: Issuer.Kind.allCases.map { ($0, try Issuer($0, id: $0.rawValue, in: place)) })
        let keys = try Issuer.Kind.allCases.map { try issuers[$0]!.jwk }
        try place.write(Value.map(["keys": .list(keys)]).json, to: "jwks.json")
    }

    private func issuer(_ change: (inout Configuration.Service.JWT) -> Void = { _ in }) throws -> TokenIssuer {
        var settings = Configuration.Service.JWT(
            keys: place.file("jwks.json").path, issuer: "https://id.example.org", audience: "belfry")
        change(&settings)
        return try TokenIssuer(settings)
    }

    // MARK: What is taken

    @Test(arguments: Issuer.Kind.allCases) func `a token says who calls, and what they may do`(kind: Issuer.Kind) throws
    {
        let issuer = try issuer()
        let token = try issuers[kind]!.token(["aud": ["other", "belfry"], "role": ["submit", "nonsense", "read"]])
        // The second time the signature is not looked at again.
        for _ in 0..<2 {
            let caller = try issuer.caller(token)
            #expect(caller.name == "jwt:ana")
            #expect(caller.roles == [.submit, .read])
        }
    }

    @Test(
        arguments: [
            ("role", ["role": "admin"], [Role.admin]), ("role", ["role": .null], []),
            ("scope", ["scope": "openid read operate"], [.read, .operate]),
            ("https://shop.example/roles", ["https://shop.example/roles": ["read"]], [.read]),
            ("realm_access.roles", ["realm_access": ["roles": ["submit"]]], [.submit]),
        ] as [(String, Fields, [Role])])
    func `roles are where the configuration says`(claim: String, claims: Fields, roles: [Role]) throws {
        let token = try issuers[.edDSA]!.token(claims)
        #expect(try issuer { $0.claim = claim }.caller(token).roles == roles)
    }

    @Test func `roles have the names of the configuration, and then no others`() throws {
        let token = try issuers[.edDSA]!.token(["role": ["sre", "admin"]])
        #expect(try issuer { $0.roles = ["sre": "operate"] }.caller(token).roles == [.operate])
    }

    @Test(arguments: [nil, "EdDSA", "Ed25519"], ["EdDSA", "Ed25519"])
    func `a key with the curve Ed25519 takes both names of its algorithm`(key: String?, token: String) throws {
        var fields = try issuers[.edDSA]!.jwk.map!
        fields["alg"] = key.map { .text($0) }
        try place.write(Value.map(["keys": [.map(fields)]]).json, to: "jwks.json")
        #expect(try issuer().caller(issuers[.edDSA]!.token(header: ["alg": .text(token)])).name == "jwt:ana")
    }

    // MARK: What is not

    @Test(
        arguments: [
            (["exp": .null], [:], "a token that never expires"),
            (["exp": "soon"], [:], "a token whose 'exp' is no time in seconds"),
            (["exp": 1_700_000_000], [:], "a token of 'jwt:ana' that has expired"),
            (["nbf": 9_999_999_999], [:], "a token of 'jwt:ana' that is not good before 2286-11-20T17:46:39Z"),
            (["iss": "https://other.example"], [:], "a token of another issuer"),
            (["iss": .null], [:], "a token of another issuer"),
            (["aud": "others"], [:], "a token for another audience"),
            (["aud": .null], [:], "a token for another audience"),
            (["sub": .null], [:], "a token without 'sub'"), (["sub": ""], [:], "a token without 'sub'"),
            ([:], ["alg": "none"], "a token with the algorithm 'none'"),
            ([:], ["alg": "HS256"], "a token with the algorithm 'HS256'"),
            ([:], ["alg": "None"], "a token with the algorithm 'None'"),
            ([:], ["alg": .null], "a token with the algorithm ''"),
            // Of another key: what a key is for does not follow from the token.
            ([:], ["alg": "RS256"], "a token of a key that is not known"),
            ([:], ["alg": "Ed25519"], "a token of a key that is not known"),
            ([:], ["alg": "Ed25519", "kid": "EdDSA"], "a token with a wrong signature"),
            ([:], ["alg": "Ed448"], "a token with the algorithm 'Ed448'"),
            ([:], ["kid": "RS256"], "a token of a key that is not known"),
            ([:], ["alg": "RS256", "kid": "RS256"], "a token with a wrong signature"),
            ([:], ["kid": "former"], "a token of a key that is not known"),
            ([:], ["crit": ["exp"]], "a token with critical extensions"),
            ([:], ["typ": "logout+jwt"], "a token of the type 'logout+jwt'"),
        ] as [(Fields, Fields, String)])
    func `a token that is wrong is refused in words`(claims: Fields, header: Fields, found: String) throws {
        let issuer = try issuer()
        let token = try issuers[.es256]!.token(claims, header: header)
        let refusal = #expect(throws: TokenRefusal.self) { try issuer.caller(token) }
        #expect(refusal?.found == found)
    }

    @Test(arguments: Issuer.Kind.allCases) func `what was changed on the way is refused`(kind: Issuer.Kind) throws {
        let issuer = try issuer()
        let token = try issuers[kind]!.token()
        let parts = token.split(separator: ".").map(String.init)
        let admin = Array(
            #"{"iss":"https://id.example.org","aud":"belfry","sub":"ana","role":"admin","exp":9999999999}"#.utf8)
        let none = Array(#"{"alg":"none"}"#.utf8).base64URL
        let wrong = [
            "\(parts[0]).\(admin.base64URL).\(parts[2])", "\(parts[0]).\(parts[1]).", "\(none).\(parts[1]).",
            "\(parts[0]).\(parts[1])", token + "=", token + ".", " " + token, token.replacing("-", with: "+") + "A",
            "..", "",
            "\(parts[0]).\(parts[1]).\(parts[2].dropLast(4))AAAA",
        ]
        for token in wrong { #expect(throws: TokenRefusal.self, "\(token)") { try issuer.caller(token) } }
        // A shared secret would be the public key, which is no secret.
        #expect(throws: TokenRefusal.self) { try issuer.caller(issuers[kind]!.token(header: ["alg": "HS256"])) }
    }

    @Test func `a key without an id may be meant by any token`() throws {
        let key = try issuers[.edDSA]!.jwk.map!.entries.filter { $0.key != "kid" }
        try place.write(Value.map(["keys": [.map(Fields(key.map { ($0.key, $0.value) }))]]).json, to: "jwks.json")
        let issuer = try issuer()
        #expect(throws: TokenRefusal.self) { try issuer.caller(issuers[.edDSA]!.token()) }
        #expect(try issuer.caller(issuers[.edDSA]!.token(header: ["kid": .null])).name == "jwt:ana")
    }

    // MARK: Keys

    @Test(arguments: [
        ("nonsense", "there is no list 'keys' in it"), ("{}", "there is no list 'keys' in it"),
        (#"{"keys":[]}"#, "none of its 0 keys is for signatures by RS256, ES256 or EdDSA with Ed25519"),
        (
            #"{"keys":[{"kty":"oct","k":"AAAA"},{"kty":"EC","crv":"P-384"},{"kty":"RSA","use":"enc"},{"kty":"RSA","alg":"RS512"}]}"#,
            "none of its 4 keys is for signatures by RS256, ES256 or EdDSA with Ed25519"
        ),
        (
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}]}"#,
            "key 1: 'x' is missing, or no Base64 for URLs of the right length"
        ),
        (
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","d":"AAAA","x":"AAAA"}]}"#,
            "key 1: it is a private key, which nobody but the issuer is to have"
        ),
        (
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE","y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"}]}"#,
            "key 1: its numbers are no key for ES256"
        ),
        (
            #"{"keys":[{"kty":"RSA","n":"\#(String(repeating: "_", count: 171))w","e":"AQAB"}]}"#,
            "key 1: it has 1032 bits; RS256 needs 2048 at least"
        ),
    ])
    func `keys that cannot be used are named`(file: String, why: String) throws {
        try place.write(file, to: "jwks.json")
        let failure = #expect(throws: JSONWebKeySetFailure.self) { _ = try issuer() }
        #expect(failure?.why == why)
    }

    /// RFC 7515, appendices A.2 and A.3, and RFC 8037, appendix A.
    @Test(arguments: [
        (
            #"{"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}"#,
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        ),
        (
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
        (
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        ),
    ])
    func `the signatures of the standards are right, and those of a changed text wrong`(
        key: String, text: String, signature: String
    ) throws {
        let fields = try #require(Value(json: Array(key.utf8)[...])?.map)
        let key = try #require(try JSONWebKey(fields))
        let signature = try #require([UInt8](strictBase64URL: signature))
        #expect(key.verifies(signature, of: Array(text.utf8)))
        #expect(!key.verifies(signature, of: Array(text.utf8) + [0x41]))
        #expect(!key.verifies(Array(signature.dropLast()), of: Array(text.utf8)))
    }
}
