import BelfryPlugin

/// Leaves an hour after each.
struct Hourly: Strategy {
    struct State: StrategyState {
        /// Of version 1. Nothing writes it any more.
        var last: Int64?
        var lastAt: Instant?

        static var fields: [StateField<Self>] {
            [
                StateField("last", \.last, "when the last one was created, in seconds", unit: "s"),
                StateField("lastAt", \.lastAt, "when the last one was created"),
            ]
        }
    }

    static let name = "hourly"
    static let summary = "Leaves an hour after each."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        let last = state.lastAt ?? state.last.map { Instant(milliseconds: $0 * 1_000) }
        guard let end = last.map({ $0 + .hours(1) }), context.now < end else { return .allow }
        return .deny("the last one was created less than an hour ago", until: end)
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.lastAt = context.now }
    }
}
