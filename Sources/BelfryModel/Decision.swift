/// Something Belfry decided or recorded (docs/decisions.md). What a line of output says, before it is bytes.
public struct Decision: Sendable, Hashable {
    public var subject: String
    /// Among the decisions about the subject, from 1; never given twice.
    public var number: UInt64
    /// Event time of the decision.
    public var time: Instant
    /// The signal behind it; for a timer, the signal that armed it.
    public var cause: String
    public var body: Body

    public init(subject: String, number: UInt64, time: Instant, cause: String, body: Body) {
        self.subject = subject
        self.number = number
        self.time = time
        self.cause = cause
        self.body = body
    }
}

extension Decision {
    /// `<subject>:<number>`, the same wherever the decision is made.
    public var id: String { "\(subject):\(number)" }

    public enum Body: Sendable, Hashable {
        case created(Created)
        case suppressed(Refused)
        /// `until` is always there.
        case deferred(Refused)
        case deleted(notification: String, campaign: String)
        case kept(notification: String, campaign: String, reasons: [Denial])
        case opened(notification: String, button: String?, firstOpenedAt: Instant)
        case fired(Fired)
        case invoked(Invocation)
        case recorded(type: String, name: String, attributes: Fields)
        case faulted(Fault)
        case collected(Collected)
        case withheld(Withheld)
        /// The subject was in a variant that had a bearing on the next decision.
        case exposed(experiment: String, variant: String)
    }

    /// A call of a plugin that failed.
    public struct Fault: Sendable, Hashable {
        /// The id of the chain entry.
        public var strategy: String
        /// Nil for a hook that belongs to no candidate.
        public var origin: Origin?
        /// The key of the counter, where `per` is not subject.
        public var counter: String?
        /// The name of the function in the contract.
        public var hook: String
        public var cause: FaultCause
        /// One sentence.
        public var message: String

        public init(
            strategy: String, origin: Origin? = nil, counter: String? = nil, hook: String, cause: FaultCause,
            message: String
        ) {
            self.strategy = strategy
            self.origin = origin
            self.counter = counter
            self.hook = hook
            self.cause = cause
            self.message = message
        }
    }

    /// Why a call of a plugin failed.
    public enum FaultCause: String, Sendable, CaseIterable {
        /// The plugin said so.
        case error
        /// What it answered makes no sense.
        case nonsense
        /// A signal, one of `abort`, a trap, or a stack overflow.
        case crash
        /// It ended the process.
        case exit
        /// It took too long.
        case timeout
        /// It took too much memory.
        case memory
        /// It was not called, because it failed too often.
        case quarantined
    }

    /// What names a candidate.
    public struct Origin: Sendable, Hashable {
        public var campaign: String
        public var trigger: String?
        public var region: String?

        public init(campaign: String, trigger: String? = nil, region: String? = nil) {
            self.campaign = campaign
            self.trigger = trigger
            self.region = region
        }
    }

    /// What is shown to the person, after filters.
    public struct Content: Sendable, Hashable {
        public var title: String?
        public var message: String?
        public var data: Value?
        public var presentation: Value?
        public var handler: String
        public var category: String?
        /// A list of maps, as in `categories`; nil where there are none, empty where a filter took them away.
        public var buttons: Value?

        public init(
            title: String? = nil, message: String? = nil, data: Value? = nil, presentation: Value? = nil,
            handler: String = "none", category: String? = nil, buttons: Value? = nil
        ) {
            self.title = title
            self.message = message
            self.data = data
            self.presentation = presentation
            self.handler = handler
            self.category = category
            self.buttons = buttons
        }

        /// The buttons there are to show; nil without any.
        public var shownButtons: Value? { buttons == [] ? nil : buttons }
    }

    public struct Created: Sendable, Hashable {
        /// `<campaign>/<n>`.
        public var notification: String
        public var origin: Origin
        public var content: Content
        /// What it stands for, of a digest.
        public var digest: Digest?
        public var observed: [Denial]

        public init(
            notification: String, origin: Origin, content: Content, digest: Digest? = nil, observed: [Denial] = []
        ) {
            self.digest = digest
            self.notification = notification
            self.origin = origin
            self.content = content
            self.observed = observed
        }
    }

    public struct Refused: Sendable, Hashable {
        public var origin: Origin
        /// Those that counted, in chain order.
        public var reasons: [Denial]
        /// Those of observers.
        public var observed: [Denial]
        public var until: Instant?

        public init(origin: Origin, reasons: [Denial], observed: [Denial] = [], until: Instant? = nil) {
            self.origin = origin
            self.reasons = reasons
            self.observed = observed
            self.until = until
        }
    }

    /// One entry's no, or not yet.
    public struct Denial: Sendable, Hashable {
        /// The id of the chain entry; `belfry` for the host itself.
        public var strategy: String
        public var code: String
        public var message: String
        /// The first instant at which that rule would allow.
        public var until: Instant?
        /// The key of the counter, where `per` is not subject.
        public var counter: String?
        /// The id of the silence, of one that is `silenced`.
        public var silence: String?

        public init(
            strategy: String, code: String, message: String, until: Instant? = nil, counter: String? = nil,
            silence: String? = nil
        ) {
            self.strategy = strategy
            self.code = code
            self.message = message
            self.until = until
            self.counter = counter
            self.silence = silence
        }
    }

    public struct Fired: Sendable, Hashable {
        public var origin: Origin
        public var data: Value?
        /// What it stands for, of a digest.
        public var digest: Digest?
        /// Whether it was handled: true when it has no `onFire`, false when no plugin provides that action. Nil: that is for the
        /// handler to say, whose invocation is the next decision.
        public var handled: Bool?
        public var observed: [Denial]

        public init(
            origin: Origin, data: Value?, digest: Digest? = nil, handled: Bool?, observed: [Denial] = []
        ) {
            self.digest = digest
            self.origin = origin
            self.data = data
            self.handled = handled
            self.observed = observed
        }
    }

    /// An action to run, and after it ran, how that went.
    public struct Invocation: Sendable, Hashable {
        /// Nil for a geotrigger, which has its campaign instead.
        public var notification: String?
        public var campaign: String?
        /// How many geotriggers the campaign has fired with this one; nil for a notification. Not told: decisions do not name geotriggers.
        public var number: UInt32?
        /// The whole action, with `type`.
        public var action: Fields
        /// The notification as its handler may see it.
        public var payload: Fields
        public var outcome: Outcome?

        public init(
            notification: String? = nil, campaign: String? = nil, number: UInt32? = nil, action: Fields,
            payload: Fields = Fields()
        ) {
            self.notification = notification
            self.campaign = campaign
            self.number = number
            self.action = action
            self.payload = payload
        }

        public var type: String { action["type"]?.text ?? "" }
    }

    public struct Outcome: Sendable, Hashable {
        public enum Status: String, Sendable {
            case ok, unknown, failed
            case timedOut = "timed-out"
        }

        public var status: Status
        /// The plugin whose handler ran.
        public var handler: String?
        /// One sentence.
        public var error: String?
        public var result: Value?

        public init(status: Status, handler: String? = nil, error: String? = nil, result: Value? = nil) {
            self.status = status
            self.handler = handler
            self.error = error
            self.result = result
        }
    }
}
