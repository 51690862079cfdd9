import BelfryModel
import CCrypto

extension SHA256Digest {
    package init(of contents: [UInt8]) { self.init(bytes: sha256(contents)) }
}

func sha256(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
        SHA256(bytes, bytes.count, digest.baseAddress)
        count = Int(SHA256_DIGEST_LENGTH)
    }
}

func sha512(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(SHA512_DIGEST_LENGTH)) { digest, count in
        SHA512(bytes, bytes.count, digest.baseAddress)
        count = Int(SHA512_DIGEST_LENGTH)
    }
}
