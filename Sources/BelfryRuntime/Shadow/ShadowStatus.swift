import BelfryModel

/// How a shadow is doing, and what it decided otherwise.
public struct ShadowStatus: Sendable {
    /// What it is called.
    public let name: String
    public let state: State
    /// How many entries of the journal it has not read yet; 0 where that is not known.
    public let behind: Int
    public let compared: Int
    public let counts: [ShadowDifference.Kind: Int]
    private let since: Instant
    private let transitions: [(a: String, b: String, count: Int)]

    public enum State: Sendable, Equatable {
        case following
        /// Why it goes on no more.
        case failed(String)
        /// Read from its store.
        case stored

        var name: String {
            switch self {
            case .following: "following"
            case .failed: "failed"
            case .stored: "stored"
            }
        }
    }

    init(_ record: ShadowRecord, state: State, behind: Int = 0) {
        (name, self.state, self.behind) = (record.name, state, behind)
        (compared, counts, since, transitions) = (
            record.compared, record.counts, record.since, record.sortedTransitions
        )
    }

    public var different: Int { counts.values.reduce(0, +) }

    /// For machines.
    public var value: Value {
        func count(_ number: Int) -> Value { .integer(Int64(number)) }
        var fields: Fields = [
            "shadow": .text(name), "state": .text(state.name), "behind": count(behind),
            "since": .text(since.description), "compared": count(compared), "same": count(compared - different),
        ]
        for kind in ShadowDifference.Kind.allCases { fields[kind.rawValue] = count(counts[kind] ?? 0) }
        fields["transitions"] = .list(
            transitions.map { ["a": .text($0.a), "b": .text($0.b), "count": count($0.count)] })
        if case .failed(let why) = state { fields["why"] = .text(why) }
        return .map(fields)
    }

    /// For people.
    public var description: String {
        let kinds = ShadowDifference.Kind.allCases.map { "\($0.rawValue) \(counts[$0] ?? 0)" }.joined(separator: ", ")
        var lines = ["shadow '\(name)': \(compared) compared, \(different) differ (\(kinds))"]
        lines += transitions.prefix(5).map { "  \($0.a) here, \($0.b) there: \($0.count)" }
        if behind > 0 { lines.append("  it is \(behind) entries of the journal behind, and goes on with the next run") }
        return lines.joined(separator: "\n")
    }
}
