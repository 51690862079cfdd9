import BelfryPlugin

/// Not the same campaign twice in a row, and ten within an hour at most.
struct Variety: Strategy {
    struct State: StrategyState {
        var campaign = StateText()
        var createdAt = StateList<Instant>()
        var openedAt: Instant?

        static var fields: [StateField<Self>] {
            [
                StateField("campaign", \.campaign, "the campaign of the last one"),
                StateField("createdAt", \.createdAt, "when the last ten were created"),
                StateField("openedAt", \.openedAt, "when the last one was opened"),
            ]
        }
    }

    static let name = "variety"
    static let summary = "Not the same campaign twice in a row, and ten within an hour at most."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        if state.openedAt == nil, state.campaign == candidate.campaign { return .deny("the last one was of it, too") }
        guard state.createdAt.count == 10, let end = state.createdAt.first.map({ $0 + .hours(1) }), context.now < end
        else { return .allow }
        return .deny("there were ten within an hour", until: end)
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        guard created else { return }
        state.campaign.set(candidate.campaign, in: context)
        state.createdAt.append(context.now, in: context)
        state.createdAt.removeFirst(state.createdAt.count - 10)
        state.openedAt = nil
    }

    func onOpened(_ candidate: Candidate, state: inout State, context: Context) { state.openedAt = context.now }
}
