import BelfryModel
import BelfryEngine

/// Which plugin files may be loaded, and by whose signature: what a configuration and the lock beside it say.
///
/// It decides by the digest of a file, before anything of the file runs.
public struct TrustPolicy: Sendable {
    public typealias Mode = Configuration.Trust.Mode

    public let mode: Mode
    /// Nil: nothing is listed.
    public let lock: PluginLock?
    /// Nil: no signature is demanded.
    public let signers: AllowedSigners?
    /// What its files are called in messages.
    public let names: Names
    /// Files in this folder are trusted with the executable that lies there too.
    let bundled: String?
    /// In seconds since 1970: what signatures have to be valid at.
    let time: Int64

    public struct Names: Sendable {
        public var lock: String
        public var signers: String
        /// `belfry plugins lock` with what it needs.
        public var lockCommand: String

        public init(lock: String, signers: String = "allowed_signers", lockCommand: String) {
            self.lock = lock
            self.signers = signers
            self.lockCommand = lockCommand
        }
    }

    /// - Parameter bundled: the folder of the executable.
    public init(
        mode: Mode, lock: PluginLock?, signers: AllowedSigners?, names: Names, bundled: String?, time: Int64
    ) {
        self.mode = mode
        self.lock = lock
        self.signers = signers
        self.names = names
        self.bundled = bundled.flatMap(realPath)
        self.time = time
    }

    /// Every file may be loaded: there is no lock.
    public static let open = TrustPolicy(
        mode: .off, lock: nil, signers: nil, names: Names(lock: "belfry.lock", lockCommand: "belfry plugins lock"),
        bundled: nil, time: 0)

    func isBundled(inFolder folder: String) -> Bool { folder == bundled }
}

extension TrustPolicy {
    /// A file before anything of it has run.
    struct Evidence {
        let path: String
        let digest: SHA256Digest
        let signature: Signature

        enum Signature {
            case none
            case unreadable(String)
            case bytes([UInt8])
        }

        var name: String { fileName(of: path) }
    }

    /// What stands for, and against, a file.
    struct Judgement {
        /// Of the lock; by the digest if that is listed, else by the name of the file.
        var entry: PluginLock.Entry?
        var signer: String?
        /// Why it may not be loaded.
        var objection: PluginRefusal.Difference?
    }

    func judge(_ evidence: Evidence) -> Judgement {
        guard let entry = listed(evidence) else {
            let named = lock?.entries.first { $0.file == evidence.name }
            return Judgement(entry: named, objection: notListed(evidence, instead: named))
        }
        var judgement = Judgement(entry: entry)
        do throws(PluginRefusal.Difference) {
            judgement.signer = try signer(of: evidence, entry)
        } catch {
            judgement.objection = error
        }
        return judgement
    }

    /// The entry that has the digest; of several the one that has the name too.
    func listed(_ evidence: Evidence) -> PluginLock.Entry? {
        let entries = lock?.entries.filter { $0.digests[PluginStatement.platform] == "\(evidence.digest)" } ?? []
        return entries.first { $0.file == evidence.name } ?? entries.first
    }

    /// The same with the platform that it has the digest for; a file of another platform is found too.
    func listing(_ evidence: Evidence) -> (entry: PluginLock.Entry, platform: String)? {
        if let entry = listed(evidence) { return (entry, PluginStatement.platform) }
        for entry in lock?.entries ?? [] {
            let platforms = entry.digests.filter { $0.value == "\(evidence.digest)" }.keys
            if let platform = platforms.min() { return (entry, platform) }
        }
        return nil
    }

    private func notListed(_ evidence: Evidence, instead entry: PluginLock.Entry?) -> PluginRefusal.Difference {
        let found = "'\(evidence.path)' has the digest \(evidence.digest)"
        guard let entry, let expected = entry.digests[PluginStatement.platform] else {
            return PluginRefusal.Difference(
                .notListed, why: "\(found); \(names.lock) lists no file with it, expected none of that name",
                fix: "if you trust it, list it: \(names.lockCommand)")
        }
        return PluginRefusal.Difference(
            .modified, why: "\(found); for '\(entry.id)' \(names.lock) lists \(expected)",
            fix: "put back the file that is listed, or, if you trust this one, list it: \(names.lockCommand)")
    }

    // MARK: Signatures

    private func signer(
        of evidence: Evidence, _ entry: PluginLock.Entry
    ) throws(PluginRefusal.Difference) -> String? {
        guard let signers else {
            guard let wanted = entry.signer else { return nil }
            throw PluginRefusal.Difference(
                .unknownSigner,
                why: "\(names.lock) demands the signature of '\(wanted)' for '\(entry.id)', and nobody may sign",
                fix: "name those who may in the configuration: trust: { signers: allowed_signers }")
        }
        let statement = PluginStatement(entry, platform: PluginStatement.platform, digest: "\(evidence.digest)")
        let signer = try verify(evidence, statement, by: signers, named: entry.signer)
        guard let wanted = entry.signer, wanted != signer else { return signer }
        throw PluginRefusal.Difference(
            .wrongSigner, why: "'\(entry.id)' is signed by '\(signer)'; \(names.lock) lists the signer '\(wanted)'",
            fix:
                "get the file that '\(wanted)' signed, or, if you trust '\(signer)', \(names.lockCommand) --allow-downgrade"
        )
    }

    /// Who has signed the statement about a file.
    ///
    /// - Parameter wanted: the name to give if the key has several.
    func verify(
        _ evidence: Evidence, _ statement: PluginStatement, by signers: AllowedSigners, named wanted: String?
    ) throws(PluginRefusal.Difference) -> String {
        let signature = try readSignature(evidence, statement.id)
        guard let text = statement.text, signature.isValid(for: Array(text.utf8)) else {
            throw PluginRefusal.Difference(
                .badSignature,
                why: "the signature '\(evidence.name).sig' is not one of '\(statement.id)' \(statement.version) for "
                    + "\(statement.platform) with the digest \(statement.digest)",
                fix:
                    "get the file and its signature again, or sign it: belfry plugins sign '\(evidence.path)' --key KEY"
            )
        }
        do throws(AllowedSigners.Objection) {
            return try signers.signer(with: signature.key, for: statement.id, named: wanted, at: time)
        } catch {
            throw refusal(error, signature.key, statement.id)
        }
    }

    private func readSignature(
        _ evidence: Evidence, _ id: String
    ) throws(PluginRefusal.Difference) -> SSHSignature {
        switch evidence.signature {
        case .none:
            throw PluginRefusal.Difference(
                .unsigned, why: "'\(id)' is not signed: there is no '\(evidence.name).sig' beside it",
                fix: "get its signature, or sign it: belfry plugins sign '\(evidence.path)' --key KEY")
        case .unreadable(let why):
            throw PluginRefusal.Difference(
                .badSignature, why: "the signature '\(evidence.name).sig' of '\(id)' cannot be read: \(why)",
                fix: "correct its permissions, or get it again")
        case .bytes(let bytes):
            do throws(SSHSignature.Damage) {
                return try SSHSignature(armored: bytes)
            } catch {
                throw PluginRefusal.Difference(
                    .badSignature,
                    why: "the signature '\(evidence.name).sig' of '\(id)' is not to be used: \(error.why)",
                    fix: "get it again, or sign the file: belfry plugins sign '\(evidence.path)' --key KEY")
            }
        }
    }

    private func refusal(
        _ objection: AllowedSigners.Objection, _ key: SSHPublicKey, _ id: String
    ) -> PluginRefusal.Difference {
        let signed = "'\(id)' is signed by the key \(key.fingerprint)"
        let add = "if you trust it, add it: belfry trust add KEYFILE --for '\(id)'"
        switch objection {
        case .unknownKey:
            return .init(.unknownSigner, why: "\(signed), which \(names.signers) does not list (any more)", fix: add)
        case .otherPrincipal(let patterns):
            return .init(
                .unknownSigner,
                why:
                    "\(signed), which \(names.signers) lists for \(patterns.map { "'\($0)'" }.joined(separator: ", ")) only",
                fix: add)
        case .otherNamespace(let namespaces):
            return .init(
                .unknownSigner, why: "\(signed), which \(names.signers) lists for the namespaces '\(namespaces)' only",
                fix: "add '\(SSHSignature.namespace)' to its namespaces")
        case .notYetValid(let since):
            return .init(
                .expired, why: "\(signed), which \(names.signers) lists from \(SignerTime.text(since)) on",
                fix: "wait until then, or correct its valid-after")
        case .expired(let time):
            return .init(
                .expired, why: "\(signed), which \(names.signers) lists until \(SignerTime.text(time)): it has expired",
                fix: "have it signed with a key that is valid, or extend its valid-before")
        }
    }
}
