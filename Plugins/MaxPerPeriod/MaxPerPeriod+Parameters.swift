import BelfryPlugin

extension MaxPerPeriod {
    /// One limit, or `limits`: a list of them.
    struct Parameters: ParameterList {
        var limit = LimitParameters()
        var max: Int?
        var limits: [LimitParameters]?

        /// None is required by itself, but they are needed: `max` and a window, or `limits`.
        static var isRequired: Bool { true }

        static var parameters: [Parameter<Self>] {
            [
                .optional("max", \.max, LimitParameters.maxSummary, range: .atLeast(0), replaces: ["limits"]),
                .optional(
                    "period", \.limit.period, LimitParameters.periodSummary, range: .atLeast(.zero),
                    replaces: ["calendar", "lifetime", "limits"]),
                .optional(
                    "calendar", \.limit.calendar, LimitParameters.calendarSummary,
                    replaces: ["period", "lifetime", "limits"]),
                .optional(
                    "lifetime", \.limit.lifetime, LimitParameters.lifetimeSummary,
                    replaces: ["period", "calendar", "limits"]),
                .optional("algorithm", \.limit.algorithm, LimitParameters.algorithmSummary),
                .optional("burst", \.limit.burst, LimitParameters.burstSummary, range: .atLeast(0)),
                .optional("counts", \.limit.counts, LimitParameters.countsSummary),
                .optional(
                    "limits", \.limits, "several limits, all in force", range: .atLeast(1),
                    replaces: ["max", "period", "calendar", "lifetime"]),
            ]
        }

        /// Without those that limit nothing.
        func limitsInForce() throws(StrategyError) -> [Limit] {
            var inForce: [Limit] = []
            for limit in try given() {
                if let limit = try limit.resolved(with: self.limit) { inForce.append(limit) }
            }
            return inForce
        }

        private func given() throws(StrategyError) -> [LimitParameters] {
            if let limits { return limits }
            guard let max else {
                throw StrategyError(
                    "'max' is missing; give 'max' and one of 'period', 'calendar' and 'lifetime', or give 'limits'")
            }
            var limit = limit
            limit.max = max
            return [limit]
        }
    }
}

/// One limit as it is written.
struct LimitParameters: ParameterList {
    var max = 0
    var period: Duration?
    var calendar: Limit.Calendar?
    var lifetime: Bool?
    var algorithm: Limit.Algorithm?
    var burst: Int?
    var counts: Limit.Counts?

    static let maxSummary = "how many are created at most; 0 is none at all"
    static let periodSummary = "the length of the window; 0s is no limit"
    static let calendarSummary = "counts by day, week (from Monday) or month in the subject's time zone"
    static let lifetimeSummary = "counts everything that was ever created"
    static let algorithmSummary = """
        how a period counts: in each stretch of that length (rolling, the default), in windows that the first one opens \
        (fixed), or as an even rate (gcra)
        """
    static let burstSummary = "for gcra: how many may come at once beyond one; default 0"
    static let countsSummary = """
        what takes a place: what is created (created, the default), or that without what a sink gave up (delivered)
        """

    static var parameters: [Parameter<Self>] {
        [
            .required("max", \.max, maxSummary, range: .atLeast(0)),
            .optional("period", \.period, periodSummary, range: .atLeast(.zero), replaces: ["calendar", "lifetime"]),
            .optional("calendar", \.calendar, calendarSummary, replaces: ["period", "lifetime"]),
            .optional("lifetime", \.lifetime, lifetimeSummary, replaces: ["period", "calendar"]),
            .optional("algorithm", \.algorithm, algorithmSummary),
            .optional("burst", \.burst, burstSummary, range: .atLeast(0)),
            .optional("counts", \.counts, countsSummary),
        ]
    }

    /// The limit in force, with what it leaves out; nil if it limits nothing. What it does not say itself comes from what is said
    /// for all; `algorithm` and `burst` matter to periods only: with another window they are ignored.
    func resolved(with others: LimitParameters) throws(StrategyError) -> Limit? {
        guard var limit = try window(with: others) else { return nil }
        limit.counts = counts ?? others.counts ?? .created
        if limit.counts == .delivered, !limit.isCountedByCreations {
            throw StrategyError(
                "'counts: delivered' goes with 'algorithm: rolling', 'calendar' and 'lifetime': a fixed window and a rate count what was created"
            )
        }
        return limit
    }

    private func window(with others: LimitParameters) throws(StrategyError) -> Limit? {
        switch (period, calendar, lifetime ?? false) {
        case (let period?, nil, false):
            if period == .zero { return nil }
            return Limit(
                max: max, period: period, algorithm: algorithm ?? others.algorithm ?? .rolling,
                burst: burst ?? others.burst ?? 0)
        case (nil, let calendar?, false): return Limit(max: max, calendar: calendar)
        case (nil, nil, true): return Limit(lifetime: max)
        case (nil, nil, false):
            throw StrategyError("'max' alone has no window; give one of 'period', 'calendar' and 'lifetime' with it")
        default:
            throw StrategyError("'period', 'calendar' and 'lifetime' exclude one another; give one of them")
        }
    }
}
