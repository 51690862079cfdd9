import BelfryModel
import BelfryEngine
import Glibc

extension PluginScanner {
    /// What is to be signed of a file.
    ///
    /// Under a lock that is enforced nothing of the file runs: the entry with its digest says what it is, and for which platform.
    public func statement(of path: String) throws(PluginRefusal) -> PluginStatement {
        guard let file = try PluginFile(path: path, inside: nil) else {
            throw .noPlugin(path)
        }
        let policy = admission.policy
        guard policy.mode == .enforce, !policy.isBundled(inFolder: file.folder) else {
            return try scannedStatement(path)
        }
        let digest = SHA256Digest(of: try file.contents())
        let evidence = TrustPolicy.Evidence(path: path, digest: digest, signature: .none)
        guard let (entry, platform) = policy.listing(evidence) else {
            throw Self.notListed(evidence, policy)
        }
        return PluginStatement(entry, platform: platform, digest: "\(digest)")
    }

    /// What an entry says of another file is not to be signed of this one.
    private static func notListed(_ evidence: TrustPolicy.Evidence, _ policy: TrustPolicy) -> PluginRefusal {
        let lock = policy.names.lock
        let fix = "list it first: \(policy.names.lockCommand)"
        guard let entry = policy.lock?.entries.first(where: { $0.file == evidence.name }) else {
            return PluginRefusal(
                path: evidence.path, .notListed,
                why:
                    "\(lock) lists neither the digest \(evidence.digest) nor a file of that name, so nobody knows what it is",
                fix: fix)
        }
        return PluginRefusal(
            path: evidence.path, .modified,
            why: "\(lock) lists another file under that name, '\(entry.id)' \(entry.version); "
                + "this one has the digest \(evidence.digest)",
            fix: fix)
    }

    private func scannedStatement(_ path: String) throws(PluginRefusal) -> PluginStatement {
        let plugin = try scan(path: path)
        let manifest = try plugin.result.get()
        let statement = PluginStatement(
            id: manifest.id, version: manifest.version, abi: manifest.abi, platform: PluginStatement.platform,
            digest: plugin.digest ?? "")
        guard statement.text != nil else {
            throw PluginRefusal(
                path: path, .contradiction, why: "its id or its version has characters that cannot be seen",
                fix: "give it others")
        }
        return statement
    }
}

/// Signs what a plugin is, as `ssh-keygen -Y sign -n belfry-plugin@v1` does.
public struct PluginSigner {
    private let key: SSHPrivateKey
    public var publicKey: SSHPublicKey { key.publicKey }

    /// A key that cannot be signed with.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public let path: String
        public let why: String
        public let fix: String

        public var description: String { "cannot sign with the key '\(path)'\n  why: \(why)\n  fix: \(fix)" }
    }

    /// - Parameters:
    ///   - path: of an unencrypted Ed25519 key of OpenSSH.
    ///   - plugin: the file that is to be signed, for messages.
    public init(keyAt path: String, for plugin: String) throws(Failure) {
        let (text, mode) = try Self.read(path)
        do throws(SSHPrivateKey.Failure) {
            key = try SSHPrivateKey(text)
        } catch {
            throw Self.failure(error, path, plugin)
        }
        guard mode & 0o077 == 0 else {
            throw Failure(path: path, why: "others than its owner can reach it", fix: "chmod 600 '\(path)'")
        }
    }

    private static func failure(_ failure: SSHPrivateKey.Failure, _ path: String, _ plugin: String) -> Failure {
        switch failure {
        case .encrypted:
            Failure(
                path: path, why: "it is encrypted, and nobody is asked for a passphrase here",
                fix: "belfry plugins manifest '\(plugin)' | ssh-keygen -Y sign -n \(SSHSignature.namespace) "
                    + "-f '\(path)' > '\(plugin).sig'")
        case .unusable(let why):
            Failure(path: path, why: why, fix: "name a private key that 'ssh-keygen -t ed25519' has made")
        }
    }

    private static func read(_ path: String) throws(Failure) -> (bytes: [UInt8], mode: mode_t) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw Failure(path: path, why: lastSystemError(), fix: "name the file of a private key")
        }
        defer { close(descriptor) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(path: path, why: "it is no regular file", fix: "name the file of a private key")
        }
        var bytes = [UInt8](repeating: 0, count: SSHPrivateKey.mostBytes + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else {
            throw Failure(path: path, why: lastSystemError(), fix: "name the file of a private key")
        }
        return (Array(bytes.prefix(count)), status.st_mode)
    }

    /// The text of a `.sig` file; nil only where libcrypto fails.
    public func sign(_ statement: PluginStatement) -> String? {
        statement.text.flatMap { SSHSignature.armored(Array($0.utf8), by: key) }
    }
}
