import BelfryConfiguration
import BelfryModel
import CCrypto

/// A public key of the token issuer (RFC 7517). Which algorithm it is for follows from the key: a token has no say in that.
struct JSONWebKey: Sendable {
    enum Algorithm: String {
        case rs256 = "RS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"

        /// As a key or a token names it: RFC 9864 calls EdDSA by its curve, and there is one here.
        init?(named name: String) { self.init(rawValue: name == "Ed25519" ? Self.edDSA.rawValue : name) }
    }

    let id: String?
    let algorithm: Algorithm
    /// A SubjectPublicKeyInfo in DER: OpenSSL reads it for each token, so that no memory of its own is shared among threads.
    private let document: [UInt8]

    /// Why a key cannot be used.
    struct Fault: Error {
        let why: String
    }

    /// Nil for a key that is for something else, which a set may have besides.
    ///
    /// - Throws: `Fault`.
    init?(_ fields: Fields) throws {
        if fields["d"] != nil || fields["p"] != nil {
            throw Fault(why: "it is a private key, which nobody but the issuer is to have")
        }
        guard let algorithm = Self.algorithm(of: fields) else { return nil }
        id = fields["kid"]?.text
        self.algorithm = algorithm
        document = try Self.document(fields, algorithm)
        guard let bits = Self.withKey(document, { EVP_PKEY_get_bits($0) }) else {
            throw Fault(why: "its numbers are no key for \(algorithm.rawValue)")
        }
        // RFC 7518, section 3.3.
        if algorithm == .rs256, bits < 2048 { throw Fault(why: "it has \(bits) bits; RS256 needs 2048 at least") }
    }

    private static func algorithm(of fields: Fields) -> Algorithm? {
        let known: Algorithm? =
            switch (fields["kty"]?.text, fields["crv"]?.text) {
            case ("RSA", _): .rs256
            case ("EC", "P-256"): .es256
            case ("OKP", "Ed25519"): .edDSA
            default: nil
            }
        let isForSignatures = fields["use"].map { $0 == "sig" } ?? true
        let verifies = fields["key_ops"].map { $0.list?.contains("verify") ?? false } ?? true
        guard let known, isForSignatures, verifies else { return nil }
        return fields["alg"].map { Algorithm(named: $0.text ?? "") == known } ?? true ? known : nil
    }

    // MARK: What OpenSSL reads

    private static func document(_ fields: Fields, _ algorithm: Algorithm) throws -> [UInt8] {
        func part(_ name: String, _ count: Int? = nil) throws -> [UInt8] {
            guard let bytes = fields[name]?.text.flatMap({ [UInt8](strictBase64URL: $0) }), !bytes.isEmpty,
                count.map({ bytes.count == $0 }) ?? true
            else { throw Fault(why: "'\(name)' is missing, or no Base64 for URLs of the right length") }
            return bytes
        }
        switch algorithm {
        case .rs256:  // RFC 8017, appendix A.1
            return DER.sequence(
                rsa, DER.bits(DER.sequence(DER.integer(try part("n")), DER.integer(try part("e")))))
        case .es256:  // RFC 5480, section 2
            return DER.sequence(p256, DER.bits([4] + (try part("x", 32)) + (try part("y", 32))))
        case .edDSA:  // RFC 8410, section 4
            return DER.sequence(ed25519, DER.bits(try part("x", 32)))
        }
    }

    private static let rsa: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    private static let p256: [UInt8] = [
        0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
        0x03, 0x01, 0x07,
    ]
    private static let ed25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]

    /// Nil if OpenSSL finds no key in it, such as a point that is not on the curve.
    private static func withKey<Result>(_ document: [UInt8], _ body: (OpaquePointer) -> Result) -> Result? {
        // What is left in the queue of this thread would be taken for a failure of TLS.
        defer { ERR_clear_error() }
        let key = document.withUnsafeBufferPointer { document in
            var start = document.baseAddress
            return d2i_PUBKEY(nil, &start, document.count)
        }
        guard let key else { return nil }
        defer { EVP_PKEY_free(key) }
        return body(key)
    }

    // MARK: Signatures

    /// Whether a signature, in the form of RFC 7518 or RFC 8037, is that of this key.
    func verifies(_ signature: [UInt8], of text: [UInt8]) -> Bool {
        guard let signature = algorithm == .es256 ? Self.ecdsa(signature) : signature else { return false }
        let isRight = Self.withKey(document) { key in
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            // RSA's padding is that of PKCS #1, version 1.5, unless something else is said.
            return EVP_DigestVerifyInit(context, nil, algorithm == .edDSA ? nil : EVP_sha256(), nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
        }
        return isRight ?? false
    }

    /// Both numbers of ECDSA, side by side in a token (RFC 7518, section 3.4), as OpenSSL has them.
    private static func ecdsa(_ signature: [UInt8]) -> [UInt8]? {
        guard signature.count == 64 else { return nil }
        return DER.sequence(DER.integer(signature[..<32]), DER.integer(signature[32...]))
    }
}

extension [UInt8] {
    /// RFC 7515, section 2: without padding, and in the one way to write these bytes.
    init?(strictBase64URL text: some StringProtocol) {
        guard let bytes = [UInt8](base64URL: String(text)), bytes.base64URL == text else { return nil }
        self = bytes
    }
}
