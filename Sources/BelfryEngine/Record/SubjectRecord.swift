import BelfryModel

/// Everything that is known of one subject. Read and written as a whole.
///
/// A class, because the state of strategies lives inside it at fixed addresses; a copy is made by encoding and decoding.
/// One thread uses it at a time.
public final class SubjectRecord {
    public let subject: String
    /// The time of the last thing that happened to the subject; its time never goes back.
    @exclusivity(unchecked) public internal(set) var latest = Instant.distantPast
    // What is small lies side by side, in one word.
    @exclusivity(unchecked) public internal(set) var app = AppState.unknown
    /// Nil: never switched; `enableOnFirstRun` holds.
    @exclusivity(unchecked) public internal(set) var isEnabled: Bool?
    /// Whether the attributes of the user name a time zone.
    @exclusivity(unchecked) private(set) var namesZone = false
    /// For the cache it lies in.
    @exclusivity(unchecked) package var use = Use()
    /// When it was used last, in commits; for the same cache.
    @exclusivity(unchecked) package var lastUse: UInt32 = 0
    @exclusivity(unchecked) public internal(set) var user = Fields() {
        didSet {
            namesZone = user["timeZone"] != nil
            use.isBodyStored = false
        }
    }
    /// The current notifications and the history of notifications, oldest first.
    var sent: ShortList<Sent> {
        _read { yield ownSent }
        _modify {
            use.isBodyStored = false
            yield &ownSent
        }
    }
    @exclusivity(unchecked) private var ownSent = ShortList<Sent>()
    /// Hashes of (source, id) of the signals processed.
    @exclusivity(unchecked) var processed = FingerprintSet()
    @exclusivity(unchecked) var states = SlotTable()
    @exclusivity(unchecked) var written = WrittenParts()
    /// What most subjects never have.
    @exclusivity(unchecked) var particulars: Particulars?

    public init(subject: String) { self.subject = subject }

    /// Whether it is the record of that subject.
    package func isOf(_ subject: String) -> Bool { self.subject.isSameText(as: subject) }

    /// How many signals, and how many requests with a key, would be recognized if they came again.
    public var rememberedIDs: (signals: Int, requests: Int) { (processed.count, requestKeys.count) }
}

extension SubjectRecord {
    /// How it is used by a cache, who would need an object for each record otherwise. In one byte.
    package struct Use {
        private var bits: UInt8

        package init(isOver: Bool = false) { bits = isOver ? 2 : 0 }

        /// It changed since it was written.
        package var isUnwritten: Bool {
            get { self[1] }
            set { self[1] = newValue }
        }
        package var isOver: Bool { self[2] }
        /// The body is as the store has it.
        package var isBodyStored: Bool {
            get { self[4] }
            set { self[4] = newValue }
        }
        /// Parts that the store has are not this record's any more.
        package var hasOtherParts: Bool {
            get { self[8] }
            set { self[8] = newValue }
        }

        private subscript(bit: UInt8) -> Bool {
            get { bits & bit != 0 }
            set { bits = newValue ? bits | bit : bits & ~bit }
        }
    }

    /// Says that it changed, in the turn of that number. Here, since others would have each access checked.
    ///
    /// - Returns: whether it had not since it was written.
    package func touch(_ turn: UInt32) -> Bool {
        lastUse = turn
        if use.isUnwritten { return false }
        use.isUnwritten = true
        return true
    }

    /// What of its parts a record has in the store.
    package struct StoredParts {
        /// How many pages.
        var pages = 0
        /// Hashes of the body and the states; nil if they are not apart.
        var (body, states): (UInt64?, UInt64?)

        package init() {}

        var isEmpty: Bool { pages == 0 && body == nil && states == nil }
    }

    public enum AppState: Sendable, Hashable {
        case unknown
        case foreground(since: Instant)
        case background(since: Instant)
    }

    /// A device of the subject.
    public struct Channel: Sendable, Hashable {
        public var id: String
        /// Set by signals.
        public var attributes = Fields()
        /// From `device.registered`; wins over a set one of the same name.
        public var automatic = Fields()
    }

    /// Whether the subject is inside a region. A region without one is outside if there was a position and it is a geofence, else unknown.
    public struct Presence: Sendable, Hashable {
        public var region: String
        public var isInside: Bool
        public var since: Instant
        /// The device itself reported the crossing; then the want of sightings is no exit.
        public var isReported = false
    }

    /// A beacon within the threshold of a trigger. One that is not near has none.
    public struct Proximity: Sendable, Hashable {
        public var region: String
        public var campaign: String
        public var trigger: String
        /// `uuid/major/minor`, the uuid in lower case.
        public var beacon: String
    }

    /// Something that is due at an instant of event time.
    public struct Timer: Sendable, Hashable {
        public var due: Instant
        public var sequence: UInt64
        public var cause: String
        public var channel: String?
        /// Empty for an exit.
        public var campaign: String
        public var trigger: String?
        public var region: String?
        public var purpose: Purpose

        public enum Purpose: Sendable, Hashable {
            /// Ask the whole chain again.
            case deferral(Asked)
            /// The subject has stayed long enough.
            case dwell
            /// No beacon of the region was sighted for too long. Has no campaign.
            case exit
        }
    }

    /// What a request said beyond its campaign, or what a custom signal carried. Kept while a candidate is deferred.
    public struct Asked: Sendable, Hashable {
        public var title: String?
        public var message: String?
        public var data: Value?
        /// The `data` that conditions and counters look at.
        public var eventData: Value?
        public var category: Signal.Category?
    }

    /// Where the attributes, the states and the ids of signals lie, which nearly every decision looks at.
    package var parts: (user: UnsafeRawPointer, states: UnsafeRawPointer?, ids: UnsafeRawPointer?) {
        (user.address, states.address, processed.address)
    }

    public var slots: [Slot] { Array(states.all) }

    func channel(_ id: String) -> Channel? { channels.first { $0.id == id } }

    /// The channel that a decision is about: the signal's, else the one registered last.
    func channel(for id: String?) -> Channel? { (id ?? lastChannel).flatMap { channel($0) } }

    func updateChannel(_ id: String, _ change: (inout Channel) -> Void) {
        if let index = channels.firstIndex(where: { $0.id == id }) {
            change(&channels[index])
        } else {
            var channel = Channel(id: id)
            change(&channel)
            channels.append(channel)
        }
    }

    func presence(in region: String) -> Presence? { presence.first { $0.region == region } }

    func setPresence(_ isInside: Bool, in region: String, at now: Instant, isReported: Bool) {
        let new = Presence(region: region, isInside: isInside, since: now, isReported: isReported)
        if let index = presence.firstIndex(where: { $0.region == region }) {
            presence[index] = new
        } else {
            presence.append(new)
        }
    }

    func arm(_ purpose: Timer.Purpose, at due: Instant, cause: String, channel: String?, origin: Decision.Origin) {
        timers.append(
            Timer(
                due: due, sequence: nextSequence, cause: cause, channel: channel, campaign: origin.campaign,
                trigger: origin.trigger, region: origin.region, purpose: purpose))
        nextSequence += 1
    }

    /// A fresh install: everything is forgotten.
    func reset() {
        isEnabled = nil
        app = .unknown
        user = Fields()
        sent = ShortList()
        processed = FingerprintSet()
        disownParts()
        states = SlotTable()
        particulars = particulars.map { Particulars(nextSequence: $0.nextSequence) }
    }

    /// What the store has of its parts is to be written anew.
    package func disownParts() {
        storedParts = StoredParts()
        use.hasOtherParts = true
    }
}
