import ArgumentParser
import BelfryCore
import BelfryPluginHost
import Glibc

extension Plugins {
    /// Compares what is there with belfry.lock.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Compare every plugin that is there with belfry.lock, and its signature with those who may sign.",
            discussion: """
                Says what a run would say, of every file, whether the chain needs it or not. Exit status 2 if there is anything.

                Examples:
                  belfry plugins verify
                  belfry plugins verify --config shop.yaml --json
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let document = try options.document()
            let trust = WorkspaceTrust(enforcing: document)
            if document.configuration.trust == nil, access(trust.lockPath, F_OK) != 0 {
                throw CommandFailure(
                    status: .wrongUse,
                    message: """
                        there is nothing to compare with
                          why: there is no '\(trust.lockPath)', and without it every plugin may load
                          fix: write it: \(document.lockCommand)
                        """)
            }
            if let failure = trust.failure { throw failure }
            let plugins = try Workspace.plugins(of: document, trust.policy)
            let refusals = plugins.refusals.filter(\.isOfTrust)
            if json.isWanted {
                Console.print(json: plugins.value)
            } else if refusals.isEmpty {
                print("\(plugins.manifests.count) plugins, all as \(trust.lockPath) lists them")
            } else {
                Console.say(refusals.map(\.description).joined(separator: "\n\n"))
            }
            if !refusals.isEmpty { throw ExitCode(CommandFailure.Status.wrongUse.rawValue) }
        }
    }
}
