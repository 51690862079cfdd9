import BelfryModel

/// What is kept of a token, and what a request is known by.
extension SHA256Digest {
    init(of secret: String) { self.init(of: Array(secret.utf8)) }

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
