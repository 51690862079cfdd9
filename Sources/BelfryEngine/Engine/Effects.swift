import BelfryModel

/// What came of a signal or a timer, besides what changed in the record.
///
/// Decisions about candidates are kept as plain bytes that refer to the catalog, in memory that is used again: to decide
/// allocates nothing. `decisions` tells them in full; `write` puts them into their lines.
public struct Effects: @unchecked Sendable {
    // Unchecked: the plans that lines refer to are immutable, and kept by the catalog.

    /// What the host is to forward, in order; nothing where nothing is forwarded.
    public var outgoing: [Outgoing] = []
    /// For the operator: sentences about odd but harmless things.
    public var warnings: [String] = []
    /// Things that were accepted and deliberately had no effect.
    public var ignored: [Ignored: Int] = [:]

    /// In the order they are to leave.
    private(set) var lines: [Line] = []
    /// Of lines that are not about a candidate.
    private(set) var bodies: [Decision.Body] = []
    /// Of candidates that are not shown as their campaign is configured.
    private(set) var contents: [Decision.Content] = []
    private(set) var denials: [Denial] = []
    /// What denials say, in UTF-8 as far as plugins keep to it.
    private(set) var text = TextPile()
    /// Keep the plans that lines refer to. More than one only where an engine with another catalog added to what there was.
    private var catalogs: [Catalog] = []
    private var lastCatalog: UnsafeRawPointer?

    public enum Ignored: String, Sendable, CaseIterable {
        case inaccuratePosition = "inaccurate positions"
        case unknownBeacon = "sightings of unknown beacons"
        /// A misspelt type looks like this, too.
        case unawaitedSignal = "custom signals that no trigger waits for"
    }

    public init() {}

    /// How many decisions there are.
    public var count: Int { lines.count }

    public func kind(of index: Int) -> Decision.Kind { lines[index].kind }

    /// Empties it for the next batch, keeping its memory.
    public mutating func removeAll() {
        outgoing.removeAll(keepingCapacity: true)
        warnings.removeAll()
        ignored.removeAll()
        lines.removeAll(keepingCapacity: true)
        bodies.removeAll(keepingCapacity: true)
        contents.removeAll(keepingCapacity: true)
        denials.removeAll(keepingCapacity: true)
        text.removeAll()
        if catalogs.count > 1 { catalogs.removeFirst(catalogs.count - 1) }
    }

    mutating func ignore(_ what: Ignored) { ignored[what, default: 0] += 1 }
}

extension Effects {
    /// A decision, before it is told or written.
    struct Line {
        let subject: String
        let cause: String
        let time: Instant
        let kind: Decision.Kind
        let body: Body
    }

    enum Body {
        /// The index of its body.
        case told(Int)
        case candidate(CandidateLine)
    }

    /// What was decided about a candidate: created, suppressed or deferred.
    struct CandidateLine {
        let catalog: Unmanaged<Catalog>
        let trigger: Unmanaged<TriggerPlan>
        let region: Unmanaged<RegionPlan>?
        /// Of the notification, if it was created.
        let number: Int64
        /// The index of what is shown; nil: as its campaign is configured.
        let content: Int?
        let reasons: Range<Int>
        let observed: Range<Int>
        let until: Instant?
    }

    /// One entry's no, or not yet, with its texts in `text`.
    struct Denial {
        /// Nil: the host's own.
        let plan: Unmanaged<EntryPlan>?
        let until: Instant?
        private let texts: TextPile.Triple

        init(_ plan: Unmanaged<EntryPlan>?, until: Instant?, _ texts: TextPile.Triple) {
            (self.plan, self.until, self.texts) = (plan, until, texts)
        }

        /// Nil: the name of the strategy.
        var code: Range<Int>? { texts.first }
        var message: Range<Int> { texts.second ?? 0..<0 }
        var counter: Range<Int>? { texts.third }
    }

    mutating func add(_ body: Decision.Body, _ moment: Engine.Moment) {
        bodies.append(body)
        lines.append(
            Line(
                subject: moment.record.subject, cause: moment.cause, time: moment.now, kind: body.kind,
                body: .told(bodies.count - 1)))
    }

    /// Adds what the answers about a candidate came to.
    mutating func add(
        _ kind: Decision.Kind, _ candidate: Candidate, number: Int64 = 0, _ outcome: Outcome, _ answers: Answers,
        hostDenials: [Decision.Denial] = [], _ moment: Engine.Moment, _ catalog: Catalog
    ) {
        keep(catalog)
        let first = denials.count
        for answer in answers.deniedPlaces where outcome.counts(answer) { add(answer) }
        for denial in hostDenials { add(denial) }
        let middle = denials.count
        for answer in answers.deniedPlaces where outcome.isObserved(answer) { add(answer) }
        var content: Int?
        if kind == .created, !candidate.isAsConfigured {
            content = contents.count
            contents.append(candidate.content)
        }
        let line = CandidateLine(
            catalog: .passUnretained(catalog), trigger: candidate.lentTrigger, region: candidate.lentRegion,
            number: number, content: content, reasons: first..<middle, observed: middle..<denials.count,
            until: outcome.until)
        lines.append(
            Line(
                subject: moment.record.subject, cause: moment.cause, time: moment.now, kind: kind,
                body: .candidate(line)))
    }

    private mutating func keep(_ catalog: Catalog) {
        let address = UnsafeRawPointer(Unmanaged.passUnretained(catalog).toOpaque())
        if address == lastCatalog { return }
        catalogs.append(catalog)
        lastCatalog = address
    }

    private mutating func add(_ answer: UnsafePointer<Answer>) {
        let texts = text.add(
            answer.pointee.isFault ? Self.fault : answer.pointee.code.utf8, answer.pointee.message.utf8,
            answer.pointee.counterKey.text.utf8)
        denials.append(Denial(answer.pointee.step.pointee.plan, until: answer.pointee.until, texts))
    }

    /// The code of every fault.
    private static var fault: UnsafeRawBufferPointer {
        let code: StaticString = "fault"
        return UnsafeRawBufferPointer(start: code.utf8Start, count: code.utf8CodeUnitCount)
    }

    private mutating func add(_ denial: Decision.Denial) {
        let texts = denial.code.withBytes { code in
            denial.message.withBytes { text.add(code, $0, UnsafeRawBufferPointer(start: nil, count: 0)) }
        }
        denials.append(Denial(nil, until: denial.until, texts))
    }
}

extension Effects {
    /// In the order they are to leave. An `invoked` one has no outcome yet: the host runs the action after the commit.
    public var decisions: [Decision] { lines.indices.map { decision($0) } }

    public func decision(_ index: Int) -> Decision {
        let line = lines[index]
        return Decision(subject: line.subject, time: line.time, cause: line.cause, body: body(of: line))
    }

    private func body(of line: Line) -> Decision.Body {
        switch line.body {
        case .told(let index): bodies[index]
        case .candidate(let candidate): body(of: candidate, line.kind)
        }
    }

    private func body(of line: CandidateLine, _ kind: Decision.Kind) -> Decision.Body {
        let trigger = line.trigger.takeUnretainedValue()
        let campaign = trigger.campaign
        let origin = Decision.Origin(
            campaign: campaign.campaign.id, trigger: trigger.trigger?.id,
            region: line.region?.takeUnretainedValue().region.id)
        let observed = denials[line.observed].map(denial)
        guard kind == .created else {
            let refused = Decision.Refused(
                origin: origin, reasons: denials[line.reasons].map(denial), observed: observed, until: line.until)
            return kind == .deferred ? .deferred(refused) : .suppressed(refused)
        }
        return .created(
            Decision.Created(
                notification: "\(origin.campaign)/\(line.number)", origin: origin,
                content: line.content.map { contents[$0] } ?? campaign.content ?? Decision.Content(),
                observed: observed))
    }

    private func denial(_ denial: Denial) -> Decision.Denial {
        let entry = denial.plan?.takeUnretainedValue().entry
        return Decision.Denial(
            strategy: entry?.id ?? "belfry", code: denial.code.map(words) ?? entry?.strategy ?? "",
            message: words(denial.message), until: denial.until, counter: denial.counter.map(words))
    }

    private func words(_ range: Range<Int>) -> String { text.withBytes(range) { String(decoding: $0, as: UTF8.self) } }
}
