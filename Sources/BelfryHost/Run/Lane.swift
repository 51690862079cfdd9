import BelfryEngine
import BelfryModel
import BelfryStore

/// Decides signals by one configuration: its engine with the records, the timers and the time. Reads no input, writes no output.
///
/// A run has one; whoever wants to know what another configuration would do has one for each.
final class Lane {
    @exclusivity(unchecked) private(set) var engine: Engine
    let cache: RecordCache
    /// The largest time accepted.
    @exclusivity(unchecked) private(set) var watermark: Instant
    /// What came of the signals since it was last emptied.
    @exclusivity(unchecked) var effects = Effects()
    @exclusivity(unchecked) var summary = RunSummary()
    @exclusivity(unchecked) private var timers = TimerQueue()

    /// Goes on where the store is.
    init(_ engine: Engine, store: any RecordStore, cache: RecordCache, watermark: Instant) throws {
        self.engine = engine
        self.cache = cache
        self.watermark = watermark
        for (subject, due) in try store.timers() { timers.set(subject, due) }
    }

    /// - Parameter pause: as of `advance`.
    /// - Returns: false when the run is to end before the signal.
    /// - Throws: a `SignalReject` before anything has changed, time included; anything else ends the run.
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
        let record = try cache.entry(for: signal.subject).record
        guard !engine.isDuplicate(signal, record) else {
            summary.duplicates += 1
            return false
        }
        if let fault = engine.check(signal, record) { throw SignalReject(fault) }
        return true
    }

    /// The last step, when it was admitted and time has come to it.
    func apply(_ signal: Signal) throws {
        summary.processed += 1
        if case .clockAdvanced = signal.event { return }
        // Looked up anew: when timers fired, the cache may have made room.
        let entry = try cache.entry(for: signal.subject)
        if engine.process(signal, entry.record, into: &effects) { summary.late += 1 }
        note(entry)
    }

    /// When the next timer is due; nil without any.
    func nextDue() -> Instant? { timers.nextDue() }

    /// Fires every timer that is due by then, in order of due time, and moves the watermark.
    ///
    /// Also before the watermark: a subject who is behind the others may have timers there.
    ///
    /// - Parameter pause: called after each timer, since a long time may have passed: the watermark is still before the timers
    ///   that have not fired. Returns whether to go on.
    /// - Returns: false when the run is to end before that.
    func advance(to time: Instant, pause: () throws -> Bool) throws -> Bool {
        while let subject = timers.next(until: time) {
            let entry = try cache.entry(for: subject)
            engine.fireNextTimer(of: entry.record, into: &effects)
            summary.timersFired += 1
            note(entry)
            guard try pause() else { return false }
        }
        watermark = max(watermark, time)
        return true
    }

    /// Takes back that a geotrigger was handled.
    func markUnhandled(_ campaign: String, firedAt time: Instant, of subject: String) throws {
        let entry = try cache.entry(for: subject)
        engine.markUnhandled(campaign, firedAt: time, in: entry.record)
        note(entry)
    }

    /// Counts what came of the signals, and forgets it.
    func clearEffects() {
        summary.count(effects)
        for (what, count) in effects.ignored { summary.ignored[what, default: 0] += count }
        effects.removeAll()
    }

    /// From the next signal on, everything is decided by this. To plugins it is as if the process had started again.
    func take(_ engine: Engine) {
        cache.freeze()
        self.engine = engine
    }

    /// Notes that a record has changed, and when its next timer is due.
    private func note(_ entry: RecordCache.Entry) {
        cache.touch(entry)
        let due = entry.record.nextDue
        guard due != entry.due else { return }
        entry.due = due
        timers.set(entry.record.subject, due)
    }
}
