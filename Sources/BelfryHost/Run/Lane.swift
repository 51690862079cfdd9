import BelfryEngine
import BelfryModel
import BelfryStore

/// Decides signals by one configuration: its engine with the records, the timers and the time. Reads no input, writes no output.
///
/// A run has one for each thread; whoever wants to know what another configuration would do has one for each of the two.
final class Lane {
    @exclusivity(unchecked) private(set) var engine: Engine {
        didSet { lentEngine = .passUnretained(engine) }
    }
    @exclusivity(unchecked) private var lentEngine: Unmanaged<Engine>
    let cache: RecordCache
    /// The largest time accepted.
    @exclusivity(unchecked) private(set) var watermark: Instant
    /// What came of the signals since it was last emptied.
    @exclusivity(unchecked) var effects = Effects()
    @exclusivity(unchecked) var summary = RunSummary()
    @exclusivity(unchecked) private var timers = TimerQueue()
    /// The lines of what came of them, as far as they are written.
    @exclusivity(unchecked) var lines = LaneLines()
    /// Which signal or timer each decision came of, for somebody who puts them in order with those of other lanes; kept only
    /// where there are others.
    @exclusivity(unchecked) private(set) var pieces: [Piece] = []
    var hasOthers = false
    /// The place in the batch of the signal at work.
    var place = 0

    /// What came of one signal or timer.
    struct Piece {
        /// Which signal, or which one the timer fired before.
        let place: Int
        /// Of a timer, whose it was and when it was due.
        let timer: (due: Instant, subject: String)?
        let decisions: Range<Int>
        let outgoing: Range<Int>
    }

    init(_ engine: Engine, cache: RecordCache, watermark: Instant) {
        self.engine = engine
        lentEngine = .passUnretained(engine)
        self.cache = cache
        self.watermark = watermark
    }

    /// Goes on where the store is.
    convenience init(_ engine: Engine, store: any RecordStore, cache: RecordCache, watermark: Instant) throws {
        self.init(engine, cache: cache, watermark: watermark)
        for (subject, due) in try store.timers() { expectTimer(of: subject, at: due) }
    }

    /// Knows of the earliest timer in a record that lies in the store.
    func expectTimer(of subject: String, at due: Instant?) { timers.set(subject, due) }

    /// All steps of a signal, where there are no other lanes.
    ///
    /// - Parameter pause: as of `advance`.
    /// - Returns: false when the run is to end before the signal.
    func process(_ signal: Signal, pause: () throws -> Bool) throws -> Bool {
        guard try admit(signal) else { return true }
        guard try advance(to: signal.time, pause: pause) else { return false }
        try apply(signal)
        return true
    }

    /// The first step of a signal: whether it is to be processed. A duplicate is not, and is counted.
    ///
    /// - Throws: `SignalReject`.
    func admit(_ signal: Signal) throws -> Bool {
        if case .clockAdvanced = signal.event { return true }
        return try with(signal.subject) { engine, record in
            record.prefetchParts()
            guard !engine.isDuplicate(signal, record) else {
                summary.duplicates += 1
                return false
            }
            if let fault = engine.check(signal, record) { throw SignalReject(fault) }
            prefetch(engine.lastRequestAddress, bytes: 192)
            return true
        }
    }

    /// Lends the engine and the record of a subject: both are kept meanwhile, so nobody counts references to them.
    @inline(__always)
    private func with<Result>(
        _ subject: String, _ body: (Engine, SubjectRecord) throws -> Result
    ) throws -> Result {
        let record = try cache.lent(subject)
        return try lentEngine._withUnsafeGuaranteedRef { engine in
            try record._withUnsafeGuaranteedRef { record in try body(engine, record) }
        }
    }

    /// The last step, when it was admitted and time has come to it.
    func apply(_ signal: Signal) throws {
        summary.processed += 1
        if case .clockAdvanced = signal.event { return }
        let before = (effects.count, effects.outgoing.count)
        // Looked up anew: when timers fired, the cache may have made room.
        try with(signal.subject) { engine, record in
            if engine.process(signal, record, into: &effects) { summary.late += 1 }
            note(record)
        }
        notePiece(since: before, timer: nil)
    }

    /// When the next timer is due; nil without any.
    func nextDue() -> Instant? { timers.next(until: Instant(milliseconds: .max))?.due }

    /// Fires every timer that is due by then, in order of due time, and moves the watermark.
    ///
    /// Also before the watermark: a subject who is behind the others may have timers there.
    ///
    /// - Parameter pause: called after each timer, since a long time may have passed: the watermark is still before the timers
    ///   that have not fired. Returns whether to go on.
    /// - Returns: false when the run is to end before that.
    func advance(to time: Instant, pause: () throws -> Bool) throws -> Bool {
        while let timer = timers.next(until: time) {
            try fire(timer)
            guard try pause() else { return false }
        }
        arrive(at: time)
        return true
    }

    /// The timer that is due next, if it is due by then.
    func nextTimer(until time: Instant) -> TimerQueue.Timer? { timers.next(until: time) }

    /// Whether there might be a timer that is due by then. Costs nothing; false is certain.
    func mayBeDue(by time: Instant) -> Bool { timers.mayBeDue(by: time) }

    /// Whether more timers than `limit` are due by then.
    func isFlooded(by time: Instant, limit: Int) -> Bool { timers.isFlooded(by: time, limit: limit) }

    func fire(_ timer: TimerQueue.Timer) throws {
        let record = try cache.record(of: timer.subject)
        let before = (effects.count, effects.outgoing.count)
        engine.fireNextTimer(of: record, into: &effects)
        summary.timersFired += 1
        note(record)
        notePiece(since: before, timer: (timer.due, timer.subject))
    }

    /// Time has come to there.
    func arrive(at time: Instant) { watermark = max(watermark, time) }

    private func notePiece(since before: (decisions: Int, outgoing: Int), timer: (due: Instant, subject: String)?) {
        guard hasOthers, effects.count > before.decisions || effects.outgoing.count > before.outgoing else { return }
        pieces.append(
            Piece(
                place: place, timer: timer, decisions: before.decisions..<effects.count,
                outgoing: before.outgoing..<effects.outgoing.count))
    }

    /// Writes the lines of what was decided since the last time.
    func writeLines() { lines.write(effects, source: engine.catalog.configuration.app) }

    /// Takes back that a geotrigger was handled.
    func markUnhandled(_ campaign: String, firedAt time: Instant, of subject: String) throws {
        let record = try cache.record(of: subject)
        engine.markUnhandled(campaign, firedAt: time, in: record)
        note(record)
    }

    /// Counts what came of the signals, and forgets it.
    func clearEffects() {
        summary.count(effects)
        for (what, count) in effects.ignored { summary.ignored[what, default: 0] += count }
        effects.removeAll()
        lines.removeAll()
        pieces.removeAll(keepingCapacity: true)
    }

    /// From the next signal on, everything is decided by this. To plugins it is as if the process had started again.
    func take(_ engine: Engine) {
        cache.freeze()
        self.engine = engine
    }

    /// Notes that a record has changed, and when its next timer is due.
    private func note(_ record: SubjectRecord) {
        cache.touch(record)
        if record.mayHaveTimers { timers.set(record.subject, record.nextDue) }
    }
}
