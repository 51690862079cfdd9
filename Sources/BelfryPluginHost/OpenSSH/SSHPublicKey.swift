import BelfryModel

/// An Ed25519 key as OpenSSH writes it (RFC 8709, section 4).
public struct SSHPublicKey: Hashable, Sendable {
    static let algorithm = "ssh-ed25519"

    let bytes: [UInt8]

    /// From the blob that Base64 wraps; nil for another algorithm, another length, or more behind it.
    init?(blob: [UInt8]) {
        var reader = WireReader(blob)
        guard reader.takesString(Self.algorithm), let bytes = reader.string(), bytes.count == Ed25519.keyLength,
            reader.isAtEnd
        else { return nil }
        self.bytes = bytes
    }

    var blob: [UInt8] {
        var writer = WireWriter()
        writer.string(Self.algorithm)
        writer.string(bytes)
        return writer.bytes
    }

    /// As in a `.pub` file, without a comment.
    public var text: String { "\(Self.algorithm) \(Base64.encode(blob))" }

    /// `SHA256:…`, as `ssh-keygen -l` shows it.
    public var fingerprint: String { "SHA256:" + Base64.encode(sha256(blob)).prefix { $0 != "=" } }
}
