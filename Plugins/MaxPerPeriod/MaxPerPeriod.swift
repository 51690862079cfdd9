import BelfryPlugin

/// At most so many notifications per period, per calendar day, week or month, or ever.
struct MaxPerPeriod: Strategy {
    static let name = "max-per-period"
    static let summary = "Allows at most so many notifications per period, per calendar day, week or month, or ever."

    private let limits: [Limit]

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        limits = try parameters.limitsInForce()
        if limits.contains(where: \.needsLocalTime) { try host.require(.localTime, for: "a calendar") }
    }

    /// Denies until all limits would allow, in the words of the one that takes longest.
    func shouldCreate(_ candidate: Candidate, state: Usage, context: Context) -> Verdict {
        var denial: (limit: Limit, until: Instant?)?
        for limit in limits {
            switch limit.room(in: state, context: context) {
            case .now: break
            case .never: return .deny(limit.message)
            case .from(let until):
                if let longest = denial?.until, until <= longest { break }
                denial = (limit, until)
            }
        }
        guard let denial else { return .allow }
        return .deny(denial.limit.message, until: denial.until)
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout Usage, context: Context) {
        if created { state.record(context.now, limits: limits) }
    }
}
