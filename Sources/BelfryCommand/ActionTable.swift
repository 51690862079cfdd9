import BelfryEngine
import BelfryModel
import BelfryPluginHost

/// The action types that plugins provide: what each takes, whose handler is in effect, and whose it replaces.
struct ActionTable {
    private struct Row {
        let type: String
        let signature: String
        let handler: String
        /// Plugins, the one that would be next first.
        let overrides: [String]
        let summary: String
    }

    private let rows: [Row]

    /// - Parameter types: those to list, in their order; nil: all.
    init(_ registry: ActionRegistry<PluginManifest.Action>, types: [String]? = nil) {
        rows = (types ?? registry.types).compactMap { type in
            registry[type].map {
                Row(
                    type: type, signature: $0.handler.signature, handler: $0.plugin,
                    overrides: registry.overridden(of: type), summary: $0.handler.summary ?? "")
            }
        }
    }

    var isEmpty: Bool { rows.isEmpty }

    var text: String {
        var table = Table("action", "signature", "handler", "overrides", "what it does")
        for row in rows {
            table.add(row.type, row.signature, row.handler, row.overrides.joined(separator: ", "), row.summary)
        }
        return table.text
    }

    var value: Value {
        .list(
            rows.map { row in
                [
                    "type": .text(row.type), "signature": .text(row.signature), "handler": .text(row.handler),
                    "overrides": .list(row.overrides.map { .text($0) }), "summary": .text(row.summary),
                ]
            })
    }
}
