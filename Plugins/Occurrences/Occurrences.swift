import BelfryPlugin

/// Allows the n-th occurrence within a stretch of time, and then counts from the beginning again.
///
/// Every candidate counts, whatever the other entries of the chain say, and reaching the count starts it again even if the
/// candidate is then refused. A candidate that was deferred was counted when it was born, so it is not judged again.
struct Occurrences: Strategy {
    static let name = "occurrences"
    static let summary = "Allows a notification each time its trigger occurred so many times within a stretch of time."
    static let defaultCounter = "trigger"

    private let parameters: Parameters
    private let ignored: String

    init(_ parameters: Parameters, host: Host) {
        self.parameters = parameters
        ignored = "not counted: the last counted one is less than \(parameters.ignoreWithin ?? .zero) ago"
    }

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        if candidate.isDeferred { return .abstain }
        // Without an `until`, also where the next one would be allowed: decisions that are agreed on with another engine have none.
        guard state.counts(at: context.now, parameters) else { return .deny(ignored) }
        let occurrence = state.occurrence(at: context.now, parameters)
        if occurrence >= parameters.count { return .allow }
        return .deny("\(occurrence) of \(parameters.count) within \(parameters.within)")
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if candidate.isDeferred { return }
        state.record(parameters, context)
    }
}

extension Occurrences {
    struct Parameters: ParameterList {
        var count = 1
        var within = Duration.zero
        var ignoreWithin: Duration?

        static var parameters: [Parameter<Self>] {
            [
                .required("count", \.count, "how many occurrences it takes", range: .atLeast(1)),
                .required(
                    "within", \.within, "within how long they occur; one that is exactly that old no longer counts",
                    range: .atLeast(.milliseconds(1))),
                .optional(
                    "ignoreWithin", \.ignoreWithin,
                    "how long after a counted occurrence others are not counted; 0s is not at all",
                    range: .atLeast(.zero)),
            ]
        }
    }
}

extension Occurrences {
    struct State: StrategyState {
        /// The instants that count, oldest first: those since the count was reached last, less those too old.
        private var counted = StateList<Instant>()
        /// Stays when the count is reached, so that `ignoreWithin` goes on.
        private var lastCountedAt: Instant?

        init() {}

        /// Whether an occurrence now is counted at all.
        func counts(at now: Instant, _ parameters: Parameters) -> Bool {
            guard let ignoreWithin = parameters.ignoreWithin, let lastCountedAt else { return true }
            return now >= lastCountedAt + ignoreWithin
        }

        /// Which one an occurrence now is: 1 is the first.
        func occurrence(at now: Instant, _ parameters: Parameters) -> Int {
            counted.count - tooOld(at: now, parameters) + 1
        }

        mutating func record(_ parameters: Parameters, _ context: Context) {
            let now = context.now
            guard counts(at: now, parameters) else { return }
            lastCountedAt = now
            if occurrence(at: now, parameters) >= parameters.count {
                counted.removeAll()
            } else {
                counted.removeFirst(tooOld(at: now, parameters))
                counted.append(now, in: context)
            }
        }

        private func tooOld(at now: Instant, _ parameters: Parameters) -> Int {
            counted.prefix { now - $0 >= parameters.within }.count
        }

        static var fields: [StateField<State>] {
            [
                StateField("counted", \.counted, "the occurrences that count"),
                StateField("lastCountedAt", \.lastCountedAt, "the last one that was counted"),
            ]
        }
    }
}
