import BelfryConfiguration
import BelfryCore
import BelfryModel
import BelfryPluginHost

/// What is different in a configuration, or in the plugins beside it, that takes the place of another: in a line, for people.
package struct ConfigurationChange: CustomStringConvertible {
    private var parts: [String] = []

    fileprivate static let lists = ["chain", "groups", "regions", "campaigns", "categories"]
    /// Of a long list of changes only the first ones are named.
    private static let mostNamed = 6

    package init(from old: Workspace, to new: Workspace) {
        self.init(from: Generation.Outline(old, remarks: []), to: Generation.Outline(new, remarks: []))
    }

    init(from old: Generation.Outline, to new: Generation.Outline) {
        for list in Self.lists {
            add(list, Items(old.root[list]).changes(to: Items(new.root[list])))
        }
        add("settings", Items(settingsOf: old.root).changes(to: Items(settingsOf: new.root)))
        add("plugins", Self.changes(from: old.plugins, to: new.plugins))
    }

    package var isEmpty: Bool { parts.isEmpty }

    package var description: String {
        parts.isEmpty ? "nothing that counts is different" : parts.joined(separator: "; ")
    }

    private mutating func add(_ what: String, _ changes: [String]) {
        guard !changes.isEmpty else { return }
        let rest = changes.count - Self.mostNamed
        let named = changes.prefix(Self.mostNamed).joined(separator: ", ")
        parts.append("\(what): \(named)" + (rest > 0 ? " and \(rest) more" : ""))
    }

    /// A plugin is what its id says; two files with one version may still differ.
    private static func changes(from old: [ScannedPlugin], to new: [ScannedPlugin]) -> [String] {
        func find(_ plugin: ScannedPlugin, in others: [ScannedPlugin]) -> ScannedPlugin? {
            others.first { $0.manifest?.id == plugin.manifest?.id }
        }
        let (usable, former) = (new.filter { $0.manifest != nil }, old.filter { $0.manifest != nil })
        let taken = usable.compactMap { plugin -> String? in
            guard let manifest = plugin.manifest else { return nil }
            guard let replaced = find(plugin, in: former), let was = replaced.manifest else {
                return "'\(manifest.id)' \(manifest.version) added"
            }
            guard replaced.copy != plugin.copy else { return nil }
            return was.version == manifest.version
                ? "'\(manifest.id)' \(manifest.version) rebuilt"
                : "'\(manifest.id)' \(was.version) → \(manifest.version)"
        }
        let gone = former.filter { find($0, in: usable) == nil }.compactMap(\.manifest)
        return taken + gone.map { "'\($0.id)' removed" }
    }
}

/// The things of one list, by name.
private struct Items {
    private var names: [String] = []
    private var values: [String: Value] = [:]

    /// A list of mappings with an `id`; an entry of the chain may go by the name of its strategy.
    init(_ list: ConfigurationNode?) {
        for item in list?.items ?? [] {
            if let name = (item["id"] ?? item["strategy"])?.value.text { add(name, item.value) }
        }
    }

    /// What stands alone in a configuration, in no order. `include` says only where things are.
    init(settingsOf root: ConfigurationNode) {
        let others = ConfigurationChange.lists + ["include"]
        for member in (root.members ?? []).sorted(by: { $0.key < $1.key }) where !others.contains(member.key) {
            add(member.key, member.node.value)
        }
    }

    private mutating func add(_ name: String, _ value: Value) {
        names.append(name)
        values[name] = value
    }

    func changes(to new: Items) -> [String] {
        let changed = new.names.compactMap { name -> String? in
            guard let old = values[name] else { return "'\(name)' added" }
            return old == new.values[name] ? nil : "'\(name)' changed"
        }
        let removed = names.filter { new.values[$0] == nil }.map { "'\($0)' removed" }
        let (before, after) = (names.filter { new.values[$0] != nil }, new.names.filter { values[$0] != nil })
        return changed + removed + (before == after ? [] : ["in another order"])
    }
}
