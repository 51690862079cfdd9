/// One thing that has to hold for a plugin, tried in a process of its own.
public struct PluginCheck: Sendable {
    /// What a plugin offers.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        case strategy, filter, actions, sink
    }

    /// A word, as `--only` takes it.
    public let id: String
    /// One sentence: what has to hold.
    public let summary: String
    /// The kinds it concerns; a plugin without any of them passes it by.
    public let kinds: Set<Kind>
    /// The checks without which this one says nothing.
    public let needs: [String]
    let run: @Sendable (CheckCase) throws -> [CheckFinding]

    init(
        _ id: String, _ summary: String, kinds: Set<Kind> = Set(Kind.allCases), needs: [String],
        _ run: @escaping @Sendable (CheckCase) throws -> [CheckFinding]
    ) {
        self.id = id
        self.summary = summary
        self.kinds = kinds
        self.needs = needs
        self.run = run
    }
}

extension PluginCheck {
    /// All of them, in the order in which they are tried: each stands behind those that it needs.
    public static let all: [PluginCheck] = [
        file, symbols, root, identity, tables, description, parameters, hooks, purity, until, state, unknownKeys,
        migration,
        borrowed,
        threads, memory, generations, determinism, fuzz, deliveries,
    ]

    public static func named(_ id: String) -> PluginCheck? { all.first { $0.id == id } }
}
