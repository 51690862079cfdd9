import BelfryModel
import CBelfry

/// The circumstances of calls to plugins about one subject at one instant, and what backs the `belfry_context` they get.
///
/// One engine has one and uses it again for every decision, so that asking allocates nothing. As one thread uses it, and no method
/// hands its properties out to be changed, the run time need not check each access (`exclusivity`); so it is with the other objects
/// on the path of a decision.
final class CallScope {
    let catalog: Catalog
    let arena = Arena()
    let reason: ReasonDrain
    /// What the chain was answered about the candidate.
    @exclusivity(unchecked) var answers = Answers()
    /// What the operator is to know of how it was answered.
    @exclusivity(unchecked) var warnings: [String] = []
    /// Whoever began with it keeps it, as with the candidate.
    @exclusivity(unchecked) private var record: Unmanaged<SubjectRecord>
    private let nobody = SubjectRecord(subject: "")
    @exclusivity(unchecked) private(set) var now = Instant.distantPast
    /// The channel of the signal; nil if it has none. Kept by whoever began with it, too.
    @exclusivity(unchecked) private var channel: LentText?
    /// What is being asked about; nil in hooks about the app.
    @exclusivity(unchecked) private var lentCandidate: Unmanaged<Candidate>?
    /// Looked up when somebody first asks for it; kept by the directory of zones.
    @exclusivity(unchecked) private var knownZone: Unmanaged<Zone>?
    /// Where texts of answers go.
    @exclusivity(unchecked) private var lentTexts: Unmanaged<Arena>
    private let context: UnsafeMutablePointer<belfry_context>
    private let cCandidate: UnsafeMutablePointer<belfry_candidate>
    /// Whether the candidate was written there.
    @exclusivity(unchecked) private var isWritten = false
    /// Of `per: subject`.
    let subjectKey: UnsafePointer<CounterKey>

    init(_ catalog: Catalog) {
        self.catalog = catalog
        reason = ReasonDrain(arena)
        lentTexts = .passUnretained(arena)
        record = .passUnretained(nobody)
        context = .allocate(capacity: 1)
        cCandidate = .allocate(capacity: 1)
        cCandidate.initialize(to: belfry_candidate())
        let key = UnsafeMutablePointer<CounterKey>.allocate(capacity: 1)
        key.initialize(to: .subject)
        subjectKey = UnsafePointer(key)
        context.initialize(to: belfry_context())
        context.pointee.owner = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        answers.deallocate()
        context.deallocate()
        cCandidate.deallocate()
        UnsafeMutablePointer(mutating: subjectKey).deallocate()
    }

    /// The scope behind a context that a plugin was lent: it is there as long as the call, so no reference is counted.
    @inline(__always)
    static func with<Result>(_ context: UnsafePointer<belfry_context>, _ body: (CallScope) -> Result) -> Result {
        Unmanaged<CallScope>.fromOpaque(context.pointee.owner)._withUnsafeGuaranteedRef(body)
    }

    /// Points the scope at a subject, an instant and a candidate. What was lent before is invalid now.
    ///
    /// - Parameters:
    ///   - isReady: whether the candidate lies ready, and need not be written.
    ///   - texts: where texts of answers go, if they are to last longer.
    @inline(__always)
    func begin(
        _ record: SubjectRecord, at now: Instant, channel: LentText?, candidate: Candidate, isReady: Bool = false,
        texts: Unmanaged<Arena>? = nil
    ) {
        begin(record, at: now, channel: channel)
        lentCandidate = .passUnretained(candidate)
        if let texts {
            lentTexts = texts
            reason.texts = texts
        }
        if !isReady { refreshCandidate() }
    }

    /// The same where there is no candidate.
    func begin(_ record: SubjectRecord, at now: Instant, channel: LentText?) {
        arena.reset()
        lentTexts = .passUnretained(arena)
        reason.texts = lentTexts
        knownZone = nil
        self.record = .passUnretained(record)
        self.now = now
        self.channel = channel
        lentCandidate = nil
        isWritten = false
        context.pointee.now = now.milliseconds
        context.pointee.subject = arena.text(record.subject)
        context.pointee.channel = channel.map { arena.text($0.text) } ?? .absent
        switch record.app {
        case .unknown: setApp(BELFRY_APP_UNKNOWN, since: Instant(milliseconds: 0))
        case .foreground(let since): setApp(BELFRY_APP_FOREGROUND, since: since)
        case .background(let since): setApp(BELFRY_APP_BACKGROUND, since: since)
        }
    }

    @inline(__always)
    private func setApp(_ state: UInt32, since: Instant) {
        context.pointee.app = state
        context.pointee.app_since = since.milliseconds
    }

    var texts: Arena { lentTexts.takeUnretainedValue() }

    var candidate: Candidate? { lentCandidate?.takeUnretainedValue() }

    var cContext: UnsafePointer<belfry_context> { UnsafePointer(context) }

    /// The candidate as C sees it, asked about under that counter.
    func cCandidate(counter: UnsafePointer<CounterKey>) -> UnsafePointer<belfry_candidate> {
        cCandidate.pointee.counter = counter.pointee.text
        return UnsafePointer(cCandidate)
    }

    /// The candidate as C sees it of whom an answer is: as it lay ready, unless it was written since.
    @inline(__always)
    func cCandidate(of answer: UnsafePointer<Answer>) -> UnsafePointer<belfry_candidate> {
        if !isWritten, let candidate = answer.pointee.candidate { return candidate }
        return cCandidate(counter: answer.pointee.key)
    }

    /// The key of a counter of that name; lent as long as the texts of answers.
    func key(_ counter: String) -> UnsafePointer<CounterKey> {
        let place = texts.allocate(bytes: MemoryLayout<CounterKey>.size).bindMemory(to: CounterKey.self, capacity: 1)
        place.initialize(to: CounterKey(texts.text(counter)))
        return UnsafePointer(place)
    }

    /// Takes over what a filter changed, or what has become of the candidate.
    func refreshCandidate() {
        candidate?.write(to: cCandidate, in: arena)
        isWritten = true
    }

    /// The zone of the subject.
    var zone: Unmanaged<Zone> {
        if let knownZone { return knownZone }
        let zone = record._withUnsafeGuaranteedRef {
            // Most subjects name none.
            $0.hasChannels || $0.namesZone
                ? Unmanaged.passUnretained(catalog.zone(of: $0, channel: channel?.text)) : .passUnretained(catalog.zone)
        }
        knownZone = zone
        return zone
    }

    var segment: SegmentProperties { SegmentProperties(record, channel: channel) }

    func holds(_ condition: Condition.Clause, withCandidate: Bool) -> Bool {
        guard withCandidate, let candidate else { return condition.holds(for: segment) }
        return condition.holds(
            for: CandidateProperties(candidate: candidate, segment: segment, hasBareAttributes: true))
    }
}

extension Catalog {
    /// The channel's zone, else that of the channel registered last, else the user's, else the configuration's (docs/strategies.md).
    public func zone(of record: SubjectRecord, channel: String? = nil) -> Zone {
        named(channel.flatMap { record.channel($0)?.timeZone })
            ?? named(record.lastChannel.flatMap { record.channel($0)?.timeZone })
            ?? named(record.user["timeZone"]?.text) ?? zone
    }

    private func named(_ name: String?) -> Zone? { name.flatMap { services.zones.zone(named: $0) } }
}

extension SubjectRecord.Channel {
    fileprivate var timeZone: String? { (automatic["timeZone"] ?? attributes["timeZone"])?.text }
}
