import ArgumentParser
import BelfryConfiguration
import BelfryCore
import BelfryModel
import BelfryRuntime
import BelfryService
import Foundation

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the configuration, or print its JSON Schema.",
        discussion: """
            Examples:
              belfry config check
              belfry config schema > belfry.schema.json
            """,
        subcommands: [Check.self, Schema.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check everything: form, references, and every parameter with the plugin it is for.",
            discussion: """
                All errors are reported at once, each with file, line and the path of the key. Exit status 2 if there are any.

                Examples:
                  belfry config check
                  belfry config check --config shop.yaml --json
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var json: JSONOption
        @Flag(help: .hidden) var here = false
        /// Whether the files of `serve` are checked, too. A reload and `--watch` do without: they need a configuration that signals can be decided by.
        @Flag(help: .hidden) var withFiles = false

        func run() throws { if here { try check() } else { try checkInChild() } }

        /// What a plugin does where it is set up, it does to another process.
        private func checkInChild() throws {
            let answer = try ConfigurationTrial.attempt(
                options.config, Workspace.executable, ProcessInfo.processInfo.environment,
                ["--with-files"] + (json.isWanted ? ["--json"] : []))
            FileHandle.standardError.write(Data(answer.errors))
            print(String(decoding: answer.output, as: UTF8.self), terminator: "")
            if answer.status != 0 { throw ExitCode(answer.status) }
        }

        private func check() throws {
            do {
                let (workspace, loaded) = try options.loaded()
                let configuration = workspace.configuration
                let files = ServiceFiles(of: configuration.service, at: workspace.document.path)
                let warnings = workspace.warnings(on: loaded) + (withFiles ? files.warnings : [])
                if json.isWanted {
                    return Console.print(json: ["errors": [], "warnings": .list(warnings.map { .text($0) })])
                }
                for warning in warnings { Console.warn(warning) }
                print(
                    """
                    \(options.config): no errors
                      \(configuration.chain.count) entries in the chain, \(configuration.campaigns.count) campaigns, \
                    \(configuration.regions.count) regions, \(configuration.groups.count) groups
                    """)
            } catch let failure as ConfigurationFailure where json.isWanted {
                Console.print(json: ["errors": failure.value])
                throw ExitCode(CommandFailure.Status.wrongUse.rawValue)
            } catch let untrusted as UntrustedPlugins where json.isWanted {
                Console.print(json: [
                    "errors": untrusted.failure.value,
                    "refused": .list(untrusted.refusals.map { Value(encoding: $0) }),
                ])
                throw ExitCode(CommandFailure.Status.wrongUse.rawValue)
            }
        }
    }

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema",
            abstract: "Print the JSON Schema of the configuration, with the parameters of every plugin that is there.",
            discussion: "Example:\n  belfry config schema > belfry.schema.json")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var json: AlwaysJSONOption

        func run() throws {
            let manifests = try options.plugins().manifests
            let parameters = manifests.flatMap { manifest in
                manifest.strategies.map { ($0.name, $0.parameters) } + manifest.filters.map { ($0.name, $0.parameters) }
            }
            // One without parameters is known, too: it takes none.
            let none: Value = ["type": "object", "maxProperties": 0]
            let schemas = parameters.map { ($0, $1?.jsonSchema ?? none) }
            let sinks = manifests.flatMap(\.sinks).map { ($0.name, $0.parameters?.jsonSchema ?? none) }
            let schema = ConfigurationSchema(
                parameters: Dictionary(schemas) { first, _ in first }, sinks: Dictionary(sinks) { first, _ in first })
            Console.print(json: schema.value)
        }
    }
}
