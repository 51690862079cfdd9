import BelfryModel

// Timers, one behind the other, those armed last at the end.
//
//     size  what
//     4     length of the timer
//     4     its number
//     8     when it is due, in ms
//     1     what it is for: see `Timer.Kind`
//     …     its cause, channel, campaign, trigger and region
//     …     what was asked, of a deferral, and how often it was deferred; the digest

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

        enum Kind: UInt8 {
            case dwell, exit, deferral, digest
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
        /// What it stands for, of a digest that has closed.
        public var digest: CollectedItems?
        /// How often it was deferred.
        var deferrals = 0
    }

    public internal(set) var timers: [Timer] {
        get {
            var timers: [Timer] = []
            forEachTimer { timers.append(timer(at: $0)) }
            return timers
        }
        set {
            empty(.timers)
            nextDue = nil
            for timer in newValue { append(timer) }
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

    // MARK: Where they lie

    private static let fixedTimerSize = 17

    /// Calls with where each timer lies, from the beginning of the header.
    private func forEachTimer(_ body: (Int) -> Void) {
        let range = block.range(of: .timers)
        var offset = range.lowerBound
        while offset < range.upperBound {
            body(offset)
            offset += length(ofTimerAt: offset)
        }
    }

    private func length(ofTimerAt offset: Int) -> Int { Int(block.number(at: offset, as: UInt32.self)) }

    private func due(at offset: Int) -> Instant { Instant(milliseconds: block.number(at: offset + 8)) }

    private func isTimer(at offset: Int, _ kind: Timer.Kind) -> Bool {
        block.number(at: offset + 16, as: UInt8.self) == kind.rawValue
    }

    func timer(at offset: Int) -> Timer {
        Self.sound(.timers) { () throws(ByteReader.Damage) in
            var reader = ByteReader(block.bytes.extracting(offset..<offset + length(ofTimerAt: offset)))
            return try reader.timer()
        }
    }

    /// The place of the earliest timer: those of one instant fire in the order in which they were armed.
    private var firstTimer: Int? {
        var first: (due: Instant, number: UInt32, offset: Int)?
        forEachTimer { offset in
            let (due, number) = (due(at: offset), block.number(at: offset + 4, as: UInt32.self))
            if let former = first, (former.due, former.number) < (due, number) { return }
            first = (due, number, offset)
        }
        return first?.offset
    }

    /// The place of the first digest that is open beyond an instant and is wanted.
    func openDigest(after now: Instant, where isWanted: (Timer) -> Bool) -> Int? {
        var found: Int?
        forEachTimer { offset in
            if found == nil, isTimer(at: offset, .digest), due(at: offset) > now, isWanted(timer(at: offset)) {
                found = offset
            }
        }
        return found
    }

    private func isTimer(at offset: Int, in regions: [String]) -> Bool {
        Self.sound(.timers) { () throws(ByteReader.Damage) in
            var reader = ByteReader(block.bytes.extracting(offset..<offset + length(ofTimerAt: offset)))
            _ = try reader.skip(Self.fixedTimerSize)
            try reader.skipText()
            if try reader.bool() { try reader.skipText() }
            try reader.skipText()
            if try reader.bool() { try reader.skipText() }
            guard try reader.bool() else { return false }
            return try reader.utf8().isAmong(regions)
        }
    }

    // MARK: Changing

    /// What is due beyond the last instant that can be written is not waited for: no signal comes so late, and where a host lets all of
    /// time pass, the decisions of such a timer would have a `time` that no reader takes.
    mutating func arm(
        _ purpose: Timer.Purpose, at due: Instant, cause: String, channel: String?, origin: Decision.Origin
    ) {
        if due > Instant.writable.upperBound { return }
        append(
            Timer(
                due: due, sequence: block[.timersArmed], cause: cause, channel: channel, campaign: origin.campaign,
                trigger: origin.trigger, region: origin.region, purpose: purpose))
        block[.timersArmed] += 1
    }

    mutating func append(_ timer: Timer) {
        var writer = ByteWriter()
        writer.timer(timer)
        let offset = block.extend(.timers, by: writer.count)
        writer.withBytes { block.copy($0, to: offset) }
        nextDue = min(nextDue ?? timer.due, timer.due)
    }

    /// Takes the earliest timer out; nil without any.
    mutating func takeNextTimer() -> Timer? { firstTimer.map { takeTimer(at: $0) } }

    mutating func takeTimer(at offset: Int) -> Timer {
        let timer = timer(at: offset)
        block.resize(.timers, offset..<offset + length(ofTimerAt: offset), to: 0)
        nextDue = firstTimer.map { due(at: $0) }
        return timer
    }

    /// Forgets the timers of some regions.
    mutating func removeTimers(_ kinds: Timer.Kind..., in regions: [String]) {
        if regions.isEmpty { return }
        let former = block.count
        var offset = block.range(of: .timers).lowerBound
        while offset < block.range(of: .timers).upperBound {
            let length = length(ofTimerAt: offset)
            if kinds.contains(where: { isTimer(at: offset, $0) }), isTimer(at: offset, in: regions) {
                block.resize(.timers, offset..<offset + length, to: 0)
            } else {
                offset += length
            }
        }
        if block.count < former { nextDue = firstTimer.map { due(at: $0) } }
    }
}

extension ByteWriter {
    fileprivate mutating func timer(_ timer: SubjectRecord.Timer) {
        let start = count
        fixed(0 as UInt64)
        fixed(timer.due.milliseconds)
        byte(timer.purpose.kind.rawValue)
        text(timer.cause)
        text(timer.channel)
        text(timer.campaign)
        text(timer.trigger)
        text(timer.region)
        switch timer.purpose {
        case .dwell, .exit: break
        case .deferral(let asked):
            self.asked(asked)
            unsigned(UInt64(asked.deferrals))
        case .digest(let digest):
            self.digest(digest)
            asked(digest.asked)
        }
        replace(start, withFixed: UInt64(count - start) | UInt64(timer.sequence) << 32)
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
        while rest > 0 { timers.append(try timer()) }
        return timers
    }

    @_lifetime(self: copy self)
    fileprivate mutating func timer() throws(Damage) -> SubjectRecord.Timer {
        let start = position
        let (length, number) = (try fixed(UInt32.self), try fixed(UInt32.self))
        let due = Instant(milliseconds: try fixed())
        guard let kind = SubjectRecord.Timer.Kind(rawValue: try byte()) else { throw damage }
        let timer = SubjectRecord.Timer(
            due: due, sequence: number, cause: try text(), channel: try optionalText(), campaign: try text(),
            trigger: try optionalText(), region: try optionalText(), purpose: try purpose(kind))
        guard position - start == Int(length) else { throw damage }
        return timer
    }

    @_lifetime(self: copy self)
    private mutating func purpose(_ kind: SubjectRecord.Timer.Kind) throws(Damage) -> SubjectRecord.Timer.Purpose {
        switch kind {
        case .dwell: .dwell
        case .exit: .exit
        case .deferral: .deferral(try deferred())
        case .digest: .digest(try openDigest())
        }
    }

    @_lifetime(self: copy self)
    private mutating func deferred() throws(Damage) -> SubjectRecord.Asked {
        var asked = try asked()
        asked.deferrals = Int(clamping: try unsigned())
        return asked
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

extension SubjectRecord.Timer.Purpose {
    fileprivate var kind: SubjectRecord.Timer.Kind {
        switch self {
        case .dwell: .dwell
        case .exit: .exit
        case .deferral: .deferral
        case .digest: .digest
        }
    }
}
