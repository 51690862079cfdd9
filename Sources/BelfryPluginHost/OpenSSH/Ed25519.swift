import CCrypto

/// Ed25519 of RFC 8032, by the system's libcrypto.
enum Ed25519 {
    static let keyLength = 32
    static let signatureLength = 64

    static func isValid(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        guard key.count == keyLength, signature.count == signatureLength,
            let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count)
        else { return false }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Nil only where libcrypto fails.
    static func sign(_ message: [UInt8], with seed: [UInt8]) -> [UInt8]? {
        guard seed.count == keyLength,
            let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        else { return nil }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: signatureLength)
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1, length == signatureLength
        else { return nil }
        return signature
    }

    static func publicKey(of seed: [UInt8]) -> [UInt8]? {
        guard seed.count == keyLength,
            let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        else { return nil }
        defer { EVP_PKEY_free(key) }
        var bytes = [UInt8](repeating: 0, count: keyLength)
        var length = bytes.count
        return EVP_PKEY_get_raw_public_key(key, &bytes, &length) == 1 && length == keyLength ? bytes : nil
    }
}
