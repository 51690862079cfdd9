import CCrypto
import Glibc

/// SHA-256: what is kept of a token, and what a request is known by.
struct SHA256Digest: Hashable, Sendable {
    private let bytes: [UInt8]

    init(of secret: String) { self.init(of: Array(secret.utf8)) }

    init(of content: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(content, content.count, &digest)
        bytes = digest
    }

    /// Nil unless it is `sha256:` and 64 lower-case hexadecimal digits.
    init?(text: String) {
        let digits = text.dropFirst("sha256:".count)
        guard text.hasPrefix("sha256:"), digits.utf8.count == 64, digits.allSatisfy({ "0123456789abcdef".contains($0) })
        else { return nil }
        let values = Array(digits.utf8).map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x61 + 10 }
        bytes = stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    var text: String { "sha256:" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    /// Takes the same time wherever they differ.
    func matches(_ other: SHA256Digest) -> Bool {
        zip(bytes, other.bytes).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// A new secret: 32 bytes of the system's randomness, in letters and digits that need no quoting.
func newSecret() -> String {
    var random = SystemRandomNumberGenerator()
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return "bf_" + String((0..<43).map { _ in alphabet[Int(random.next(upperBound: UInt64(alphabet.count)))] })
}
