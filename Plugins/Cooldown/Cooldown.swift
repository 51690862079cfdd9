import BelfryPlugin

/// At most one notification per period.
///
/// The state keeps when the last one was created, deleted and opened, rather than when the next one is allowed: so
/// campaigns that share a counter and have periods of their own are each judged by their own.
struct Cooldown: Strategy {
    static let name = "cooldown"
    static let summary = "Allows nothing more for a period after the last notification was created, deleted or opened."

    private let parameters: Parameters
    private let message: String

    init(_ parameters: Parameters, host: Host) {
        self.parameters = parameters
        let limit = parameters.boundary == .open ? "less" : "no more"
        self.message = "the last one was \(parameters.from.verb) \(limit) than \(parameters.period) ago"
    }

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
        private var createdAt: Instant?
        private var deletedAt: Instant?
        private var openedAt: Instant?

        init() {}

        /// When that happened last; setting it to an earlier instant changes nothing, so that a cooldown never shrinks.
        subscript(anchor: Anchor) -> Instant? {
            get {
                switch anchor {
                case .creation: createdAt
                case .deletion: deletedAt
                case .opening: openedAt
                }
            }
            set {
                switch anchor {
                case .creation: createdAt = Self.later(createdAt, newValue)
                case .deletion: deletedAt = Self.later(deletedAt, newValue)
                case .opening: openedAt = Self.later(openedAt, newValue)
                }
            }
        }

        private static func later(_ old: Instant?, _ new: Instant?) -> Instant? {
            guard let old, let new else { return new ?? old }
            return max(old, new)
        }

        mutating func load(from reader: StateReader) {
            createdAt = reader.instant("createdAt")
            deletedAt = reader.instant("deletedAt")
            openedAt = reader.instant("openedAt")
        }

        func save(to writer: StateWriter) {
            writer.set("createdAt", createdAt)
            writer.set("deletedAt", deletedAt)
            writer.set("openedAt", openedAt)
        }
    }
}
