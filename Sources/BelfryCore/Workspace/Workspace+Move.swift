import BelfryConfiguration
import BelfryEngine

/// An order of the chain that a plugin declares impossible.
public struct OrderRefusal: Error, CustomStringConvertible {
    /// The entry that was to be moved, and where to.
    var moved: String
    var destination: ChainEditor.Destination
    let rule: OrderRule

    public var what: String { "cannot move '\(moved)' \(destination.text)" }
    public var why: String {
        "plugin '\(rule.plugin)' says that '\(rule.entry)' belongs \(rule.relation) '\(rule.other)'"
            + (rule.reason.map { ": \($0)" } ?? "")
    }
    public var expected: String { "'\(rule.entry)' \(rule.relation) '\(rule.other)'" }
    public var fix: String { "keep \(expected)" }

    public var description: String { "\(what)\n  why: \(why)\n  fix: \(fix)" }
}

/// What a plugin says of the order of two entries.
struct OrderRule: Hashable {
    let entry: String
    let relation: String
    let other: String
    let plugin: String
    let reason: String?
}

extension Workspace {
    /// Moves an entry in the file, unless that breaks an order that a plugin declares. One that is broken already is no
    /// hindrance: several moves may be needed to mend it.
    public func move(_ id: String, to destination: ChainEditor.Destination) throws -> ChainEditor.Change {
        let broken = Set(brokenRules(of: configuration.chain))
        if let rule = brokenRules(of: chain(moving: id, to: destination)).first(where: { !broken.contains($0) }) {
            throw OrderRefusal(moved: id, destination: destination, rule: rule)
        }
        return try ChainEditor(path: document.path).move(id, to: destination)
    }

    /// The chain after a move; as it is, if there is no such entry: the editor has the words for that.
    private func chain(moving id: String, to destination: ChainEditor.Destination) -> [Configuration.Entry] {
        var chain = configuration.chain
        guard let from = chain.firstIndex(where: { $0.id == id }) else { return chain }
        let entry = chain.remove(at: from)
        let to: Int? =
            switch destination {
            case .first: 0
            case .last: chain.endIndex
            case .before(let other): chain.firstIndex { $0.id == other }
            case .after(let other): chain.firstIndex { $0.id == other }.map { $0 + 1 }
            }
        chain.insert(entry, at: to ?? from)
        return chain
    }

    private func brokenRules(of chain: [Configuration.Entry]) -> [OrderRule] {
        chain.enumerated().flatMap { position, entry -> [OrderRule] in
            guard let manifest = plugins.provider(ofStrategy: entry.strategy)?.manifest,
                let strategy = manifest.strategies.first(where: { $0.name == entry.strategy })
            else { return [] }
            func rule(_ relation: String, _ other: Configuration.Entry) -> OrderRule {
                OrderRule(
                    entry: entry.id, relation: relation, other: other.id, plugin: manifest.id,
                    reason: strategy.orderReason)
            }
            return chain[..<position].filter { strategy.before.contains($0.strategy) }.map { rule("before", $0) }
                + chain[(position + 1)...].filter { strategy.after.contains($0.strategy) }.map { rule("after", $0) }
        }
    }
}
