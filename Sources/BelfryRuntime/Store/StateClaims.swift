import BelfryCore
import BelfryEngine

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

    /// State that no entry would use, and why.
    struct Orphan: Hashable {
        var entry: String
        var strategy: String
        var reason: String
    }

    func orphans(in record: borrowing SubjectRecord) -> Set<Orphan> {
        Set(
            record.states.compactMap { state in
                reason(state).map { Orphan(entry: state.entry, strategy: state.strategy, reason: $0) }
            })
    }

    private func reason(_ state: SubjectRecord.State) -> String? {
        // The host's own notes, such as in which experiments the subject was.
        if state.strategy == "belfry" { return nil }
        guard let strategy = chain[state.entry] else { return "the chain of \(file) has no entry '\(state.entry)'" }
        if strategy != state.strategy { return "the entry '\(state.entry)' is one of strategy '\(strategy)' now" }
        guard let known = versions[strategy] else { return "no plugin has the strategy '\(strategy)'" }
        // Declared fields have no version: they are told apart by name and type.
        guard let found = state.version.map(Int.init) else { return nil }
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
