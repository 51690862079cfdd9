import BelfryEngine
import BelfryModel

/// Which stored state of strategies a configuration has use for.
public struct StateClaims: Sendable {
    private let file: String
    /// The strategy of each entry, by the entry's id.
    private let chain: [String: String]
    /// The version of state that each strategy knows, by name.
    private let versions: [String: Int]

    fileprivate init(file: String, chain: [String: String], versions: [String: Int]) {
        self.file = file
        self.chain = chain
        self.versions = versions
    }

    /// State that nobody would use, and why.
    struct Orphan: Hashable {
        var entry: String
        var strategy: String
        var reason: String
    }

    func orphans(in record: SubjectRecord) -> Set<Orphan> {
        Set(
            record.slots.compactMap { slot in
                reason(slot).map { Orphan(entry: slot.entry, strategy: slot.strategy, reason: $0) }
            })
    }

    private func reason(_ slot: Slot) -> String? {
        guard let strategy = chain[slot.entry] else { return "the chain of \(file) has no entry '\(slot.entry)'" }
        if strategy != slot.strategy { return "the entry '\(slot.entry)' is one of strategy '\(strategy)' now" }
        guard let known = versions[strategy] else { return "no plugin has the strategy '\(strategy)'" }
        let found = slot.saved.version
        return found > known ? "it has version \(found), and the plugin knows versions up to \(known)" : nil
    }
}

extension Workspace {
    /// What the chain has use for. No plugin is loaded for that.
    public var stateClaims: StateClaims {
        let strategies = plugins.manifests.flatMap(\.strategies)
        return StateClaims(
            file: document.path,
            chain: Dictionary(configuration.chain.map { ($0.id, $0.strategy) }) { first, _ in first },
            versions: Dictionary(strategies.map { ($0.name, $0.stateVersion) }) { first, _ in first })
    }
}
