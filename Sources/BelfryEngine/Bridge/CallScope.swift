import BelfryModel
import CBelfry

/// The circumstances of calls to plugins about one subject at one instant, and what backs the `belfry_context` they get.
///
/// An engine has one and uses it again for every decision, so that asking allocates nothing. As one thread uses it, and no method
/// hands its properties out to be changed, the run time need not check each access (`exclusivity`).
final class CallScope {
    let catalog: Catalog
    /// What is lent for the length of one question.
    let arena = Arena()
    let reason: ReasonCollector
    /// Why a hook that was told something failed.
    let sentence = SentenceCollector()
    /// What the chain was answered about the candidate.
    @exclusivity(unchecked) var answers = Answers()
    /// The step whose allow ended the asking.
    @exclusivity(unchecked) var end: UnsafePointer<ChainStep>?
    /// For each step that the chain came to, whether it was met; nothing without experiments.
    @exclusivity(unchecked) var reached: [Bool] = []
    /// Where states lay when the chain was asked.
    @exclusivity(unchecked) var arrangement: UInt16 = 0
    /// What the chain is asked, or was last.
    @exclusivity(unchecked) var question = Question.creation
    /// What failed that belongs to no answer: hooks that were told something.
    @exclusivity(unchecked) var faults: [Decision.Fault] = []
    /// What the operator is to know of how it was answered.
    @exclusivity(unchecked) var warnings: [String] = []
    /// What entries said of digests besides their verdicts; nearly always nothing.
    @exclusivity(unchecked) var digestTerms: [DigestTerms] = []
    /// States that save themselves, live until the candidate is done with.
    @exclusivity(unchecked) var liveStates: [LiveState] = []
    /// Where calls are noted.
    @exclusivity(unchecked) var note: UnsafeMutablePointer<CallNote>
    private let ownNote: UnsafeMutablePointer<CallNote>
    /// What looks behind each call; nil: nothing does.
    @exclusivity(unchecked) var check: (() -> Void)? {
        didSet { hasCheck = check != nil }
    }
    /// A closure takes more to look at, even if there is none.
    @exclusivity(unchecked) private(set) var hasCheck = false
    /// Calls of the piece that are not made, and the first of them by its ordinal.
    @exclusivity(unchecked) var planned: [PlannedFault] = []
    @exclusivity(unchecked) var firstFault = UInt32.max
    /// A state as it is about to be stored.
    @exclusivity(unchecked) var content = ByteWriter()
    /// What is being asked about; of no meaning in hooks about the app.
    let candidate = Candidate()
    @exclusivity(unchecked) private(set) var hasCandidate = false
    /// Lent for the length of a decision.
    @exclusivity(unchecked) private var lent: LentRecord?
    @exclusivity(unchecked) private(set) var now = Instant.distantPast
    /// The channel of the signal; nil if it has none.
    @exclusivity(unchecked) private var channel: String?
    /// Looked up when a plugin first asks for it; kept by the directory of zones.
    @exclusivity(unchecked) private var knownZone: Lent<Zone>?
    /// The current notifications of the subject, looked up when a plugin first asks for them.
    @exclusivity(unchecked) var knownCurrent: [Fields]?
    /// Where texts of answers go; kept by the effects.
    @exclusivity(unchecked) private var lentTexts: Lent<Arena>
    private let context: UnsafeMutablePointer<belfry_context>
    private let cCandidate: UnsafeMutablePointer<belfry_candidate>
    /// Of `per: subject`.
    let subjectKey: UnsafePointer<CounterKey>

    init(_ catalog: Catalog) {
        self.catalog = catalog
        reason = ReasonCollector()
        lentTexts = Lent(arena)
        ownNote = .allocate(capacity: 1)
        ownNote.initialize(to: CallNote())
        note = ownNote
        context = .allocate(capacity: 1)
        cCandidate = .allocate(capacity: 1)
        cCandidate.initialize(to: belfry_candidate())
        let key = UnsafeMutablePointer<CounterKey>.allocate(capacity: 1)
        key.initialize(to: .subject)
        subjectKey = UnsafePointer(key)
        context.initialize(to: belfry_context())
        context.pointee.owner = UnsafeMutableRawPointer(mutating: Lent(self).address)
    }

    deinit {
        answers.deallocate()
        ownNote.deallocate()
        context.deallocate()
        cCandidate.deallocate()
        UnsafeMutablePointer(mutating: subjectKey).deallocate()
    }

    /// The scope behind a context that a plugin was lent: it is there as long as the call, so no reference is counted.
    @inline(__always)
    static func with<Result>(_ context: UnsafePointer<belfry_context>, _ body: (CallScope) -> Result) -> Result {
        Lent<CallScope>(at: context.pointee.owner).with(body)
    }

    /// Points the scope at a subject and an instant, and the candidate if there is one. What was lent before is invalid now.
    ///
    /// - Parameter texts: where texts of answers go.
    @inline(__always)
    func begin(_ moment: borrowing Engine.Moment, hasCandidate: Bool, texts: Arena) {
        endStates()
        arena.reset()
        lentTexts = Lent(texts)
        reason.texts = lentTexts
        knownZone = nil
        if knownCurrent != nil { knownCurrent = nil }
        lent = moment.lent
        now = moment.now
        if moment.channel != nil || channel != nil { channel = moment.channel }
        self.hasCandidate = hasCandidate
        context.pointee.now = moment.now.milliseconds
        // Where they lie in the record: it does not change while a plugin is called.
        context.pointee.subject = moment.record.block.text(of: .subject)
        context.pointee.channel = channel.map { arena.text($0) } ?? .absent
        switch moment.record.app {
        case .unknown: setApp(BELFRY_APP_UNKNOWN, since: Instant(milliseconds: 0))
        case .foreground(let since): setApp(BELFRY_APP_FOREGROUND, since: since)
        case .background(let since): setApp(BELFRY_APP_BACKGROUND, since: since)
        }
        if hasCandidate { refreshCandidate() }
    }

    @inline(__always)
    private func setApp(_ state: UInt32, since: Instant) {
        context.pointee.app = state
        context.pointee.app_since = since.milliseconds
    }

    /// The record may have moved since it was last lent.
    func refreshSubject() {
        context.pointee.subject = record.block.text(of: .subject)
        if knownCurrent != nil { knownCurrent = nil }
    }

    var record: SubjectRecord {
        // A scope that was begun has one.
        @inline(__always) _read { yield lent!.record }
        @inline(__always) _modify { yield &lent!.record }
    }

    var texts: Arena { lentTexts.object }

    var cContext: UnsafePointer<belfry_context> { UnsafePointer(context) }

    /// The candidate as C sees it, asked about under that counter.
    @inline(__always)
    func cCandidate(counter: UnsafePointer<CounterKey>) -> UnsafePointer<belfry_candidate> {
        cCandidate.pointee.counter = counter.pointee.text
        return UnsafePointer(cCandidate)
    }

    /// The key of a counter of that name; lent as long as the texts of answers.
    func key(_ counter: String) -> UnsafePointer<CounterKey> {
        let place = texts.allocate(bytes: MemoryLayout<CounterKey>.size).bindMemory(to: CounterKey.self, capacity: 1)
        place.initialize(to: CounterKey(texts.text(counter)))
        return UnsafePointer(place)
    }

    /// Takes over what a filter changed.
    func refreshCandidate() { candidate.write(to: cCandidate, in: arena) }

    /// Writes the id of the notification that the candidate has become.
    func nameCandidate() { candidate.writeNotification(to: cCandidate, in: arena) }

    /// The zone of the subject.
    var zone: Lent<Zone> {
        if let knownZone { return knownZone }
        // Most subjects name none.
        let zone =
            record.hasChannels || record.namesZone
            ? Lent(catalog.zone(of: record, channel: channel)) : Lent(catalog.zone)
        knownZone = zone
        return zone
    }

    /// A scope that was begun has a record.
    var segment: SegmentProperties { SegmentProperties(lent!, channel: channel) }

    func holds(_ condition: Condition.Clause, withCandidate: Bool) -> Bool {
        guard withCandidate, hasCandidate else { return condition.holds(for: segment) }
        return condition.holds(
            for: CandidateProperties(candidate: candidate, segment: segment, hasBareAttributes: true))
    }
}

extension Catalog {
    /// The channel's zone, else that of the channel registered last, else the user's, else the configuration's (docs/strategies.md).
    public func zone(of record: borrowing SubjectRecord, channel: String? = nil) -> Zone {
        let channels = record.channelList
        return named(channel.flatMap { channels[$0]?.timeZone }) ?? named(
            channels.last.flatMap { channels[$0]?.timeZone })
            ?? named(record.user["timeZone"]?.text) ?? zone
    }

    private func named(_ name: String?) -> Zone? { name.flatMap { services.zones.zone(named: $0) } }
}

extension SubjectRecord.Channels {
    fileprivate subscript(id: String) -> SubjectRecord.Channel? { all.first { $0.id.isSameText(as: id) } }
}

extension SubjectRecord.Channel {
    fileprivate var timeZone: String? { (automatic["timeZone"] ?? attributes["timeZone"])?.text }
}

extension RecordBlock {
    /// Lends the text that a section is, until the record changes.
    func text(of section: Section) -> belfry_text {
        let range = range(of: section)
        return belfry_text(
            bytes: (address + range.lowerBound).assumingMemoryBound(to: CChar.self), length: UInt64(range.count))
    }
}
