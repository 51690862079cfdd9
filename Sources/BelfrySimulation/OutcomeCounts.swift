import BelfryModel

/// How often each outcome was.
struct OutcomeCounts {
    // As many places as a vector has.
    private var counts = SIMD8<Int>()

    subscript(outcome: Judgement.Outcome) -> Int {
        get { counts[outcome.rawValue] }
        set { counts[outcome.rawValue] = newValue }
    }

    static func += (left: inout OutcomeCounts, right: OutcomeCounts) { left.counts &+= right.counts }

    /// What rings or fires.
    var creations: Int { self[.created] + self[.fired] }
    /// What does not, or not yet.
    var refusals: Int { self[.suppressed] + self[.deferred] + self[.collected] + self[.withheld] }

    var value: Value {
        .map(Fields(Judgement.Outcome.allCases.map { ($0.name, .integer(Int64(self[$0]))) }))
    }
}

/// How often each of a few names was. Names beyond a thousand are counted together, since plugins make them.
struct NameCounts {
    private(set) var total = 0
    private var counts: [String: Int] = [:]

    static let others = "…"

    mutating func add(_ name: String, _ count: Int = 1) {
        total += count
        let isKnown = counts.count < 1000 || counts[name] != nil
        counts[isKnown ? name : Self.others, default: 0] += count
    }

    /// The most frequent first; those after the limit as one.
    func largest(_ limit: Int) -> [(name: String, count: Int)] {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { (name: $0.key, count: $0.value) }
        let rest = sorted.dropFirst(limit).reduce(0) { $0 + $1.count }
        return sorted.prefix(limit) + (rest == 0 ? [] : [(Self.others, rest)])
    }

    /// As a list of maps.
    func value(naming name: String, limit: Int = 20) -> Value {
        .list(largest(limit).map { .map([name: .text($0.name), "count": .integer(Int64($0.count))]) })
    }
}
