import BelfryPlugin

/// At most so many notifications per period, per calendar day, week or month, or ever.
struct MaxPerPeriod: ReceiptListening {
    static let name = "max-per-period"
    static let summary = "Allows at most so many notifications per period, per calendar day, week or month, or ever."
    static let outcomes = ToldOutcomes.happened

    private let limits: [Limit]
    /// The first of them, or one that never denies. Apart, because nearly always there is one, and what is taken out of a list is counted.
    private let first: Limit
    private let isSingle: Bool

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        limits = try parameters.limitsInForce()
        (first, isSingle) = (limits.first ?? Limit(lifetime: .max), limits.count <= 1)
        if limits.contains(where: \.needsLocalTime) { try host.require(.localTime, for: "a calendar") }
    }

    /// Denies until all limits would allow, in the words of the one that takes longest.
    @inline(__always)
    func shouldCreate(_ candidate: Candidate, state: Usage, context: Context) -> Verdict {
        guard isSingle else { return longest(state, context) }
        switch first.room(in: state, context: context) {
        case .now: return .allow
        case .never: return .deny(first.message)
        case .from(let until): return .deny(first.message, until: until)
        }
    }

    private func longest(_ state: Usage, _ context: Context) -> Verdict {
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
        if created { state.record(limits: limits, context) }
    }

    /// That it was not delivered is a fact for all limits on the counter, whatever this one counts.
    func onReceipt(_ receipt: Receipt, of candidate: Candidate, state: inout Usage, context: Context) {
        guard case .failed = receipt.outcome, let notification = candidate.notification else { return }
        state.fail(notification, createdAt: receipt.createdAt, context)
    }
}
