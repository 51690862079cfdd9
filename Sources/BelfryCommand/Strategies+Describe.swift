import ArgumentParser
import BelfryModel
import BelfryPluginHost

extension Strategies {
    struct Describe: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "describe",
            abstract: "Say what a strategy, a filter or a sink of a plugin does and which parameters it takes.",
            discussion: """
                Examples:
                  belfry strategies describe cooldown
                  belfry strategies describe actions --json
                """)

        @Argument(help: "The name of a strategy, a filter, a type of sinks or a plugin.")
        var name: String

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var json: JSONOption

        func run() throws {
            let plugins = try options.plugins()
            let manifest =
                plugins.provider(ofStrategy: name)?.manifest ?? plugins.manifests.first { $0.id == name }
                ?? plugins.provider(ofSink: name)?.plugin.manifest
            guard let manifest else {
                throw CommandFailure(status: .wrongUse, message: plugins.missingStrategy(name).description)
            }
            let actions = plugins.actionTable(of: manifest, name)
            if json.isWanted { return Console.print(json: manifest.value(of: name, actions)) }
            print(manifest.text(of: name, actions))
        }
    }
}

extension PluginCatalog {
    /// What a plugin provides, when it is described as a whole; `actions` stands for the registry of all plugins.
    fileprivate func actionTable(of manifest: PluginManifest, _ name: String) -> ActionTable {
        if name == "actions" { return ActionTable(actions) }
        return ActionTable(actions, types: manifest.hasPart(name) ? [] : manifest.actions.map(\.type))
    }
}

extension PluginManifest {
    /// Whether that is the name of something in it, and not that of the plugin as a whole.
    fileprivate func hasPart(_ name: String) -> Bool {
        chainNames.contains(name) || (id != name && sinks.contains { $0.name == name })
    }

    /// Only what has that name; everything, when it is the plugin's own.
    private func offers(_ name: String) -> (strategies: [Strategy], filters: [Filter], sinks: [Sink]) {
        guard hasPart(name) else { return (strategies, filters, sinks) }
        return (
            strategies.filter { $0.name == name }, filters.filter { $0.name == name }, sinks.filter { $0.name == name }
        )
    }

    fileprivate func value(of name: String, _ actions: ActionTable) -> Value {
        let offers = offers(name)
        return [
            "plugin": .text(id), "version": .text(version),
            "strategies": Value(encoding: offers.strategies), "filters": Value(encoding: offers.filters),
            "actions": actions.value, "sinks": Value(encoding: offers.sinks),
        ]
    }

    fileprivate func text(of name: String, _ actions: ActionTable) -> String {
        let offers = offers(name)
        let strategies = offers.strategies.map { describe($0.name, "strategy", $0.summary, $0.parameters, $0) }
        let filters = offers.filters.map { describe($0.name, "filter", $0.summary, $0.parameters, nil) }
        let sinks = offers.sinks.map { describe($0.name, "sink", $0.summary, $0.parameters, nil) }
        var parts = strategies + filters + sinks
        if !actions.isEmpty { parts.append("plugin \(id) \(version)\n\n\(actions.text)") }
        return parts.joined(separator: "\n\n")
    }

    private func describe(
        _ name: String, _ kind: String, _ summary: String?, _ root: Parameter?, _ strategy: Strategy?
    ) -> String {
        var lines = ["\(name)  (\(kind) of plugin \(id) \(version))"]
        if let summary { lines.append(summary) }
        if let strategy {
            lines.append("per: \(strategy.defaultCounter ?? "subject") by default")
            let order = strategy.before.map { "before \($0)" } + strategy.after.map { "after \($0)" }
            if !order.isEmpty {
                lines.append("order: \(order.joined(separator: ", "))" + (strategy.orderReason.map { ": \($0)" } ?? ""))
            }
        }
        lines.append(root.map { "\n" + $0.rootText } ?? "parameters: none")
        return lines.joined(separator: "\n")
    }
}

extension PluginManifest.Parameter {
    fileprivate var rootText: String {
        guard type == "object" else { return "parameters: \(summary.flatMap { $0.isEmpty ? nil : $0 } ?? "a \(type)")" }
        var table = Table("parameter", "type", "default", "what it is")
        add(members, to: &table, indent: "")
        return table.text
    }

    private func add(_ members: [PluginManifest.Parameter], to table: inout Table, indent: String) {
        for member in members {
            let fallback =
                member.isRequired ? "required" : member.defaultValue.map { $0.value.text ?? $0.value.json } ?? "-"
            table.add(indent + member.name, member.typeText, fallback, member.summary ?? "")
            add(member.members, to: &table, indent: indent + "  ")
        }
    }

    private var typeText: String {
        var text = choices.isEmpty ? type : choices.joined(separator: "|")
        if isList { text = "list of \(text)" }
        let bounds = [minimum.map { "≥ \(bound($0))" }, maximum.map { "≤ \(bound($0))" }].compactMap { $0 }
        if !bounds.isEmpty { text += " " + bounds.joined(separator: " ") }
        return unit.map { "\(text) (\($0))" } ?? text
    }

    private func bound(_ number: Double) -> String {
        type == "duration" ? Duration(milliseconds: Int64(number)).description : Value.number(number).json
    }
}
