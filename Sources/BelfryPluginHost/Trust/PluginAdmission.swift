import BelfryEngine
import BelfryModel
import Glibc

/// The one way from a file to code: opened once, hashed through that descriptor, compared with the lock, verified, and copied.
///
/// What was hashed is what is copied, and the copy is what is loaded. Every command and every process comes through here.
package struct PluginAdmission: Sendable {
    package let copies: PrivateCopies
    package let policy: TrustPolicy

    package init(copies: PrivateCopies, policy: TrustPolicy) {
        self.copies = copies
        self.policy = policy
    }

    /// A file that may be loaded, from its copy.
    struct Admitted {
        let path: String
        let copy: String
        let digest: SHA256Digest
        let signer: String?
        /// Of the lock.
        let entry: PluginLock.Entry?
        /// What would have kept it out, were the rules enforced.
        let doubt: PluginRefusal?
    }

    func admit(_ file: borrowing PluginFile) throws(PluginRefusal) -> Admitted {
        if policy.mode == .off || policy.isBundled(inFolder: file.folder) {
            let (copy, digest) = try copies.copy(of: file)
            return Admitted(path: file.path, copy: copy, digest: digest, signer: nil, entry: nil, doubt: nil)
        }
        let contents = try file.contents()
        let evidence = TrustPolicy.Evidence(
            path: file.path, digest: SHA256Digest(of: contents), signature: PluginFile.signature(of: file.path))
        let judgement = policy.judge(evidence)
        let refusal = judgement.objection.map { Self.refusal($0, evidence, judgement.entry) }
        if let refusal, policy.mode == .enforce { throw refusal }
        let copy = try copies.copy(of: contents, evidence.digest, for: file.path)
        let entry = refusal == nil ? judgement.entry : nil
        return Admitted(
            path: file.path, copy: copy, digest: evidence.digest, signer: judgement.signer, entry: entry, doubt: refusal
        )
    }

    private static func refusal(
        _ difference: PluginRefusal.Difference, _ evidence: TrustPolicy.Evidence, _ entry: PluginLock.Entry?
    ) -> PluginRefusal {
        var refusal = PluginRefusal(path: evidence.path, differences: [difference])
        refusal.id = entry?.id
        refusal.digest = "\(evidence.digest)"
        return refusal
    }

    /// What the plugin says of itself has to be what its entry says.
    func confirm(_ manifest: PluginManifest, of admitted: Admitted) throws(PluginRefusal) {
        guard let entry = admitted.entry else { return }
        if manifest.id != entry.id {
            throw Self.contradiction(
                admitted, entry, "it calls itself '\(manifest.id)'; \(policy.names.lock) lists it as '\(entry.id)'")
        }
        guard isOlder(manifest.version, than: entry.version) else { return }
        throw Self.contradiction(
            admitted, entry,
            "'\(entry.id)' in '\(admitted.path)' is of version \(manifest.version), which is older than "
                + "\(entry.version), which \(policy.names.lock) lists")
    }

    private static func contradiction(
        _ admitted: Admitted, _ entry: PluginLock.Entry, _ why: String
    ) -> PluginRefusal {
        var refusal = PluginRefusal(
            path: admitted.path, .downgraded, why: why,
            fix:
                "get the file that is meant, or, if you trust this one, list it anew: belfry plugins lock --allow-downgrade"
        )
        (refusal.id, refusal.digest) = (entry.id, "\(admitted.digest)")
        return refusal
    }
}

/// Whether one version is older than another; what is no semantic version is neither older nor newer.
package func isOlder(_ version: String, than other: String) -> Bool {
    guard let version = SemanticVersion(version), let other = SemanticVersion(other) else { return false }
    return version < other
}

extension PluginFile {
    /// What lies beside it as `NAME.so.sig`.
    static func signature(at path: String) -> TrustPolicy.Evidence.Signature {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return errno == ENOENT ? .none : .unreadable(lastSystemError()) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .unreadable("it is no regular file")
        }
        // One byte more than is taken, so that too long a file is seen to be too long.
        var bytes = [UInt8](repeating: 0, count: SSHSignature.mostBytes + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? .unreadable(lastSystemError()) : .bytes(Array(bytes.prefix(count)))
    }
}
