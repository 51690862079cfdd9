import BelfryCore
import BelfryEngine
import BelfryPluginHost

/// The name of a plugin to be, in the spellings that its sources need.
struct PluginName {
    /// `quiet-sundays`
    let id: String

    /// `QuietSundays`
    var type: String { words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }
    /// `quiet_sundays`
    var identifier: String { words.joined(separator: "_") }

    private var words: [Substring] { id.split(separator: "-") }

    /// - Throws: `CommandFailure` for a name that cannot be one in each language, or that is taken.
    init(_ text: String) throws {
        guard text.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil, text.count <= 50 else {
            throw Self.refusal(
                text,
                "it does not begin with a small letter, has other characters than small letters, digits and single hyphens, or more than 50",
                fix: "write it as for example 'quiet-sundays'")
        }
        if Self.taken.contains(text) {
            throw Self.refusal(
                text, "that word means something already in the sources of a plugin",
                fix: "take another, for example 'my-\(text)'")
        }
        if try Configuration.Sink.Kind(rawValue: text) != nil
            || Workspace.bundledPlugins().plugin(offering: text) != nil
        {
            throw Self.refusal(
                text, "Belfry brings a plugin, strategy, action or sink of that name",
                fix: "take another, for example 'my-\(text)'")
        }
        id = text
    }

    private static func refusal(_ name: String, _ why: String, fix: String) -> CommandFailure {
        CommandFailure(
            status: .wrongUse, message: "'\(name)' cannot be the name of a plugin\n  why: \(why)\n  fix: \(fix)")
    }

    /// What the templates, their languages, YAML and the modules that they import call something else.
    private static let taken: Set<String> = [
        "belfry", "swift", "testing", "main", "self", "type", "any", "protocol", "never", "void", "int", "string",
        "bool", "double",
        "float", "character", "array", "dictionary", "set", "optional", "result", "error", "range", "sequence",
        "collection", "test",
        "action", "candidate", "condition", "context", "decision", "duration", "edits", "field", "fields", "filter",
        "host",
        "instant", "order",
        "delivered", "delivery", "parameter", "parameters", "plugin", "reader", "reason", "signal", "sink", "sinks",
        "state", "strategy", "suite", "table",
        "template", "told", "trigger",
        "value", "verdict", "writer", "zone", "create", "destroy", "instance", "items", "member", "members",
        "strategies", "auto",
        "break", "case", "char", "const", "continue", "default", "do", "else", "enum", "extern", "for", "goto", "if",
        "inline", "long",
        "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
        "unsigned",
        "volatile", "while", "malloc", "free", "exit", "printf", "core", "std", "alloc", "crate",
        "vec", "write", "open-options", "foundation", "glibc", "file-manager",
        "belfry-plugin", "belfry-testing", "built-plugin", "strategy-source", "strategy-test", "filter-test",
        "action-test", "sink-test",
        "parameter-list", "state-field", "strategy-state", "strategy-error", "action-result", "action-provider",
        "null", "true", "false",
    ]
}

extension PluginCatalog {
    /// The plugin that has the name, or offers something of that name.
    func plugin(offering name: String) -> ScannedPlugin? {
        plugins.first { $0.manifest?.names.contains(name) == true }
    }
}

extension PluginManifest {
    fileprivate var names: [String] {
        [id] + strategies.map(\.name) + filters.map(\.name) + sinks.map(\.name) + actions.map(\.type)
    }
}
