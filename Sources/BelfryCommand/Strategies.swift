import ArgumentParser
import BelfryCore
import BelfryModel

struct Strategies: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strategies",
        abstract: "List, describe, order and switch the strategies of the chain.",
        discussion: """
            Examples:
              belfry strategies
              belfry strategies describe cooldown
              belfry strategies move cooldown --first
              belfry strategies disable promo-cap
            """,
        subcommands: [List.self, Describe.self, Move.self, Enable.self, Disable.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the chain: what is asked, in which order, and where each parameter is configured.",
            discussion: """
                Examples:
                  belfry strategies
                  belfry strategies list --config shop.yaml --json
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let listing = try options.workspace().chainListing
            if json.isWanted { return Console.print(json: listing.value) }
            print(listing.text)
        }
    }
}

extension ChainListing {
    fileprivate var text: String {
        guard !entries.isEmpty else { return "the chain is empty: everything is allowed" }
        var table = Table("", "entry", "strategy", "plugin", "per", "control", "parameters", "configured in")
        for entry in entries {
            let plugin = entry.plugin.map { "\($0) \(entry.version ?? "")" } ?? "(no plugin has it)"
            let control = entry.isEnabled ? entry.control : "\(entry.control), disabled"
            let parameters = entry.parameters.map { ($0.text, "\($0.file):\($0.line) \($0.path)") }
            let first = parameters.first ?? ("", "")
            table.add(
                String(entry.position), entry.id, entry.strategy, plugin, entry.counter, control, first.0, first.1)
            for more in parameters.dropFirst() { table.add("", "", "", "", "", "", more.0, more.1) }
        }
        return table.text
    }
}

extension ChainListing.Parameter {
    fileprivate var text: String {
        let text = value.text ?? value.json
        let short = text.count > 40 ? text.prefix(39) + "…" : Substring(text)
        return name.map { "\($0): \(short)" } ?? String(short)
    }
}
