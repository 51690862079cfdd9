/// An unencrypted Ed25519 key as `ssh-keygen -t ed25519` writes it (openssh, PROTOCOL.key).
public struct SSHPrivateKey: Sendable {
    let seed: [UInt8]
    public let publicKey: SSHPublicKey

    /// What is wrong with a file that should be such a key.
    public enum Failure: Error, Equatable {
        case encrypted
        /// One phrase.
        case unusable(String)
    }

    static let mostBytes = 65_536

    init(_ text: [UInt8]) throws(Failure) {
        guard text.count <= Self.mostBytes else { throw .unusable("it has more than \(Self.mostBytes) bytes") }
        var reader = WireReader(try Self.opened(text))
        guard reader.takes("openssh-key-v1\u{0}".utf8), let cipher = reader.string(), let kdf = reader.string(),
            reader.string() != nil, let count = reader.uint32(), let blob = reader.string(),
            let secret = reader.string(), reader.isAtEnd
        else { throw .unusable("it is cut short, or there is more behind its end") }
        guard cipher == Array("none".utf8), kdf == Array("none".utf8) else { throw .encrypted }
        guard count == 1 else { throw .unusable("it holds \(count) keys, expected one") }
        guard let publicKey = SSHPublicKey(blob: blob) else {
            throw .unusable("it is of another algorithm than ssh-ed25519")
        }
        guard let seed = Self.seed(secret, publicKey) else {
            throw .unusable("its secret part does not fit its public part")
        }
        (self.seed, self.publicKey) = (seed, publicKey)
    }

    private static func opened(_ text: [UInt8]) throws(Failure) -> [UInt8] {
        do throws(SSHSignature.Damage) {
            return try Armor.privateKey.open(text)
        } catch {
            throw .unusable(error.why)
        }
    }

    private static func seed(_ bytes: [UInt8], _ key: SSHPublicKey) -> [UInt8]? {
        var reader = WireReader(bytes)
        guard bytes.count % 8 == 0, let check = reader.uint32(), reader.uint32() == check,
            reader.takesString(SSHPublicKey.algorithm), reader.string() == key.bytes, let both = reader.string(),
            both.count == 2 * Ed25519.keyLength, reader.string() != nil
        else { return nil }
        let padding = reader.remainder
        let seed = Array(both.prefix(Ed25519.keyLength))
        guard padding.count < 8, padding.elementsEqual((0..<padding.count).map { UInt8($0 + 1) }),
            Array(both.suffix(Ed25519.keyLength)) == key.bytes, Ed25519.publicKey(of: seed) == key.bytes
        else { return nil }
        return seed
    }
}
