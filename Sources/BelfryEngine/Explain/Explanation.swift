import BelfryModel

/// Why one notification would be created for one subject at one instant, or would not, and when it could be.
public struct Explanation: Sendable {
    /// Which candidate is asked about.
    public struct Question: Sendable {
        public var campaign: String
        /// Nil: the campaign's first trigger at the region; without a region, the answer to a request.
        public var trigger: String?
        public var region: String?
        public var channel: String?
        /// Not before the latest thing that happened to the subject: its time never goes back.
        public var time: Instant
        /// Attributes of the user that are assumed, besides and in place of those that are known.
        public var attributes: Fields

        public init(
            campaign: String, trigger: String? = nil, region: String? = nil, channel: String? = nil, time: Instant,
            attributes: Fields = [:]
        ) {
            self.attributes = attributes
            self.campaign = campaign
            self.trigger = trigger
            self.region = region
            self.channel = channel
            self.time = time
        }
    }

    /// One chain entry under one counter.
    public struct Entry: Sendable {
        public var id: String
        public var strategy: String
        public var control: Configuration.Control
        /// Nil where it counts per subject.
        public var counter: String?
        /// Why it was not asked, a clause without an end; nil if it was.
        public var notAsked: String?
        public var parameters: [Parameter] = []
        /// What it remembers, by key.
        public var state: [StatePair] = []
        public var verdict: Verdict?
    }

    /// A parameter in force, and where its value comes from.
    public struct Parameter: Sendable, Hashable {
        public var name: String
        public var value: Value
        /// For example `chain`, `campaign sale` or `default`.
        public var source: String
    }

    public struct Variant: Sendable, Hashable {
        public var experiment: String
        public var name: String
    }

    public enum Result: String, Sendable {
        case created, fired, suppressed, deferred, collected, withheld
    }

    public enum Earliest: Sendable, Hashable {
        case at(Instant)
        /// The passing of time alone changes nothing: something else has to happen first.
        case never
        /// It was looked for until then.
        case notBefore(Instant)
    }

    public var subject: String
    /// When it was asked.
    public var time: Instant
    public var origin: Decision.Origin
    /// What the trigger waits for: `enter`, `request`, ….
    public var event: String
    /// The variants that the subject is in, in the order of the experiments. Asking does not expose it.
    public var variants: [Variant] = []
    /// In chain order, those that were not asked included. Empty if the chain was not asked at all.
    public var entries: [Entry] = []
    public var result: Result
    /// What counted against it; the host's own reasons come last.
    public var reasons: [Decision.Denial]
    /// What observers had against it.
    public var observed: [Decision.Denial]
    /// What would be shown, as filters left it.
    public var content: Decision.Content
    /// The earliest instant at which it would be created, if nothing else happens to the subject meanwhile.
    public var earliest: Earliest
}

/// The question cannot be asked.
public struct UnansweredQuestion: Error, CustomStringConvertible {
    public var what: String
    public var why: String
    /// The service answers with it; a sentence says enough without.
    public var expected: String
    public var fix: String

    public var description: String { "\(what)\n  why: \(why)\n  fix: \(fix)" }
}
