import BelfryPlugin

/// Leaves a pause after every notification.
struct MyPlugin: Strategy {
    static let name = "my-plugin"
    static let summary = "Leaves a pause after every notification."

    /// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
    struct Parameters: ParameterList {
        var pause = Duration.hours(1)

        static var parameters: [Parameter<Self>] {
            [.optional("pause", \.pause, "how long nothing more is created", range: .atLeast(.zero))]
        }
    }

    /// What is remembered of a subject: facts, from which the checks conclude.
    struct State: StrategyState {
        var createdAt: Instant?

        static var fields: [StateField<Self>] {
            [StateField("createdAt", \.createdAt, "when the last one was created")]
        }
    }

    let parameters: Parameters

    init(_ parameters: Parameters, host: Host) { self.parameters = parameters }

    /// Pure: may be asked any number of times.
    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        guard let end = state.createdAt.map({ $0 + parameters.pause }), context.now < end else { return .allow }
        return .deny("the last one was created less than \(parameters.pause) ago", until: end)
    }

    /// Told what came of it, when every strategy of the chain was asked.
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.createdAt = context.now }
    }
}
