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
    /// The channel of the signal; nil if it has none.
    @exclusivity(unchecked) private(set) var channel: String?
    /// What is being asked about; nil in hooks about the app.
    @exclusivity(unchecked) private var lentCandidate: Unmanaged<Candidate>?
    /// Looked up when somebody first asks for it; kept by the directory of zones.
    @exclusivity(unchecked) private var knownZone: Unmanaged<Zone>?
    private let context: UnsafeMutablePointer<belfry_context>
    private let cCandidate: UnsafeMutablePointer<belfry_candidate>

    init(_ catalog: Catalog) {
        self.catalog = catalog
        reason = ReasonDrain(arena)
        record = .passUnretained(nobody)
        context = .allocate(capacity: 1)
        context.initialize(to: belfry_context())
        cCandidate = .allocate(capacity: 1)
        cCandidate.initialize(to: belfry_candidate())
    }

    deinit {
        answers.deallocate()
        context.deallocate()
        cCandidate.deallocate()
    }

    /// The scope behind a context that a plugin was lent: it is there as long as the call, so no reference is counted.
    @inline(__always)
    static func with<Result>(_ context: UnsafePointer<belfry_context>, _ body: (CallScope) -> Result) -> Result {
        Unmanaged<CallScope>.fromOpaque(context.pointee.owner)._withUnsafeGuaranteedRef(body)
    }

    /// Points the scope at a subject, an instant and a candidate. What was lent before is invalid now.
    func begin(_ record: SubjectRecord, at now: Instant, channel: String?, candidate: Candidate) {
        begin(record, at: now, channel: channel)
        lentCandidate = .passUnretained(candidate)
        candidate.write(to: cCandidate, in: arena)
    }

    /// The same where there is no candidate.
    func begin(_ record: SubjectRecord, at now: Instant, channel: String?) {
        arena.reset()
        knownZone = nil
        self.record = .passUnretained(record)
        self.now = now
        if channel != nil || self.channel != nil { self.channel = channel }
        lentCandidate = nil
        var app = (state: BELFRY_APP_UNKNOWN, since: Int64(0))
        switch record.app {
        case .unknown: break
        case .foreground(let since): app = (BELFRY_APP_FOREGROUND, since.milliseconds)
        case .background(let since): app = (BELFRY_APP_BACKGROUND, since.milliseconds)
        }
        context.pointee = belfry_context(
            now: now.milliseconds, subject: arena.text(record.subject), channel: arena.text(channel), app: app.state,
            reserved: 0,
            app_since: app.since, owner: Unmanaged.passUnretained(self).toOpaque())
    }

    var candidate: Candidate? { lentCandidate?.takeUnretainedValue() }

    var cContext: UnsafePointer<belfry_context> { UnsafePointer(context) }

    /// The candidate as C sees it, asked about under that counter.
    func cCandidate(counter: CounterKey) -> UnsafePointer<belfry_candidate> {
        cCandidate.pointee.counter = counter.text
        return UnsafePointer(cCandidate)
    }

    /// The key of a counter of that name; lent until the scope is used for something else.
    func key(_ counter: String) -> CounterKey { CounterKey(arena.text(counter)) }

    /// Takes over what a filter changed.
    func refreshCandidate() {
        candidate?.write(to: cCandidate, in: arena)
    }

    /// The zone of the subject.
    var zone: Unmanaged<Zone> {
        if let knownZone { return knownZone }
        let zone = record._withUnsafeGuaranteedRef {
            // Most subjects name none.
            $0.hasChannels || $0.namesZone
                ? Unmanaged.passUnretained(catalog.zone(of: $0, channel: channel)) : .passUnretained(catalog.zone)
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
