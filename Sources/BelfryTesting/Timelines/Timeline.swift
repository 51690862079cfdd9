import BelfryModel

/// What happens, step by step, and what is to come of it. `StrategyTest.follow` goes through it.
///
/// As text, a step a line:
///
///     09:00  request promo     -> created
///     09:30  save and load
///     09:59  request promo     -> denied (cooldown) until 10:00
///     10:00  request promo     -> created
///
/// or as code, the same:
///
///     [
///         .at("09:00").request("promo").created(),
///         .at("09:30").saveAndLoad(),
///         .at("09:59").request("promo").denied("cooldown", until: "10:00"),
///         .at("10:00").request("promo").created(),
///     ]
///
/// A time is a time of day in UTC (`10:00`, `10:00:30.5`) on the day of the step before, a span since the step before (`+1h30m`,
/// `-5m`), or an RFC 3339 date-time. A step without one happens at the time of the step before.
///
/// In front of `->` stands one of
///
///     request [CAMPAIGN] [KEY=VALUE …]    delete [CAMPAIGN]        open [NOTIFICATION [BUTTON]]
///     enter [REGION]                      exit [REGION]            send TYPE [KEY=VALUE …]
///     user KEY=VALUE …                    channel KEY=VALUE …      zone NAME
///     foreground                          background               reset
///     subject NAME                        device [NAME]            others deny|allow
///     parameters KEY=VALUE …              save and load            wait
///
/// and behind it what comes of it, or of what was deferred until then: `created`, `denied`, `deferred`, `deleted`, `kept`,
/// `faulted`, `not asked`, several with commas, or `nothing`. `(CODE)`, `until TIME` (or `until never`) and `: MESSAGE` may follow;
/// what is not said is not compared. `open` alone opens what was created last, and is passed over before that. A line that begins
/// with `#` says nothing.
public struct Timeline: Sendable, Hashable {
    public var steps: [Step]
    /// The first line that is none, and why.
    var mistake: Mistake?

    struct Mistake: Error, Hashable {
        let line: String
        let why: String
    }

    public init(_ steps: [Step]) {
        self.steps = steps
    }
}

extension Timeline: ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
    public init(arrayLiteral elements: Step...) { self.init(elements) }

    /// What cannot be read is thrown by `StrategyTest.follow`.
    public init(stringLiteral text: String) { self.init(text: text) }
}

extension Timeline {
    /// Something that happens.
    public enum Event: Sendable, Hashable {
        /// Time passes.
        case wait
        case request(String?, data: Fields)
        case delete(String?)
        case open(String?, button: String?)
        case enter(String?)
        case exit(String?)
        case send(String, data: Fields)
        /// All attributes of the user.
        case user(Fields)
        /// All attributes of the device, save the automatic ones.
        case channel(Fields)
        /// The device registers with that time zone.
        case zone(String)
        case foreground
        case background
        /// A fresh install.
        case reset
        /// Whose the following steps are.
        case subject(String)
        /// The device of the following steps; nil: they name none.
        case device(String?)
        /// Whether the rest of the chain is against everything.
        case others(deny: Bool)
        case parameters(Fields)
        case saveAndLoad
    }

    /// One thing that happens, and what is to come of it.
    ///
    /// Begin with `at`, or with `next` for what happens at the same time.
    public struct Step: Sendable, Hashable {
        var time: String?
        var event: Event
        /// Nil: whatever comes of it.
        var expected: [Expectation]?
    }

    /// One thing that is to come of a step; what is nil is not compared.
    struct Expectation: Sendable, Hashable {
        var kind: Result.Kind
        var code: String?
        var until: String?
        var message: String?
    }
}
