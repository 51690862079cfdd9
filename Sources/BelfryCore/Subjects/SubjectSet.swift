import BelfryEngine
import BelfryModel
import BelfrySignals

/// Subjects that are decided together: an engine with their records and timers. One thread at a time.
public final class SubjectSet {
    @exclusivity(unchecked) package private(set) var engine: Engine
    package let cache: RecordCache
    @exclusivity(unchecked) package var effects = Effects()
    @exclusivity(unchecked) private var timers = TimerQueue()
    /// The last tick: every timer due at or before it has fired.
    @exclusivity(unchecked) private(set) var passed: Instant

    package init(_ engine: Engine, _ cache: RecordCache, passed: Instant = .distantPast) {
        (self.engine, self.cache, self.passed) = (engine, cache, passed)
    }

    /// In memory only.
    public convenience init(_ engine: Engine) { self.init(engine, RecordCache(nil, engine.catalog.services.states)) }

    /// From the next signal on, everything is decided by this.
    package func take(_ engine: Engine) { self.engine = engine }

    /// Knows of the earliest timer in a record that is not in memory.
    package func expectTimer(of subject: String, at due: Instant?) { timers.set(subject, due) }

    /// Goes on with a record that is known from elsewhere, in place of one that is here.
    package func insert(_ record: consuming SubjectRecord) {
        timers.set(record.subject, record.nextDue)
        cache.insert(record)
    }

    /// Takes over how records changed elsewhere.
    ///
    /// - Throws: if they are not the changes of these records.
    package func apply(_ changes: [UInt8]) throws {
        try cache.apply(changes) { timers.set($0.subject, $0.nextDue) }
    }

    /// Lends what came of the last signal or timer.
    public func withEffects<Result>(_ body: (borrowing Effects) throws -> Result) rethrows -> Result {
        try body(effects)
    }

    /// Decides a signal on the record of its subject. What comes of it is in `effects`.
    ///
    /// - Throws: `SignalReject`, before anything has changed; or why the record cannot be read.
    public func decide(_ signal: Signal) throws -> Engine.Progress {
        effects.begin(signal.subject)
        let place = try cache.place(of: signal.subject)
        let progress: Engine.Progress
        do throws(SignalFault) {
            progress = try cache.change(place) { record throws(SignalFault) in
                try engine.decide(signal, on: &record, passed: passed, into: &effects)
            }
        } catch {
            throw SignalReject(error)
        }
        if !progress.isDuplicate { timers.set(effects.subject, cache.records[place].nextDue) }
        return progress
    }

    /// Reads the record of a subject.
    public func withRecord<Result>(
        of subject: String, _ body: (borrowing SubjectRecord) throws -> Result
    ) throws -> Result {
        let place = try cache.place(of: subject)
        return try body(cache.records[place])
    }

    /// Lets go of a record that is stored.
    package func forget(_ subject: String) {
        timers.set(subject, nil)
        cache.forget(subject)
    }

    // MARK: Ticks

    /// The next timer that a tick fires, in order of due time, then subject.
    package func nextTimer(until time: Instant) -> TimerQueue.Timer? { timers.next(until: time) }

    /// The last of the first `count` timers that are due at or before a limit, if there are more than that.
    package func lastTimer(ofFirst count: Int, until limit: Instant) -> TimerQueue.Timer? {
        timers.last(ofFirst: count, until: limit)
    }

    /// Fires a timer, and the others of that subject that are due at the same instant.
    ///
    /// - Returns: how many.
    package func fire(_ timer: TimerQueue.Timer) throws -> Int {
        effects.begin(timer.subject.text)
        let place = try cache.place(of: timer.subject.text)
        let count = cache.change(place) { engine.tick(&$0, to: timer.due, into: &effects) }
        timers.set(effects.subject, cache.records[place].nextDue)
        return count
    }

    /// A tick has fired all that it was to fire.
    package func didPass(_ time: Instant) { passed = max(passed, time) }

    /// Takes back that a geotrigger was handled.
    package func markUnhandled(_ geotrigger: FiredGeotrigger, of subject: String) throws {
        let place = try cache.place(of: subject)
        cache.change(place) { engine.markUnhandled(geotrigger, in: &$0) }
    }
}

extension SignalReject {
    init(_ fault: SignalFault) { self.init(Code(rawValue: fault.code.rawValue)!, fault.message) }
}
