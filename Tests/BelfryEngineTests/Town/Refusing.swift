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

/// Refuses what is negative, all of it at once.
struct Picky: Strategy {
    static let name = "picky"
    static let summary = "refuses what is negative"

    struct Parameters: ParameterList {
        var min = 0
        var max = 0

        static var parameters: [Parameter<Self>] {
            [.optional("min", \.min, "at least"), .optional("max", \.max, "at most")]
        }
    }

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        var lines: [String] = []
        if parameters.min < 0 { lines.append("'min' is \(parameters.min), and should not be negative") }
        if parameters.max < 0 { lines.append("'max' is \(parameters.max), and should not be negative") }
        if parameters.max < parameters.min { lines.append("nothing is between them") }
        if !lines.isEmpty { throw StrategyError(lines.joined(separator: "\n")) }
    }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict { .abstain }
}
