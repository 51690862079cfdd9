import CCrypto

/// SHA-256 of the contents of a file, written as `sha256:` and 64 lower-case hexadecimal digits.
public struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
    /// The 64 digits.
    public let digits: String

    package init(of contents: [UInt8]) { digits = hexadecimal(sha256(contents)) }

    /// Nil if these are not 64 such digits.
    init?(digits: some StringProtocol) {
        guard digits.utf8.count == 64,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.digits = String(digits)
    }

    public var description: String { "sha256:" + digits }
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

private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
