import ArgumentParser
import BelfryEngine
import BelfryModel
import BelfryPluginHost
import CLinux

struct Plugins: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "List the plugins that are there, check, lock or sign them, or begin one.",
        discussion: """
            Examples:
              belfry plugins
              belfry plugins check libPatience.so
              belfry plugins new quiet-sundays
              belfry plugins lock
            """,
        subcommands: [
            List.self, Check.self, New.self, Lock.self, Verify.self, Manifest.self, Sign.self, ScanOne.self,
            CheckOne.self,
        ], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract:
                "List the plugins that are there, what they offer, which actions there are, and what is refused and why.",
            discussion: """
                Every plugin runs in a process of its own for this, so a broken one does no harm.

                Examples:
                  belfry plugins
                  belfry plugins list --json
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let plugins = try options.plugins()
            if json.isWanted { return Console.print(json: plugins.value) }
            var table = Table("plugin", "version", "offers", "file", "signer", "digest")
            for plugin in plugins.plugins {
                guard let manifest = plugin.manifest else { continue }
                table.add(
                    manifest.id, manifest.version, manifest.offers, plugin.path,
                    plugin.signer == nil ? "-" : plugin.signer.cell, plugin.digest ?? "-")
            }
            print(table.text)
            let actions = ActionTable(plugins.actions)
            if !actions.isEmpty { print("\n" + actions.text) }
            for refusal in plugins.refusals { print("\n\(refusal)") }
            for doubt in plugins.doubts { print("\nwarning: \(doubt.asDoubt)") }
            if !plugins.passedOver.isEmpty { print() }
            for file in plugins.passedOver { print("passed over: '\(file.path)' is no plugin: \(file.why)") }
        }
    }

    /// What `PluginScanner` runs in a child process.
    struct ScanOne: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "scan-one", shouldDisplay: false)

        @Argument var file: String

        func run() throws {
            // How it ends is told by its parent.
            belfry_work_is_done()
            let services = HostServices(version: belfryVersion, zones: .system()) { Console.say($0.text) }
            throw ExitCode(PluginScanner.scanInThisProcess(path: file, host: services.pointer))
        }
    }
}

extension PluginManifest {
    fileprivate var offers: String {
        let parts =
            strategies.map(\.name) + filters.map { "\($0.name) (filter)" } + sinks.map { "\($0.name) (sink)" }
            + (actions.isEmpty ? [] : ["actions " + actions.map(\.type).joined(separator: ", ")])
        return parts.joined(separator: ", ")
    }
}

extension PluginCatalog {
    var value: Value {
        [
            "folders": .list(folders.map { .text($0) }),
            "plugins": .list(
                plugins.compactMap { plugin in
                    plugin.manifest.map { manifest in
                        [
                            "path": .text(plugin.path), "digest": plugin.digest.map { .text($0) } ?? .null,
                            "signer": plugin.signer.map { .text($0) } ?? .null, "manifest": Value(encoding: manifest),
                        ]
                    }
                }),
            "actions": ActionTable(actions).value,
            "refused": .list(refusals.map { Value(encoding: $0) }),
            "passedOver": .list(passedOver.map { Value(encoding: $0) }),
        ]
    }
}
