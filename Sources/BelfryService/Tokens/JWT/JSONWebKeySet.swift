import BelfryModel
import Foundation

/// The keys of an issuer, from a file in JSON (RFC 7517, section 5).
struct JSONWebKeySet: Sendable {
    let keys: [JSONWebKey]

    /// - Throws: `JSONWebKeySetFailure`.
    init(path: String) throws {
        func failure(_ why: String, _ fix: String) -> JSONWebKeySetFailure {
            JSONWebKeySetFailure(path: path, why: why, fix: fix)
        }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw failure("it is not there, or cannot be read", "get it from the issuer: its 'jwks_uri' names it")
        }
        guard let list = Value(json: Array(content)[...])?.map?["keys"]?.list else {
            throw failure("there is no list 'keys' in it", "get it from the issuer: its 'jwks_uri' names it")
        }
        keys = try list.enumerated().compactMap { index, key in
            do {
                return try JSONWebKey(key.map ?? [:])
            } catch let fault as JSONWebKey.Fault {
                throw failure("key \(index + 1): \(fault.why)", "take it out, or get the file from the issuer anew")
            }
        }
        if keys.isEmpty {
            throw failure(
                "none of its \(list.count) keys is for signatures by RS256, ES256 or EdDSA with Ed25519",
                "have the issuer sign with one of these")
        }
    }

    /// Those that may have signed a token.
    func keys(for algorithm: JSONWebKey.Algorithm, id: String?) -> [JSONWebKey] {
        keys.filter { $0.algorithm == algorithm && (id == nil || $0.id == id) }
    }
}

/// Why the keys of an issuer cannot be used.
public struct JSONWebKeySetFailure: Error, CustomStringConvertible {
    let path: String
    let why: String
    let fix: String

    public var description: String { "cannot use the keys in '\(path)'\n  why: \(why)\n  fix: \(fix)" }
}
