import BelfryConfiguration
import CCrypto

/// A key on the curve P-256, for agreements (ECDH) and signatures (ES256).
struct P256Key: Sendable {
    private let scalar: [UInt8]
    /// What others know of it: the point, uncompressed, 65 bytes.
    let point: [UInt8]

    init?(_ key: VapidKey) {
        guard let handle = Self.handle(key.bytes) else { return nil }
        defer { EVP_PKEY_free(handle) }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = EVP_PKEY_get1_encoded_public_key(handle, &bytes)
        defer { belfry_crypto_free(bytes) }
        guard count == Self.pointLength else { return nil }
        (scalar, point) = (key.bytes, Array(UnsafeBufferPointer(start: bytes, count: count)))
    }

    /// - Parameter generator: where 32 bytes come from.
    init(using generator: inout some RandomNumberGenerator) {
        while true {
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            if let key = VapidKey(bytes: bytes).flatMap(P256Key.init) {
                self = key
                return
            }
        }
    }

    private static let pointLength = 65

    // MARK: What libcrypto reads

    /// The name of the curve in DER.
    private static let curve: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// An ECPrivateKey (RFC 5915, section 3); the point is worked out.
    private static func handle(_ scalar: [UInt8]) -> OpaquePointer? {
        let document = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + scalar + [0xA0, 0x0A] + curve
        return document.withUnsafeBufferPointer { document in
            var start = document.baseAddress
            return d2i_PrivateKey(EVP_PKEY_EC, nil, &start, document.count)
        }
    }

    /// A SubjectPublicKeyInfo (RFC 5480, section 2); nil if the point is not on the curve.
    static func publicHandle(_ point: [UInt8]) -> OpaquePointer? {
        guard point.count == pointLength, point[0] == 4 else { return nil }
        let algorithm = [0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] + curve
        let document = [0x30, 0x59] + algorithm + [0x03, 0x42, 0x00] + point
        return document.withUnsafeBufferPointer { document in
            var start = document.baseAddress
            return d2i_PUBKEY(nil, &start, document.count)
        }
    }

    // MARK: What it does

    /// The secret shared with the holder of the other key, by its public point (ECDH): 32 bytes; nil if the point is not on the curve.
    func agree(with point: [UInt8]) -> [UInt8]? {
        let (own, other) = (Self.handle(scalar), Self.publicHandle(point))
        let context = EVP_PKEY_CTX_new(own, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            EVP_PKEY_free(other)
            EVP_PKEY_free(own)
        }
        var (secret, count) = ([UInt8](repeating: 0, count: 32), 32)
        guard other != nil, EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
            EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
        else { return nil }
        return secret
    }

    /// ES256 (RFC 7518, section 3.4): r and s, 32 bytes each.
    func signature(of text: [UInt8]) -> [UInt8]? {
        let (own, context) = (Self.handle(scalar), EVP_MD_CTX_new())
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(own)
        }
        var (document, count) = ([UInt8](repeating: 0, count: 80), 80)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, own) == 1,
            EVP_DigestSign(context, &document, &count, text, text.count) == 1
        else { return nil }
        return Self.numbers(of: Array(document.prefix(count)))
    }

    /// libcrypto makes a signature in DER.
    private static func numbers(of document: [UInt8]) -> [UInt8]? {
        let signature = document.withUnsafeBufferPointer { document in
            var start = document.baseAddress
            return d2i_ECDSA_SIG(nil, &start, document.count)
        }
        defer { ECDSA_SIG_free(signature) }
        var (r, s) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        guard let signature, BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, 32) == 32,
            BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, 32) == 32
        else { return nil }
        return r + s
    }
}
