import CCrypto

/// What proves that somebody who has the key has made a text (RFC 2104, with SHA-256).
enum HMACSHA256 {
    /// - Returns: 32 bytes.
    static func code(of content: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { code, count in
            HMAC(EVP_sha256(), key, Int32(key.count), content, content.count, code.baseAddress, nil)
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }
}
