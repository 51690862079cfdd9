import BelfryPlugin

/// At most one notification per period.
///
/// The state keeps when the last one was created, deleted and opened, rather than when the next one is allowed: so
/// campaigns that share a counter and have periods of their own are each judged by their own.
struct Cooldown: Strategy {
    static let name = "cooldown"
    static let summary = "Allows nothing more for a period after the last notification was created, deleted or opened."
    static let outcomes = ToldOutcomes.happened

    private let parameters: Parameters
    private let message: String

    init(_ parameters: Parameters, host: Host) {
        self.parameters = parameters
        let limit = parameters.boundary == .open ? "less" : "no more"
        self.message = "the last one was \(parameters.from.verb) \(limit) than \(parameters.period) ago"
    }

    // Inlined, so that its sentence need not be counted on the way to the host.
    @inline(__always)
    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        guard parameters.period > .zero, let last = state[parameters.from] else { return .allow }
        let end = last + parameters.period
        let next = parameters.boundary == .open ? end : end + .milliseconds(1)
        return context.now < next ? .deny(message, until: next) : .allow
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state[.creation] = context.now }
    }

    func didDelete(_ candidate: Candidate, deleted: Bool, state: inout State, context: Context) {
        if deleted { state[.deletion] = context.now }
    }

    func onOpened(_ candidate: Candidate, state: inout State, context: Context) {
        state[.opening] = context.now
    }
}

extension Cooldown {
    struct Parameters: ParameterList {
        var period = Duration.zero
        var from = Anchor.creation
        var boundary = Boundary.open

        static var parameters: [Parameter<Self>] {
            [
                .required(
                    "period", \.period, "how long nothing more is created; 0s is no limit", range: .atLeast(.zero)),
                .optional("from", \.from, "what the period counts from"),
                .optional(
                    "boundary", \.boundary,
                    "whether at exactly the end of the period it is allowed (open) or not (closed)"),
            ]
        }
    }

    enum Anchor: String, ParameterChoice {
        case creation, deletion, opening

        var verb: String {
            switch self {
            case .creation: "created"
            case .deletion: "deleted"
            case .opening: "opened"
            }
        }
    }

    enum Boundary: String, ParameterChoice {
        case open, closed
    }
}

extension Cooldown {
    struct State: StrategyState {
        // The distant past for never: so they are stored as they lie in memory.
        private var createdAt = Instant.distantPast
        private var deletedAt = Instant.distantPast
        private var openedAt = Instant.distantPast

        init() {}

        /// When that happened last; setting it to an earlier instant changes nothing, so that a cooldown never shrinks.
        subscript(anchor: Anchor) -> Instant? {
            get {
                let last =
                    switch anchor {
                    case .creation: createdAt
                    case .deletion: deletedAt
                    case .opening: openedAt
                    }
                return last == .distantPast ? nil : last
            }
            set {
                let new = newValue ?? .distantPast
                switch anchor {
                case .creation: createdAt = max(createdAt, new)
                case .deletion: deletedAt = max(deletedAt, new)
                case .opening: openedAt = max(openedAt, new)
                }
            }
        }

        static var fields: [StateField<State>] {
            [
                StateField("createdAt", \.createdAt, "when the last one was created"),
                StateField("deletedAt", \.deletedAt, "when the last one was deleted"),
                StateField("openedAt", \.openedAt, "when one was opened last"),
            ]
        }
    }
}
