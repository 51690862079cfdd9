import BelfryConfiguration
import BelfryModel
import CCrypto
import Foundation

/// What a browser gives to a server that may push to it (W3C Push API, `PushSubscription.toJSON()`).
struct PushSubscription: Sendable, Hashable {
    /// Where messages go, a secret: it may lead to the person.
    let endpoint: String
    /// The browser's key, 65 bytes.
    let key: [UInt8]
    /// 16 bytes that the browser and we alone know.
    let secret: [UInt8]

    /// - Parameter value: a mapping, or one as text in JSON.
    /// - Throws: what is wrong, as the end of a sentence.
    init(_ value: Value) throws(Fault) {
        let fields = value.map ?? value.text.flatMap { Value(json: Array($0.utf8)[...])?.map }
        guard let fields else { throw Fault("there is no subscription in the decision") }
        let keys = fields["keys"]?.map ?? [:]
        guard let endpoint = fields["endpoint"]?.text, Self.origin(of: endpoint) != nil else {
            throw Fault("its subscription has no endpoint, which is an https address")
        }
        guard let key = keys["p256dh"]?.text.flatMap({ [UInt8](base64URL: $0) }), let handle = P256Key.publicHandle(key)
        else { throw Fault("its subscription has no key on P-256 in keys.p256dh") }
        EVP_PKEY_free(handle)
        guard let secret = keys["auth"]?.text.flatMap({ [UInt8](base64URL: $0) }), secret.count == 16 else {
            throw Fault("its subscription has no 16 bytes in keys.auth")
        }
        (self.endpoint, self.key, self.secret) = (endpoint, key, secret)
    }

    struct Fault: Error, Equatable {
        let why: String

        init(_ why: String) { self.why = why }
    }

    /// Scheme, host and port of the push service (RFC 6454, section 6.2).
    var origin: String { Self.origin(of: endpoint) ?? "" }

    private static func origin(of address: String) -> String? {
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
            ["https", "http"].contains(scheme),
            let host = url.host(percentEncoded: true), !host.isEmpty
        else { return nil }
        let usual = scheme == "https" ? 443 : 80
        let port = url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
        // An address of version 6 comes without its brackets.
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(name.lowercased())\(port)"
    }
}
