import BelfryConfiguration
import BelfryEngine
import BelfryPluginHost
import Foundation

/// Which plugins a configuration lets in: its `trust`, the lock beside it, and the file of those who may sign.
public struct WorkspaceTrust: Sendable {
    /// Where something is wrong, one that lets in nothing from outside the folder of the executable.
    public let policy: TrustPolicy
    /// Whether all of it could be read.
    let isWhole: Bool
    /// Everything that is wrong with the lock, and with who may sign.
    package let failure: ConfigurationFailure?
    /// The lock, and the file of those who may sign, whether they are there or not.
    package let files: [String]
    /// The path of the lock.
    public var lockPath: String { files[0] }

    public init(of document: ConfigurationDocument, host: PluginHost) {
        self.init(document, executable: host.executable, platform: PluginStatement.platform)
    }

    /// For those who verify: as if everything were enforced, and there has to be a lock.
    public init(enforcing document: ConfigurationDocument, executable: String = Workspace.executable) {
        var document = document
        let signers = document.configuration.trust?.signers
        document.configuration.trust = Configuration.Trust()
        document.configuration.trust?.mode = .enforce
        document.configuration.trust?.signers = signers
        self.init(document, executable: executable, platform: PluginStatement.platform)
    }

    /// For those who write the lock: its entries may lack this platform, and `enforce` may stand there before there is one.
    public init(mending document: ConfigurationDocument, executable: String = Workspace.executable) {
        self.init(document, executable: executable, platform: nil)
    }

    private init(_ document: ConfigurationDocument, executable: String, platform: String?) {
        var reader = TrustReader(document, bundled: PluginFile.folder(ofFile: executable), platform: platform)
        policy = reader.policy()
        failure = reader.failure
        isWhole = failure == nil && reader.isReadable
        files = reader.files
    }
}

/// Reads the files of one configuration.
private struct TrustReader {
    let document: ConfigurationDocument
    let bundled: String
    let platform: String?
    let lockPath: String
    let signersPath: String?
    var failure: ConfigurationFailure?
    /// What is wrong with the configuration itself; two of them may be at one key.
    private var problems: [ConfigurationProblem] = []

    init(_ document: ConfigurationDocument, bundled: String, platform: String?) {
        self.document = document
        self.bundled = bundled
        self.platform = platform
        lockPath = PluginLockReader.path(beside: document.path)
        signersPath = document.configuration.trust?.signers.map { document.path(of: $0) }
    }

    var files: [String] { [lockPath] + (signersPath.map { [$0] } ?? []) }

    /// What cannot be read could have asked for anything.
    var isReadable: Bool { trust != nil || document.root["trust"] == nil }

    private var trust: Configuration.Trust? { document.configuration.trust }

    mutating func policy() -> TrustPolicy {
        guard isReadable else { return policy(.enforce, PluginLock(), nil) }
        if trust?.mode == .off { return policy(.off, nil, nil) }
        let lock = readLock()
        let isThere = lock != nil || failure != nil
        // The signers first: the lock cannot be written without them.
        let signers = readSigners()
        if !isThere, platform != nil { checkLockIsNotNeeded() }
        if !problems.isEmpty { note(document.locate(problems)) }
        if failure != nil { return policy(.enforce, PluginLock(), nil) }
        guard lock == nil else { return policy(trust?.mode ?? .enforce, lock, signers) }
        return policy(trust?.mode == .warn ? .warn : .off, nil, signers)
    }

    private func policy(_ mode: TrustPolicy.Mode, _ lock: PluginLock?, _ signers: AllowedSigners?) -> TrustPolicy {
        var names = TrustPolicy.Names(lock: lockPath, lockCommand: document.lockCommand)
        if let signersPath { names.signers = signersPath }
        return TrustPolicy(
            mode: mode, lock: lock, signers: signers, names: names, bundled: bundled,
            time: Int64(Date().timeIntervalSince1970))
    }

    private mutating func readLock() -> PluginLock? {
        do throws(ConfigurationFailure) {
            let bundled = bundled
            let reader = PluginLockReader(platform: platform) { file in
                FileManager.default.fileExists(atPath: "\(bundled)/\(file)")
            }
            return try reader.read(path: lockPath)
        } catch {
            note(error)
            return nil
        }
    }

    private mutating func readSigners() -> AllowedSigners? {
        guard let signersPath else { return nil }
        guard let data = FileManager.default.contents(atPath: signersPath), data.count <= 1 << 20,
            let text = String(validating: data, as: UTF8.self)
        else {
            problems.append(
                ConfigurationProblem(
                    path: ["trust", "signers"], found: "no file '\(signersPath)' that can be read",
                    expected: "OpenSSH's allowed_signers", fix: "make it: belfry trust add KEYFILE --for PATTERN"))
            return nil
        }
        let signers = AllowedSigners(text)
        guard signers.problems.isEmpty else {
            note(signers.failure(in: signersPath))
            return nil
        }
        return signers
    }

    private mutating func checkLockIsNotNeeded() {
        let key = trust?.mode == .enforce ? "mode" : trust?.signers != nil ? "signers" : nil
        guard let key else { return }
        problems.append(
            ConfigurationProblem(
                path: ["trust", key], found: "'\(key)', and no '\(lockPath)'",
                expected: "the lock, which says what may be loaded", fix: "write it: \(document.lockCommand)"))
    }

    private mutating func note(_ failure: ConfigurationFailure) {
        self.failure = self.failure?.joined(with: failure) ?? failure
    }
}

extension AllowedSigners {
    /// What is wrong with the file of that name.
    public func failure(in path: String) -> ConfigurationFailure {
        ConfigurationFailure(
            reports: problems.map {
                ConfigurationFailure.Report(
                    file: path, line: $0.line, path: "", found: $0.found, expected: $0.expected,
                    fix: "correct the line, or remove it; ssh-keygen(1), ALLOWED SIGNERS, describes it")
            })
    }
}

extension ConfigurationDocument {
    /// A path of the configuration, which is relative to its folder.
    public func path(of name: String) -> String {
        name.hasPrefix("/") || folder == "." ? name : (folder as NSString).appendingPathComponent(name)
    }

    /// What writes the lock beside it.
    public var lockCommand: String {
        let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "-_./".contains($0) }
        return "belfry plugins lock" + (path == "belfry.yaml" ? "" : " --config \(isPlain ? path : "'\(path)'")")
    }
}

/// Plugins that may not be loaded, where the chain needs what may be in them.
public struct UntrustedPlugins: Error, CustomStringConvertible {
    public let refusals: [PluginRefusal]
    /// What the configuration lacks without them.
    public let failure: ConfigurationFailure

    public var description: String { (refusals.map(\.description) + [failure.description]).joined(separator: "\n\n") }
}
