import CCrypto

/// The content encoding `aes128gcm` (RFC 8188), in one record.
enum ContentEncoding {
    /// So large a record is at most, which is what every push service takes (RFC 8291, section 4).
    static let recordSize = 4096
    /// Behind the text: a delimiter, and what proves that it was not changed.
    private static let (delimiter, proofLength): (UInt8, Int) = (2, 16)

    /// So long a text may be.
    static func limit(keyID: [UInt8]) -> Int { recordSize - 21 - keyID.count - 1 - proofLength }

    /// - Parameters:
    ///   - secret: the input keying material.
    ///   - salt: 16 bytes, others each time.
    static func encode(_ text: [UInt8], secret: [UInt8], salt: [UInt8], keyID: [UInt8]) -> [UInt8]? {
        let size = withUnsafeBytes(of: UInt32(recordSize).bigEndian) { Array($0) }
        let head = salt + size + [UInt8(keyID.count)] + keyID
        let key = HKDF.derive(secret, salt: salt, info: "Content-Encoding: aes128gcm\0".utf8 + [], count: 16)
        let nonce = HKDF.derive(secret, salt: salt, info: "Content-Encoding: nonce\0".utf8 + [], count: 12)
        return seal(text + [delimiter], key: key, nonce: nonce).map { head + $0 }
    }

    /// AES-128-GCM: the cipher text, and its proof.
    private static func seal(_ text: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var (sealed, count) = ([UInt8](repeating: 0, count: text.count), Int32(0))
        var proof = [UInt8](repeating: 0, count: proofLength)
        guard EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, &sealed, &count, text, Int32(text.count)) == 1,
            EVP_EncryptFinal_ex(context, &proof, &count) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, Int32(proofLength), &proof) == 1
        else { return nil }
        return sealed + proof
    }
}

/// RFC 5869 with SHA-256, for at most 32 bytes.
enum HKDF {
    static func derive(_ secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        Array(HMACSHA256.code(of: info + [1], key: HMACSHA256.code(of: secret, key: salt)).prefix(count))
    }
}
