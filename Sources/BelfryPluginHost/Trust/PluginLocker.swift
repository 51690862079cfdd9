import BelfryEngine
import BelfryModel

/// Writes what is there into a lock: `belfry plugins lock`.
///
/// An older version than was locked, another signer, or none where there was one, needs a word of the operator. A new file may
/// be listed before it is signed: its entry goes on to demand the former signer, so it does not load until then.
public struct PluginLocker {
    private let policy: TrustPolicy
    private let allowsDowngrade: Bool

    /// What a lock becomes.
    public struct Outcome: Sendable {
        public var lock: PluginLock
        /// Whether it says something else than before.
        public var isChanged: Bool { changes.contains { !$0.hasPrefix("same: ") } }
        /// A line for each plugin, for people: what has become of it.
        public var changes: [String] = []
        /// What does not hinder, and should be known.
        public var warnings: [String] = []
    }

    /// - Parameters:
    ///   - policy: the lock as it was, and who may sign.
    ///   - allowsDowngrade: the word of the operator.
    public init(_ policy: TrustPolicy, allowsDowngrade: Bool) {
        self.policy = policy
        self.allowsDowngrade = allowsDowngrade
    }

    /// By these rules plugins are looked at before they are locked: all of them, and read anew.
    public static func looking(by policy: TrustPolicy) -> TrustPolicy {
        TrustPolicy(
            mode: .warn, lock: nil, signers: policy.signers, names: policy.names, bundled: policy.bundled,
            time: policy.time)
    }

    /// The lock with all plugins that were found.
    public func lock(_ catalog: PluginCatalog) throws(PluginLockRefusal) -> Outcome {
        var outcome = Outcome(lock: policy.lock ?? PluginLock())
        var refusals: [PluginRefusal] = []
        for plugin in catalog.plugins {
            do throws(PluginRefusal) {
                try enter(plugin, into: &outcome)
            } catch {
                refusals.append(error)
            }
        }
        guard refusals.isEmpty else { throw PluginLockRefusal(refusals: refusals) }
        outcome.lock.entries.sort { $0.id < $1.id }
        let found = catalog.manifests.map(\.id)
        for entry in outcome.lock.entries where !found.contains(entry.id) {
            outcome.warnings.append(
                "'\(entry.id)' is kept in the lock, and there is no file of it; take it out by hand")
        }
        return outcome
    }

    private func enter(_ plugin: ScannedPlugin, into outcome: inout Outcome) throws(PluginRefusal) {
        guard let manifest = plugin.manifest, let digest = plugin.digest else {
            if let refusal = plugin.refusal { outcome.warnings.append("it is not locked: \(refusal)") }
            return
        }
        let former = policy.lock?[manifest.id]
        var entry = PluginLock.Entry(
            id: manifest.id, file: fileName(of: plugin.path), version: manifest.version, abi: manifest.abi,
            digests: [PluginStatement.platform: digest])
        try checkVersion(of: plugin, entry, former)
        let signer = try takeSigner(of: plugin.path, into: &entry, PluginStatement.platform, former, &outcome)
        if let former, former.version == entry.version {
            entry.digests.merge(former.digests) { own, _ in own }
        } else if let gone = former?.digests.keys.filter({ $0 != PluginStatement.platform }).sorted(), !gone.isEmpty {
            outcome.warnings.append(
                "'\(entry.id)' \(entry.version) has no digest for \(gone.joined(separator: ", ")) yet: "
                    + "\(policy.names.lockCommand) --platform \(gone[0]) --file FILE")
        }
        outcome.put(entry, signedBy: signer, insteadOf: former, PluginStatement.platform)
    }

    private func checkVersion(
        of plugin: ScannedPlugin, _ entry: PluginLock.Entry, _ former: PluginLock.Entry?
    ) throws(PluginRefusal) {
        guard PluginStatement(entry, platform: "", digest: "").isNamed else {
            throw PluginRefusal(
                path: plugin.path, .contradiction, why: "its id or its version has characters that cannot be seen",
                fix: "have its author give it others")
        }
        guard !allowsDowngrade, let former, former.version != entry.version else { return }
        let isOrdered = SemanticVersion(entry.version) != nil && SemanticVersion(former.version) != nil
        guard !isOrdered || isOlder(entry.version, than: former.version) else { return }
        let relation = isOrdered ? "is older than" : "cannot be compared with"
        throw refusal(
            plugin.path, entry,
            "'\(entry.id)' \(entry.version) \(relation) \(former.version), which \(policy.names.lock) lists")
    }

    /// Has an entry demand the signer of its file, or the former one, whose signature of a new file is to come.
    ///
    /// - Returns: who has signed it; nil if no known signer has.
    private func takeSigner(
        of path: String, into entry: inout PluginLock.Entry, _ platform: String, _ former: PluginLock.Entry?,
        _ outcome: inout Outcome
    ) throws(PluginRefusal) -> String? {
        let (signer, objection) = signer(of: path, entry, platform, named: former?.signer)
        entry.signer = signer
        if !allowsDowngrade, let wanted = former?.signer, wanted != signer {
            if let signer {
                throw refusal(path, entry, "'\(entry.id)' was signed by '\(wanted)', and now is by '\(signer)'")
            }
            guard policy.signers != nil, former?.digests[platform] != entry.digests[platform] else {
                throw refusal(
                    path, entry, "'\(entry.id)' is to be signed by '\(wanted)', and is not: \(objection?.why ?? "")",
                    fix: objection?.fix)
            }
            entry.signer = wanted
        }
        if let objection, policy.signers != nil, !policy.isBundled(inFolder: PluginFile.folder(ofFile: path)) {
            let until = entry.signer.map { " until '\($0)' has signed it" } ?? ""
            outcome.warnings.append(
                "'\(entry.id)' \(entry.version) will not load\(until)\n  why: \(objection.why)\n  fix: \(objection.fix)"
            )
        }
        return signer
    }

    /// Who has signed a file, or why no known signer has.
    ///
    /// - Parameter wanted: the name to give if the key has several.
    private func signer(
        of path: String, _ entry: PluginLock.Entry, _ platform: String, named wanted: String?
    ) -> (name: String?, objection: PluginRefusal.Difference?) {
        let digest = entry.digests[platform] ?? ""
        guard let signers = policy.signers, let evidence = PluginFile.evidence(path, digest: digest) else {
            let objection = PluginRefusal.Difference(
                .unknownSigner, why: "nobody may sign: the configuration has no 'trust: { signers: FILE }'",
                fix: "name those who may in the configuration: trust: { signers: allowed_signers }")
            return (nil, objection)
        }
        let statement = PluginStatement(entry, platform: platform, digest: digest)
        do throws(PluginRefusal.Difference) {
            return (try policy.verify(evidence, statement, by: signers, named: wanted), nil)
        } catch {
            return (nil, error)
        }
    }

    /// - Parameter fix: what to do where that is not meant.
    private func refusal(
        _ path: String, _ entry: PluginLock.Entry, _ why: String, fix: String? = nil
    ) -> PluginRefusal {
        let allow = "if that is meant: \(policy.names.lockCommand) --allow-downgrade"
        var refusal = PluginRefusal(
            path: path, .downgraded, why: why, fix: fix.map { "\($0); or, \(allow)" } ?? allow)
        refusal.id = entry.id
        return refusal
    }

    // MARK: Other platforms

    /// The lock with the digest of a file for another platform, whose code does not run here: its entry is that of its name.
    public func adding(_ path: String, for platform: String) throws(PluginLockRefusal) -> Outcome {
        do throws(PluginRefusal) {
            return try entered(path, platform)
        } catch {
            throw PluginLockRefusal(refusals: [error])
        }
    }

    private func entered(_ path: String, _ platform: String) throws(PluginRefusal) -> Outcome {
        guard let file = try PluginFile(path: path, inside: nil) else {
            throw .noPlugin(path)
        }
        let digest = SHA256Digest(of: try file.contents())
        let name = fileName(of: path)
        let entries = policy.lock?.entries ?? []
        guard
            let former = entries.first(where: { $0.digests[platform] == "\(digest)" })
                ?? entries.first(where: { $0.file == name })
        else {
            throw PluginRefusal(
                path: path, .notListed,
                why:
                    "\(policy.names.lock) has no entry with the file '\(name)', and what it is cannot be found out here",
                fix: "lock the file for this platform first: \(policy.names.lockCommand)")
        }
        var outcome = Outcome(lock: policy.lock ?? PluginLock())
        var entry = former
        entry.digests[platform] = "\(digest)"
        let signer = try takeSigner(of: path, into: &entry, platform, former, &outcome)
        if file.isForeign(to: platform) {
            outcome.warnings.append("'\(name)' was not built for \(platform), as it seems")
        }
        outcome.put(entry, signedBy: signer, insteadOf: former, platform)
        outcome.lock.entries.sort { $0.id < $1.id }
        return outcome
    }
}

/// A lock that is not written: everything that stands against it.
public struct PluginLockRefusal: Error, CustomStringConvertible {
    public let refusals: [PluginRefusal]

    public var description: String {
        refusals.map { refusal in
            let lines = refusal.description.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            return (["cannot lock plugin '\(fileName(of: refusal.path))'"] + lines).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}

extension PluginLocker.Outcome {
    fileprivate mutating func put(
        _ entry: PluginLock.Entry, signedBy signer: String?, insteadOf former: PluginLock.Entry?, _ platform: String
    ) {
        lock.entries.removeAll { $0.id == entry.id }
        lock.entries.append(entry)
        let what =
            switch former {
            case entry?: "same"
            case nil: "added"
            default: "changed"
            }
        let version = former.map { $0.version == entry.version ? "" : "\($0.version) → " } ?? ""
        let signature = entry.signer.map { ", \(signer == nil ? "to be " : "")signed by '\($0)'" } ?? ""
        changes.append(
            "\(what): \(entry.id) \(version)\(entry.version), \(entry.file), \(platform) \(entry.digests[platform] ?? "")\(signature)"
        )
    }
}

extension PluginStatement {
    /// Whether id and version are texts of one line.
    fileprivate var isNamed: Bool {
        PluginStatement(id: id, version: version, abi: abi, platform: "-", digest: "-").text != nil
    }
}

extension PluginFile {
    /// A file whose digest is known, with what lies beside it.
    static func evidence(_ path: String, digest: String) -> TrustPolicy.Evidence? {
        guard let digest = SHA256Digest(text: digest) else { return nil }
        return TrustPolicy.Evidence(path: path, digest: digest, signature: signature(of: path))
    }

    /// Its signature: beside the file as it was found, or beside what a link leads to.
    static func signature(of path: String) -> TrustPolicy.Evidence.Signature {
        let found = signature(at: path + ".sig")
        guard case .none = found, let real = realPath(path) else { return found }
        return signature(at: real + ".sig")
    }

    func isForeign(to platform: String) -> Bool {
        switch kind {
        case .plugin: platform != PluginStatement.platform
        case .otherMachine: platform == PluginStatement.platform
        default: true
        }
    }
}
