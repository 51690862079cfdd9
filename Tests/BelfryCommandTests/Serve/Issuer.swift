import BelfryConfiguration
import BelfryModel
import Foundation
import Testing

/// An identity provider whose keys and signatures are made by the `openssl` command.
struct Issuer {
    enum Kind: String, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"

        fileprivate var options: [String] {
            switch self {
            case .rs256: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .es256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .edDSA: ["-algorithm", "ED25519"]
            }
        }
    }

    let place: Workplace
    let kind: Kind
    let id: String

    /// Makes a key.
    init(_ kind: Kind, id: String, in place: Workplace) throws {
        (self.kind, self.id, self.place) = (kind, id, place)
        _ = try openssl(["genpkey", "-out", key] + kind.options)
    }

    private var key: String { "\(id).pem" }

    /// The public key, as JSON.
    var jwk: Value {
        get throws {
            let document = Array(try openssl(["pkey", "-in", key, "-pubout", "-outform", "DER"]))
            var fields: Fields = ["kid": .text(id)]
            switch kind {
            case .rs256:
                // The modulus is before its exponent: 2 bytes of head, and 65537 in three.
                let modulus = Array(document.dropLast(5).suffix(256))
                fields["kty"] = "RSA"
                (fields["n"], fields["e"]) = (.text(modulus.base64URL), "AQAB")
            case .es256:
                (fields["kty"], fields["crv"]) = ("EC", "P-256")
                fields["x"] = .text(Array(document.suffix(64).prefix(32)).base64URL)
                fields["y"] = .text(Array(document.suffix(32)).base64URL)
            case .edDSA:
                (fields["kty"], fields["crv"]) = ("OKP", "Ed25519")
                fields["x"] = .text(Array(document.suffix(32)).base64URL)
            }
            return .map(fields)
        }
    }

    /// Claims that are right for an hour, changed by others; null takes one out.
    func token(_ changes: Fields = [:], header: Fields = [:]) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var claims: Fields = [
            "iss": "https://id.example.org", "aud": "belfry", "sub": "ana", "role": "read", "exp": .integer(now + 3600),
        ]
        for change in changes.entries { claims[change.key] = change.value.isNull ? nil : change.value }
        var fields: Fields = ["alg": .text(kind.rawValue), "kid": .text(id), "typ": "JWT"]
        for change in header.entries { fields[change.key] = change.value.isNull ? nil : change.value }
        return try sign([fields, claims].map { Array(Value.map($0).json.utf8).base64URL }.joined(separator: "."))
    }

    func sign(_ text: String) throws -> String {
        try place.write(text, to: "text")
        let signed =
            kind == .edDSA
            ? try openssl(["pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", "text"])
            : try openssl(["dgst", "-sha256", "-sign", key, "text"])
        let signature = kind == .es256 ? Self.numbers(Array(signed)) : Array(signed)
        return "\(text).\(signature.base64URL)"
    }

    /// Both numbers of a signature in DER, 32 bytes each.
    private static func numbers(_ document: [UInt8]) -> [UInt8] {
        let first = Int(document[3])
        let parts = [document[4..<(4 + first)], document[(6 + first)...]]
        return parts.flatMap { part in
            let digits = part.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }

    private func openssl(_ arguments: [String]) throws -> Data {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = place.url
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments)")
        return data
    }
}
