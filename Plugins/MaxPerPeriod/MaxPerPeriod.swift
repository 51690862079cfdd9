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
    @inline(__always)
    func shouldCreate(_ candidate: Candidate, state: Usage, context: Context) -> Verdict {
        // By its place: to pass a limit on would count the references of its sentence.
        var longest: (limit: Int, until: Instant)?
        for place in limits.indices {
            switch limits[place].room(in: state, context: context) {
            case .now: break
            case .never: return .deny(limits[place].message)
            case .from(let until):
                if let longest, until <= longest.until { break }
                longest = (place, until)
            }
        }
        guard let longest else { return .allow }
        return .deny(limits[longest.limit].message, until: longest.until)
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout Usage, context: Context) {
        if created { state.record(context.now, limits: limits) }
    }
}
