import CCrypto

/// HMAC-SHA256 (RFC 2104): the authentication code of a text.
enum HMACSHA256 {
    /// - Returns: 32 bytes.
    static func code(of content: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { code, count in
            HMAC(EVP_sha256(), key, Int32(key.count), content, content.count, code.baseAddress, nil)
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }
}
