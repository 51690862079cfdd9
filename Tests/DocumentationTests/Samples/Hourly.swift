import BelfryPlugin

/// Leaves an hour after each.
struct Hourly: Strategy {
    struct State: StrategyState {
        static let version: UInt32 = 2
        var last: Instant?

        mutating func load(from reader: StateReader) { last = reader.instant("last") }
        func save(to writer: StateWriter) { writer.set("last", last) }

        /// What an earlier version saved.
        mutating func load(from reader: StateReader, version: UInt32) throws(StrategyError) {
            last = reader.integer("last").map { Instant(milliseconds: $0 * 1_000) }
        }
    }

    static let name = "hourly"
    static let summary = "Leaves an hour after each."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        guard let end = state.last.map({ $0 + .hours(1) }), context.now < end else { return .allow }
        return .deny("the last one was created less than an hour ago", until: end)
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.last = context.now }
    }
}
