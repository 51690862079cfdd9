import BelfryPlugin

/// Allows notifications while a timetable is open; outside, they are dropped or put off until it opens.
struct Schedule: Strategy {
    static let name = "schedule"
    static let summary = "Allows notifications in the periods of a timetable, and drops or defers them outside."

    private let timetable: Timetable
    private let outside: Outside
    private let judges: Judged

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        timetable = try parameters.timetable(host: host)
        outside = parameters.outside
        judges = parameters.judges
    }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        judges == .deletion ? .abstain : verdict(context, outside: outside)
    }

    /// Deletions are not deferred: what is kept is asked about again on the next exit or request.
    func shouldDelete(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        judges == .creation ? .abstain : verdict(context, outside: .drop)
    }

    private func verdict(_ context: Context, outside: Outside) -> Verdict {
        let zone = context.zone
        guard let closure = timetable.closure(at: context.now, zone: zone) else { return .allow }
        guard let until = timetable.opening(after: context.now, zone: zone) else {
            return .deny(closure.finalMessage)
        }
        return outside == .defer ? .defer(closure.message, until: until) : .deny(closure.message, until: until)
    }
}

extension Timetable.Closure {
    fileprivate var message: String {
        switch self {
        case .noPeriod: "no period of the schedule is open"
        case .exception: "an exception closes the schedule"
        }
    }

    /// When nothing can be said of an opening to come. There is nothing to defer to, so that is always a denial.
    fileprivate var finalMessage: String {
        switch self {
        case .noPeriod: "no period of the schedule is open, and none is known to open again"
        case .exception: "an exception closes the schedule, and it is not known to open again"
        }
    }
}

extension Schedule {
    enum Outside: String, ParameterChoice {
        case drop, `defer`
    }

    enum Judged: String, ParameterChoice {
        case creation, deletion, both
    }
}
