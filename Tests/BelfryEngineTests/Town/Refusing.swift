import BelfryPlugin

/// Refuses everything, and does not say why.
struct Curt: Strategy {
    static let name = "curt"
    static let summary = "refuses its parameters without a word"

    struct Parameters: ParameterList {
        var max = 0

        static var parameters: [Parameter<Self>] { [.optional("max", \.max, "how many")] }
    }

    init(_ parameters: Parameters, host: Host) throws(StrategyError) { throw StrategyError("") }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict { .abstain }
}

/// Refuses everything, and says why.
struct Unlucky: Strategy {
    static let name = "unlucky"
    static let summary = "refuses to be made"

    init(_ parameters: NoParameters, host: Host) throws(StrategyError) { throw StrategyError("not on a Friday") }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict { .abstain }
}
