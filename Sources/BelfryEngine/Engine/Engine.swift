import BelfryModel

/// Decides what follows from a signal: the pure core.
///
/// A function of catalog, record, signal and the ticks that have passed, and of nothing else: no clock, no I/O, no randomness. What
/// changes, changes in the record; what leaves, is in the effects. An engine is used by one thread at a time.
public final class Engine {
    public let catalog: Catalog
    /// What is to be forwarded; as configured, unless the host has it another way.
    @exclusivity(unchecked) public var forward: Configuration.Forward? { didSet { isForwarding = forward != nil } }
    @exclusivity(unchecked) private var isForwarding: Bool
    /// Is shown how the chain was asked. Nil where nothing is to be explained. It changes nothing.
    @exclusivity(unchecked) public var observer: ((ChainEvaluation) -> Void)?
    let scope: CallScope
    /// The timer of the digest that the last candidate filled.
    @exclusivity(unchecked) var filled: FilledDigest?
    /// Nil without experiments.
    let assigner: ExperimentAssigner?
    private let memory: DuplicateMemory
    /// The beginning of the last fingerprint: nearly all signals are of one source.
    @exclusivity(unchecked) private var lastSpace = (name: "", hash: Engine.hash(ofSpace: ""))

    public init(_ catalog: Catalog) {
        self.catalog = catalog
        forward = catalog.configuration.forward
        isForwarding = catalog.configuration.forward != nil
        memory = catalog.configuration.duplicates
        scope = CallScope(catalog)
        assigner = catalog.experiments.isEmpty ? nil : ExperimentAssigner(catalog)
    }

    /// What is at hand while one signal or timer is worked on.
    struct Moment {
        let lent: LentRecord
        let now: Instant
        /// When it happened: before `now` for a late signal.
        let time: Instant
        let cause: String
        let channel: String?

        var record: SubjectRecord {
            @inline(__always) _read { yield lent.record }
            @inline(__always) nonmutating _modify { yield &lent.record }
        }
    }

    // MARK: The way of a signal

    /// What became of a signal.
    public struct Progress: Sendable, Hashable {
        /// Ignored: it was processed before, or a request had its key before.
        public var isDuplicate = false
        /// Processed at the subject's time, because its own was before that.
        public var isLate = false
        public var timersFired = 0
        /// Which of the decisions came of the signal itself: those before and behind it came of timers.
        public var own = 0..<0
    }

    /// Decides a signal on the record of its subject: admits it, fires the timers that are due before it, applies it, and fires those that
    /// it armed for an instant that has passed.
    ///
    /// - Parameters:
    ///   - passed: the last tick: every timer due at or before it has fired.
    ///   - effects: what comes of it; begun for the subject.
    /// - Throws: a `SignalFault` before anything has changed.
    public func decide(
        _ signal: Signal, on record: inout SubjectRecord, passed: Instant, into effects: inout Effects
    ) throws(SignalFault) -> Progress {
        try withUnsafeMutablePointer(to: &record) { pointer throws(SignalFault) in
            try decide(signal, LentRecord(pointer), passed: passed, into: &effects)
        }
    }

    private func decide(
        _ signal: Signal, _ lent: LentRecord, passed: Instant, into effects: inout Effects
    ) throws(SignalFault) -> Progress {
        let id = signal.id.map { fingerprint(signal.source, $0) }
        // Taken out of the signal once: each time counts its texts.
        guard case .requested(let request) = signal.event else {
            return try drive(signal, id, lent, passed, into: &effects) { _ in
                false
            } check: { (record) throws(SignalFault) in
                if let fault = fault(of: signal, record) { throw fault }
            } apply: { _, moment, effects in
                apply(signal, id, moment, into: &effects)
            }
        }
        return try drive(signal, id, lent, passed, into: &effects) { now in
            isRepeated(request, lent.record, at: now)
        } check: { (_) throws(SignalFault) in
            try wanted(by: request)
        } apply: { wanted, moment, effects in
            answer(request, wanted, moment, into: &effects)
        }
    }

    /// Admits a signal, advances its subject, and applies it: the one way for all signals.
    ///
    /// - Parameters:
    ///   - isRepeated: whether it is a duplicate for another reason than its id, at the instant when it would be processed.
    ///   - check: finds what the signal is about, or why there is nothing.
    @inline(__always)
    private func drive<Wanted>(
        _ signal: Signal, _ id: UInt64?, _ lent: LentRecord, _ passed: Instant, into effects: inout Effects,
        isRepeated: (Instant) -> Bool, check: (borrowing SubjectRecord) throws(SignalFault) -> Wanted,
        apply: (Wanted, borrowing Moment, inout Effects) -> Void
    ) throws(SignalFault) -> Progress {
        var progress = Progress()
        // When it would be processed.
        let now = max(lent.record.latest, signal.time)
        progress.isDuplicate =
            id.map { lent.record.remembers($0, in: .ids, memory, at: now) } ?? false || isRepeated(now)
        if progress.isDuplicate { return progress }
        let wanted = try check(lent.record)
        if lent.record.isDue(by: signal.time) { progress.timersFired += fire(lent, until: signal.time, into: &effects) }
        let first = effects.count
        progress.isLate = signal.time < lent.record.latest
        if !progress.isLate { lent.record.latest = signal.time }
        remember(id, lent)
        let moment = Moment(
            lent: lent, now: lent.record.latest, time: signal.time, cause: signal.cause, channel: signal.channel)
        if catalog.isMonitored { startMonitoring(moment, into: &effects) }
        if isForwarding { forward(signal, moment, into: &effects) }
        apply(wanted, moment, &effects)
        if !catalog.signalTriggers.isEmpty { decideAwaited(signal, lent, into: &effects) }
        progress.own = first..<effects.count
        if lent.record.isDue(by: passed) { progress.timersFired += fire(lent, until: passed, into: &effects) }
        return progress
    }

    /// Fires the timers of a subject that are due at or before a tick, in order of due time, with that as the time of their decisions.
    ///
    /// - Returns: how many.
    public func tick(
        _ record: inout SubjectRecord, to time: Instant, into effects: inout Effects
    ) -> Int {
        withUnsafeMutablePointer(to: &record) { fire(LentRecord($0), until: time, into: &effects) }
    }

    private func isRepeated(
        _ request: Signal.Request, _ record: borrowing SubjectRecord, at now: Instant
    ) -> Bool {
        guard !request.isPlain, let key = request.key else { return false }
        return record.remembers(fingerprint(request.campaign, key), in: .requestKeys, memory, at: now)
    }

    private func remember(_ id: UInt64?, _ lent: LentRecord) {
        if let id { lent.record.remember(id, in: .ids, memory, at: lent.record.latest) }
    }

    /// Notes the key of a request, by which it is known when it comes again.
    func remember(key: String, of campaign: String, _ moment: borrowing Moment) {
        moment.record.remember(fingerprint(campaign, key), in: .requestKeys, memory, at: moment.now)
    }

    private func decideAwaited(_ signal: Signal, _ lent: LentRecord, into effects: inout Effects) {
        guard let triggers = catalog.signalTriggers[SubjectKey(signal.type)], !isIgnored(signal.event) else { return }
        // A reset has set the time of its subject.
        let moment = Moment(
            lent: lent, now: lent.record.latest, time: signal.time, cause: signal.cause, channel: signal.channel)
        for trigger in triggers where trigger.isPublished {
            let asked = signal.data.map { SubjectRecord.Asked(eventData: $0) }
            become(trigger, moment, asked: asked, into: &effects)
            decide(moment, into: &effects)
        }
    }

    /// Whether the signal is counted as ignored, and nothing else: no trigger rings for it.
    private func isIgnored(_ event: Signal.Event) -> Bool {
        switch event {
        case .located(_, _, let accuracy): isTooRough(accuracy)
        case .ranged(let uuid, let major, let minor, _):
            regions(covering: Beacon(uuid: uuid, major: major, minor: minor)).isEmpty
        default: false
        }
    }

    private func apply(_ signal: Signal, _ id: UInt64?, _ moment: borrowing Moment, into effects: inout Effects) {
        switch signal.event {
        case .requested: break  // answered
        case .located(let latitude, let longitude, let accuracy):
            locate(Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy, moment, into: &effects)
        case .entered(let region): cross(Crossing(entering: [region], isReported: true), moment, into: &effects)
        case .exited(let region): cross(Crossing(leaving: [region], isReported: true), moment, into: &effects)
        case .ranged(let uuid, let major, let minor, let distance):
            sight(Beacon(uuid: uuid, major: major, minor: minor), distance: distance, moment, into: &effects)
        case .deletionRequested(let campaign): delete(current(of: campaign, moment), moment, into: &effects)
        case .opened(let notification, let button): open(notification, button: button, moment, into: &effects)
        case .dismissed: break
        case .foregrounded: move(toForeground: true, moment, into: &effects)
        case .backgrounded: move(toForeground: false, moment, into: &effects)
        case .sessionStarted: recordSession("sessionStart", signal, moment, into: &effects)
        case .sessionEnded: recordSession("sessionEnd", signal, moment, into: &effects)
        case .attributesSet, .attributesUpdated, .attributesDeleted, .deviceRegistered:
            changeAttributes(signal.event, moment)
        case .enabled: enable(true, moment, into: &effects)
        case .disabled: enable(false, moment, into: &effects)
        case .reset:
            moment.record.reset()
            moment.record.latest = signal.time
            remember(id, moment.lent)
        case .historyCleared(.notifications): moment.record.clearHistory()
        case .historyCleared(.geotriggers): moment.record.clearGeotriggers()
        case .clockAdvanced: break
        case .custom:
            if catalog.hearsReceipts, let receipt = Receipt(signal) {
                receive(receipt, moment, into: &effects)
            } else if catalog.signalTriggers[SubjectKey(signal.type)] == nil {
                effects.ignore(.unawaitedSignal)
            }
        }
    }

    private func fingerprint(_ space: String, _ name: String) -> UInt64 {
        if !space.isSameText(as: lastSpace.name) { lastSpace = (space, Self.hash(ofSpace: space)) }
        return stableHash(name, seed: lastSpace.hash)
    }

    private static func hash(ofSpace name: String) -> UInt64 { stableHash(name) | 1 }
}

extension SubjectRecord {
    @inline(__always)
    fileprivate func isDue(by time: Instant) -> Bool { block[.nextDue] <= time.milliseconds && nextDue != nil }
}
