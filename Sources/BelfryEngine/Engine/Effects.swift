import BelfryModel
import CBelfry

/// What came of one signal or timer, besides what changed in the record.
///
/// Decisions about candidates are kept as plain bytes that refer to the catalog of the engine, in memory that is used again: to decide
/// allocates nothing. `decisions` tells them in full; `write` puts them into their lines. Both need the engine to be there.
public struct Effects: ~Copyable {
    /// Whom it is about.
    public private(set) var subject = ""
    /// What the host is to forward, in order; nothing where nothing is forwarded.
    public var outgoing: [Outgoing] = []
    /// For the operator: sentences about odd but harmless things.
    public var warnings: [String] = []
    /// Things that were accepted and deliberately had no effect.
    public var ignored: [Ignored: Int] = [:]
    /// How many candidates each silence swallowed, and the last one's time, by its id.
    public private(set) var silenced: [String: Swallowed] = [:]

    /// In the order they are to leave.
    private(set) var lines = ReusedList<Line>()
    /// Of lines that are not about a candidate.
    private(set) var bodies: [Decision.Body] = []
    /// Of candidates that are not shown as their campaign is configured.
    private(set) var contents: [Decision.Content] = []
    private(set) var denials = ReusedList<Denial>()
    /// Where the texts of denials and causes are, in UTF-8 as far as plugins keep to it.
    let texts = Arena()

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

    /// Forgets everything but its memory: what follows is about that subject.
    public mutating func begin(_ subject: String) {
        self.subject = subject
        if !outgoing.isEmpty { outgoing.removeAll(keepingCapacity: true) }
        if !warnings.isEmpty { warnings.removeAll() }
        if !ignored.isEmpty { ignored.removeAll() }
        if !silenced.isEmpty { silenced.removeAll() }
        lines.removeAll()
        denials.removeAll()
        if !bodies.isEmpty { bodies.removeAll(keepingCapacity: true) }
        if !contents.isEmpty { contents.removeAll(keepingCapacity: true) }
        texts.reset()
    }

    mutating func ignore(_ what: Ignored) { ignored[what, default: 0] += 1 }

    mutating func count(silence id: String, at time: Instant) {
        silenced[id, default: Swallowed()] += Swallowed(count: 1, last: time)
    }

    /// What a silence swallowed.
    public struct Swallowed: Sendable, Hashable {
        public var count = 0
        public var last = Instant.distantPast

        public init(count: Int = 0, last: Instant = .distantPast) { (self.count, self.last) = (count, last) }

        public static func += (left: inout Swallowed, right: Swallowed) {
            left = Swallowed(count: left.count + right.count, last: max(left.last, right.last))
        }
    }
}

extension Effects {
    /// A decision, before it is told or written.
    struct Line {
        let number: UInt64
        let cause: belfry_text
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
        let trigger: Lent<TriggerPlan>
        let region: Lent<RegionPlan>?
        /// Of the notification, if it was created.
        let number: UInt32
        /// The index of what is shown; nil: as its campaign is configured.
        let content: Int?
        /// The first of its denials, the first that is only observed, and their end.
        let first, middle, end: Int
        let until: Instant?

        var reasons: Range<Int> { first..<middle }
        var observed: Range<Int> { middle..<end }
    }

    /// One entry's no, or not yet. Its texts are kept by the effects or the catalog.
    struct Denial {
        /// Nil: the host's own.
        let plan: Lent<EntryPlan>?
        let until: Instant?
        /// Absent: the name of the strategy.
        let code: belfry_text
        let message: belfry_text
        /// Absent where there is none.
        let counter: belfry_text
    }

    mutating func add(_ body: Decision.Body, _ moment: borrowing Engine.Moment) {
        bodies.append(body)
        add(body.kind, .told(bodies.count - 1), moment)
    }

    @inline(__always)
    private mutating func add(_ kind: Decision.Kind, _ body: Body, _ moment: borrowing Engine.Moment) {
        moment.record.decisions += 1
        lines.append(
            Line(
                number: moment.record.decisions, cause: texts.text(moment.cause), time: moment.now, kind: kind,
                body: body))
    }

    /// Adds what the answers about a candidate came to.
    mutating func add(
        _ kind: Decision.Kind, _ candidate: Candidate, number: UInt32 = 0, _ outcome: Outcome, _ answers: Answers,
        slotDenial: Decision.Denial? = nil, _ moment: borrowing Engine.Moment
    ) {
        let first = denials.count
        answers.forEachDenied { if outcome.isReason($0) { add($0) } }
        if let slotDenial { add(slotDenial) }
        let middle = denials.count
        if answers.haveObserved {
            for answer in answers.deniedPlaces where outcome.isObserved(answer) { add(answer) }
        }
        var content: Int?
        if kind == .created, !candidate.isAsConfigured {
            content = contents.count
            contents.append(candidate.content)
        }
        add(
            kind,
            .candidate(
                CandidateLine(
                    trigger: candidate.trigger, region: candidate.region, number: number, content: content,
                    first: first, middle: middle, end: denials.count, until: outcome.until)),
            moment)
    }

    private mutating func add(_ answer: UnsafePointer<Answer>) {
        denials.append(
            Denial(
                plan: answer.pointee.step.pointee.plan, until: answer.pointee.said.until,
                code: answer.pointee.isFault ? Self.fault : answer.pointee.said.code,
                message: answer.pointee.said.message, counter: answer.pointee.key.pointee.text))
    }

    /// The code of every fault.
    private static var fault: belfry_text {
        let code: StaticString = "fault"
        return belfry_text(
            bytes: UnsafeRawPointer(code.utf8Start).assumingMemoryBound(to: CChar.self),
            length: UInt64(code.utf8CodeUnitCount))
    }

    private mutating func add(_ denial: Decision.Denial) {
        denials.append(
            Denial(
                plan: nil, until: denial.until, code: texts.text(denial.code), message: texts.text(denial.message),
                counter: .absent))
    }
}

extension Effects {
    /// In the order they are to leave. An `invoked` one has no outcome yet: the host runs the action after the commit.
    public var decisions: [Decision] { (0..<count).map { decision($0) } }

    public func decision(_ index: Int) -> Decision {
        let line = lines[index]
        return Decision(
            subject: subject, number: line.number, time: line.time, cause: line.cause.string ?? "", body: body(of: line)
        )
    }

    private func body(of line: Line) -> Decision.Body {
        switch line.body {
        case .told(let index): bodies[index]
        case .candidate(let candidate): body(of: candidate, line.kind)
        }
    }

    private func body(of line: CandidateLine, _ kind: Decision.Kind) -> Decision.Body {
        let trigger = line.trigger.object
        let campaign = trigger.campaign
        let origin = Decision.Origin(
            campaign: campaign.campaign.id, trigger: trigger.trigger?.id, region: line.region?.object.region.id)
        let observed = line.observed.map { denials[$0].told }
        guard kind == .created else {
            let refused = Decision.Refused(
                origin: origin, reasons: line.reasons.map { denials[$0].told }, observed: observed, until: line.until)
            return kind == .deferred ? .deferred(refused) : .suppressed(refused)
        }
        return .created(
            Decision.Created(
                notification: "\(origin.campaign)/\(line.number)", origin: origin,
                content: line.content.map { contents[$0] } ?? campaign.content ?? Decision.Content(),
                observed: observed))
    }
}

extension Effects.Denial {
    fileprivate var told: Decision.Denial {
        let entry = plan?.object.entry
        return Decision.Denial(
            strategy: entry?.id ?? "belfry", code: code.string ?? entry?.strategy ?? "", message: message.string ?? "",
            until: until, counter: counter.string)
    }
}
