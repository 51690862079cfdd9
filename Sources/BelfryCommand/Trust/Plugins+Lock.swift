import ArgumentParser
import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryPluginHost

extension Plugins {
    /// Writes belfry.lock.
    struct Lock: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lock",
            abstract:
                "Write belfry.lock beside the configuration: the plugins that are there now are the ones that may load.",
            discussion: """
                Looks at every plugin, each in a process of its own. A plugin that is older than the lock says, or signed by \
                somebody else, is refused without --allow-downgrade, and then nothing is written. A new file may be signed later.

                Examples:
                  belfry plugins lock
                  belfry plugins lock --allow-downgrade
                  belfry plugins lock --platform linux-aarch64 --file build/arm/libPatience.so
                """)

        @OptionGroup var options: ConfigurationOptions
        @Flag(help: "Take older versions, and other signers, than the lock has.") var allowDowngrade = false
        @Option(help: "Add the digest of --file for that platform, such as linux-aarch64.") var platform: String?
        @Option(help: ArgumentHelp("A plugin that is built for --platform.", valueName: "file")) var file: String?

        func validate() throws {
            guard (platform == nil) == (file == nil) else {
                throw ValidationError("--platform and --file go together: a file, and the platform that it is for")
            }
            if let platform, !platform.isPlatform {
                throw ValidationError("'\(platform)' is no platform; write for example linux-aarch64")
            }
        }

        func run() throws {
            let document = try options.document()
            let trust = WorkspaceTrust(mending: document)
            if let failure = trust.failure { throw failure }
            let policy = try trust.policyOfLock(document)
            let locker = PluginLocker(policy, allowsDowngrade: allowDowngrade)
            let outcome =
                if let platform, let file {
                    try locker.adding(file, for: platform)
                } else {
                    try locker.lock(Workspace.plugins(of: document, PluginLocker.looking(by: policy)))
                }
            for warning in outcome.warnings { Console.warn(warning) }
            if policy.lock == nil || outcome.isChanged { try AtomicFile.write(outcome.lock.text, to: trust.lockPath) }
            for change in outcome.changes { print(change) }
            print(
                "\(trust.lockPath): \(outcome.lock.entries.count) plugins\(policy.lock == nil || outcome.isChanged ? "" : ", as before")"
            )
            if document.configuration.trust?.mode == .off {
                Console.warn("the configuration has 'trust: { mode: off }': the lock is not read")
            }
        }
    }
}

extension WorkspaceTrust {
    /// What is locked already, also where the configuration says that the lock is not to be read.
    fileprivate func policyOfLock(_ document: ConfigurationDocument) throws -> TrustPolicy {
        guard policy.mode == .off, policy.lock == nil else { return policy }
        var document = document
        document.configuration.trust?.mode = .warn
        let trust = WorkspaceTrust(mending: document)
        if let failure = trust.failure { throw failure }
        return trust.policy
    }
}
