/// A detached signature of OpenSSH, as `ssh-keygen -Y sign` writes it (openssh, PROTOCOL.sshsig).
///
///     byte[6]  "SSHSIG"
///     uint32   1
///     string   public key
///     string   namespace
///     string   reserved, empty
///     string   hash algorithm: "sha256" or "sha512"
///     string   signature: string "ssh-ed25519", string of 64 bytes
///
/// What is signed is `SSHSIG`, namespace, reserved, hash algorithm and the hash of the message.
struct SSHSignature: Hashable, Sendable {
    static let namespace = "belfry-plugin@v1"
    /// A signature by Ed25519 has some 300 bytes.
    static let mostBytes = 8192

    let key: SSHPublicKey
    private let hash: Hash
    private let bytes: [UInt8]

    private enum Hash: String, CaseIterable {
        case sha256, sha512

        func callAsFunction(_ message: [UInt8]) -> [UInt8] {
            self == .sha256 ? BelfryPluginHost.sha256(message) : BelfryPluginHost.sha512(message)
        }
    }

    /// What is wrong with a file that should be a signature: one phrase.
    struct Damage: Error, Equatable { let why: String }

    init(armored text: [UInt8]) throws(Damage) {
        guard text.count <= Self.mostBytes else { throw Damage(why: "it has more than \(Self.mostBytes) bytes") }
        var reader = WireReader(try Armor.signature.open(text))
        guard reader.takes("SSHSIG".utf8), reader.uint32() == 1 else {
            throw Damage(why: "it is no SSHSIG of version 1")
        }
        guard let key = reader.string(), let namespace = reader.string(), let reserved = reader.string(),
            let hash = reader.string(), let signature = reader.string()
        else { throw Damage(why: "it is cut short") }
        guard reader.isAtEnd else { throw Damage(why: "there is more behind its end") }
        guard namespace == Array(Self.namespace.utf8) else {
            throw Damage(why: "its namespace is '\(Self.shown(namespace))', expected '\(Self.namespace)'")
        }
        guard reserved.isEmpty else { throw Damage(why: "its reserved field is not empty") }
        guard let hash = Hash(rawValue: String(decoding: hash, as: UTF8.self)) else {
            throw Damage(why: "its hash is '\(Self.shown(hash))', expected sha256 or sha512")
        }
        self.key = try Self.key(key)
        self.hash = hash
        bytes = try Self.signature(signature)
    }

    private static func key(_ blob: [UInt8]) throws(Damage) -> SSHPublicKey {
        if let key = SSHPublicKey(blob: blob) { return key }
        var reader = WireReader(blob)
        throw Damage(why: "its key is of the algorithm '\(shown(reader.string() ?? []))', expected ssh-ed25519")
    }

    private static func signature(_ blob: [UInt8]) throws(Damage) -> [UInt8] {
        var reader = WireReader(blob)
        guard reader.takesString(SSHPublicKey.algorithm) else {
            throw Damage(why: "its signature is of another algorithm than ssh-ed25519")
        }
        guard let bytes = reader.string(), bytes.count == Ed25519.signatureLength, reader.isAtEnd else {
            throw Damage(why: "its signature has not the length of one by Ed25519")
        }
        return bytes
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(40), as: UTF8.self).filter { $0.isASCII && !$0.isNewline && $0 >= " " }
    }

    /// Whether the owner of `key` has signed the message.
    func isValid(for message: [UInt8]) -> Bool {
        Ed25519.isValid(bytes, of: Self.signed(message, hash), by: key.bytes)
    }

    // MARK: Making one

    /// Signs as ssh-keygen does; nil only where libcrypto fails.
    static func armored(_ message: [UInt8], by key: SSHPrivateKey) -> String? {
        guard let bytes = Ed25519.sign(signed(message, .sha512), with: key.seed) else { return nil }
        var signature = WireWriter()
        signature.string(SSHPublicKey.algorithm)
        signature.string(bytes)
        var writer = WireWriter()
        writer.raw("SSHSIG".utf8)
        writer.uint32(1)
        writer.string(key.publicKey.blob)
        writer.string(namespace)
        writer.string("")
        writer.string(Hash.sha512.rawValue)
        writer.string(signature.bytes)
        return Armor.signature.close(writer.bytes)
    }

    private static func signed(_ message: [UInt8], _ hash: Hash) -> [UInt8] {
        var writer = WireWriter()
        writer.raw("SSHSIG".utf8)
        writer.string(namespace)
        writer.string("")
        writer.string(hash.rawValue)
        writer.string(hash(message))
        return writer.bytes
    }
}
