import BelfryModel

extension SubjectRecord {
    /// Something that is due at an instant of event time.
    public struct Timer: Sendable, Hashable {
        public var due: Instant
        public var sequence: UInt32
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
            /// What was collected is one candidate now.
            case digest(Digest)
        }

        /// Which of two timers fires first: those of one instant in the order in which they were armed.
        func precedes(_ other: Timer) -> Bool { (due, sequence) < (other.due, other.sequence) }
    }

    /// What a request said beyond its campaign, or what a custom signal carried. Kept while a candidate is deferred.
    public struct Asked: Sendable, Hashable {
        public var title: String?
        public var message: String?
        public var data: Value?
        /// The `data` that conditions and counters look at.
        public var eventData: Value?
        public var category: Signal.Category?
        /// What it stands for, of a digest that has closed.
        public var digest: CollectedItems?
    }

    public internal(set) var timers: [Timer] {
        get {
            if block.isEmpty(.timers) { return [] }
            return Self.sound(.timers) { () throws(ByteReader.Damage) in
                var reader = ByteReader(block.bytes(of: .timers))
                return try reader.timers()
            }
        }
        set {
            nextDue = newValue.lazy.map(\.due).min()
            if newValue.isEmpty { return empty(.timers) }
            write(.timers) { $0.list(newValue) { $0.timer($1) } }
        }
    }

    /// Whether the items of digests are what they say, in a record that came from outside.
    var areDigestsSound: Bool {
        timers.allSatisfy { timer in
            switch timer.purpose {
            case .digest(let digest): digest.items.isSound && digest.asked.digest == nil
            case .deferral(let asked): asked.digest?.isSound ?? true
            case .dwell, .exit: true
            }
        }
    }

    /// A copy for which nothing is due.
    package func copyWithoutTimers() -> SubjectRecord {
        var copy = copy()
        copy.timers = []
        return copy
    }

    var hasTimers: Bool { !block.isEmpty(.timers) }

    mutating func arm(
        _ purpose: Timer.Purpose, at due: Instant, cause: String, channel: String?, origin: Decision.Origin
    ) {
        timers.append(
            Timer(
                due: due, sequence: block[.timersArmed], cause: cause, channel: channel, campaign: origin.campaign,
                trigger: origin.trigger, region: origin.region, purpose: purpose))
        block[.timersArmed] += 1
    }

    /// Takes the earliest timer out; nil without any.
    mutating func takeNextTimer() -> Timer? {
        var timers = timers
        guard let first = timers.indices.min(by: { timers[$0].precedes(timers[$1]) }) else { return nil }
        defer { self.timers = timers }
        return timers.remove(at: first)
    }

    mutating func removeTimers(where isGone: (Timer) -> Bool) {
        guard hasTimers else { return }
        let timers = timers
        let rest = timers.filter { !isGone($0) }
        if rest.count < timers.count { self.timers = rest }
    }
}

extension ByteWriter {
    fileprivate mutating func timer(_ timer: SubjectRecord.Timer) {
        instant(timer.due)
        unsigned(UInt64(timer.sequence))
        text(timer.cause)
        text(timer.channel)
        text(timer.campaign)
        text(timer.trigger)
        text(timer.region)
        switch timer.purpose {
        case .dwell: byte(0)
        case .exit: byte(1)
        case .deferral(let asked):
            byte(2)
            self.asked(asked)
        case .digest(let digest):
            byte(3)
            self.digest(digest)
            asked(digest.asked)
        }
    }

    private mutating func asked(_ asked: SubjectRecord.Asked) {
        text(asked.title)
        text(asked.message)
        value(asked.data)
        value(asked.eventData)
        bool(asked.category != nil)
        if let category = asked.category {
            text(category.id)
            value(category.buttons.map { .list($0) })
        }
        bool(asked.digest != nil)
        if let items = asked.digest { self.items(items) }
    }
}

extension ByteReader {
    @_lifetime(self: copy self)
    mutating func timers() throws(Damage) -> [SubjectRecord.Timer] {
        var timers: [SubjectRecord.Timer] = []
        for _ in 0..<(try count()) { timers.append(try timer()) }
        return timers
    }

    @_lifetime(self: copy self)
    private mutating func timer() throws(Damage) -> SubjectRecord.Timer {
        SubjectRecord.Timer(
            due: try instant(), sequence: try sequence(), cause: try text(), channel: try optionalText(),
            campaign: try text(), trigger: try optionalText(), region: try optionalText(), purpose: try purpose())
    }

    @_lifetime(self: copy self)
    private mutating func sequence() throws(Damage) -> UInt32 {
        guard let sequence = UInt32(exactly: try unsigned()) else { throw damage }
        return sequence
    }

    @_lifetime(self: copy self)
    private mutating func purpose() throws(Damage) -> SubjectRecord.Timer.Purpose {
        switch try byte() {
        case 0: .dwell
        case 1: .exit
        case 2: .deferral(try asked())
        case 3: .digest(try openDigest())
        default: throw damage
        }
    }

    @_lifetime(self: copy self)
    private mutating func openDigest() throws(Damage) -> SubjectRecord.Digest {
        var digest = try digest()
        digest.asked = try asked()
        return digest
    }

    @_lifetime(self: copy self)
    private mutating func asked() throws(Damage) -> SubjectRecord.Asked {
        var asked = SubjectRecord.Asked(
            title: try optionalText(), message: try optionalText(), data: try optionalValue(),
            eventData: try optionalValue())
        if try bool() { asked.category = Signal.Category(id: try text(), buttons: try optionalValue()?.list) }
        if try bool() { asked.digest = try items() }
        return asked
    }
}
