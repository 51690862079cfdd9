import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals
import BelfryStore

/// A part of the subjects. Reads no input, and writes no output.
///
/// What a subject gets depends on its own signals and on ticks alone, so shards need no word with one another. One thread at a time.
final class Shard {
    private let subjects: SubjectSet
    private let decoder: SignalDecoder
    private let trace: ShardTrace?
    /// Whether a journal gets the signals that were decided.
    private let hasJournal: Bool
    private var tally: CandidateTally
    /// Calls of plugins that are not to be made.
    var faults: [PlannedFault] = []
    /// Where calls are noted; nil: not watched.
    private let note: UnsafeMutablePointer<CallNote>?
    /// Is told what is decided; nil where that is told elsewhere.
    private let site: CallSite?

    init(
        _ catalog: Catalog, _ cache: RecordCache, passed: Instant, trace: ShardTrace? = nil,
        note: UnsafeMutablePointer<CallNote>? = nil, site: CallSite? = nil, hasJournal: Bool
    ) {
        (self.note, self.site, self.hasJournal) = (note, site, hasJournal)
        subjects = SubjectSet(Engine(catalog), cache, passed: passed)
        (self.trace, tally) = (trace, CandidateTally(catalog))
        decoder = SignalDecoder(typesWithData: catalog.awaitedTypes)
        if let trace { cache.willUse = { trace.add($0, $1) } }
        observe()
    }

    private func observe() {
        if let trace { subjects.engine.observer = { trace.keep($0) } }
        if let note { subjects.engine.noteCalls(at: note) }
    }

    /// Has a check follow each call of a plugin, for harm that the call itself does not show; nil: no check.
    func checkCalls(_ check: (() -> Void)?) { subjects.engine.checkCalls(check) }

    /// Knows of the earliest timer in a record that is in the store.
    func expectTimer(of subject: String, at due: Instant) { subjects.expectTimer(of: subject, at: due) }

    /// From the next signal on, everything is decided by this.
    func take(_ catalog: Catalog, forward: Configuration.Forward?) {
        let engine = Engine(catalog)
        engine.forward = forward
        subjects.take(engine)
        tally = CandidateTally(catalog)
        decoder.typesWithData = catalog.awaitedTypes
        observe()
    }

    /// Has all calls of these entries, and of no others, answer fault.
    func exclude(_ entries: [String]) {
        faults = PlannedFault.quarantined(entries, of: subjects.engine.catalog.configuration.chain.map(\.id))
    }

    // MARK: Signals

    /// Decides those lines of a batch that are the shard's.
    ///
    /// - Parameter first: the piece that the first of them is.
    func decide(_ batch: SignalBatch, _ lines: [Int], from first: Int = 0, _ answer: ShardAnswer) throws {
        decoder.clock = batch.clock
        prefetch(lines, of: batch)
        let catalog = subjects.engine.catalog
        for (index, line) in lines.enumerated() {
            subjects.engine.beginPiece(first + index, faults)
            try decide(batch.lines[line], catalog, answer)
        }
    }

    /// Has records fetched of which it is known that they will be needed: from a disk all at once.
    private func prefetch(_ lines: [Int], of batch: SignalBatch) {
        let missing = subjects.cache.prefetch(lines.map { batch.lines[$0].hash })
        guard missing.count > 1 else { return }
        let names = missing.compactMap { try? decoder.decode(batch.lines[lines[$0]].bytes, line: 0).subject }
        subjects.cache.fetch(Set(names.map { SubjectKey($0) }))
    }

    private func decide(_ line: SignalBatch.Line, _ catalog: Catalog, _ answer: ShardAnswer) throws {
        var (count, own): (Int, Range<Int>?) = (0, nil)
        do {
            own = try decide(try decoder.decode(line.bytes, line: line.number), line, catalog, answer)
            if own != nil { count = subjects.withEffects { $0.count } }
        } catch let reject as SignalReject {
            answer.rejects.append((answer.pieces.count, reject))
            trace?.add(reject, line: line.number)
        }
        answer.endPiece(trace: trace?.take(), count: count, own: own)
    }

    /// - Returns: which of the decisions came of the signal itself; nil for a duplicate.
    private func decide(
        _ signal: Signal, _ line: SignalBatch.Line, _ catalog: Catalog, _ answer: ShardAnswer
    ) throws -> Range<Int>? {
        if let trace {
            // What is known of the subject comes first.
            _ = try subjects.cache.place(of: signal.subject)
            trace.add(line)
        }
        site?.begin(signal.subject, signal.cause)
        let progress = try subjects.decide(signal)
        if progress.isDuplicate {
            answer.counts.duplicates += 1
            return nil
        }
        answer.counts.add(progress)
        if hasJournal { answer.signals.append(line.bytes, at: signal.time == decoder.clock?.now ? signal.time : nil) }
        answer.accepted = max(answer.accepted, signal.time)
        write(catalog, answer)
        return progress.own
    }

    /// Writes what was decided.
    private func write(_ catalog: Catalog, _ answer: ShardAnswer) {
        subjects.withEffects { effects in
            answer.output.add(effects, catalog)
            answer.counts.count(effects)
            tally.count(effects)
            if !effects.warnings.isEmpty { answer.warnings += effects.warnings }
            for item in effects.outgoing { answer.outgoing.append((answer.pieces.count, item)) }
            trace?.add(effects, catalog)
        }
    }

    /// How often candidates came to what since the last time.
    func takeTally() -> [CandidateTally.Count] { tally.take() }

    // MARK: Ticks

    /// The last of the timers that may fire at once, if more are due by then.
    func bound(of time: Instant, atMost count: Int) -> TimerQueue.Timer? {
        subjects.lastTimer(ofFirst: count, until: time)
    }

    /// Fires the timers that are due at or before a tick, in order of due time, then subject.
    ///
    /// - Parameter bound: the last one that is to fire now; nil: all.
    func tick(_ time: Instant, bound: TimerQueue.Timer?, _ answer: ShardAnswer) throws {
        while let timer = subjects.nextTimer(until: time) {
            if let bound, bound < timer { return }
            subjects.engine.beginPiece(answer.pieces.count, faults)
            site?.begin(timer.subject.text, "a timer")
            answer.counts.timersFired += try subjects.fire(timer)
            write(subjects.engine.catalog, answer)
            answer.endPiece(timer, trace: trace?.take(), count: subjects.withEffects { $0.count })
        }
        if bound == nil { subjects.didPass(time) }
    }

    // MARK: Records

    /// Takes over how records changed elsewhere.
    func apply(_ changes: [UInt8]) throws { try subjects.apply(changes) }

    /// How records changed since the last time.
    func collectChanges(_ answer: ShardAnswer) {
        subjects.cache.collectChanges(&answer.changes)
        answer.dirty = subjects.cache.dirtyCount
    }

    /// Saves the records that changed since the last time in memory that outlives the process. Then lets go of some when there are too many.
    func save(into shared: SharedRecords, _ number: UInt32, capacity: Int, _ answer: ShardAnswer) throws {
        try subjects.cache.collectChanged({ shared.prefetch(Int($0) - 1) }) { record, changed in
            try record.withBlock { try shared.write($0, changed, to: Int(record.storePlace) - 1, number) }
            answer.changed.append(record.storePlace)
        }
        subjects.cache.capacity = min(subjects.cache.capacity, capacity)
        subjects.cache.didStore(subjects.cache.currentBatch)
        subjects.cache.makeRoom { answer.released.append($0) }
    }

    /// How records changed since the last time, and some records of a checkpoint.
    func collect(_ part: CheckpointPart, _ answer: ShardAnswer) {
        collectChanges(answer)
        if part.begins { subjects.cache.beginCheckpoint() }
        subjects.cache.collectUnstored(atMost: part.limit, size: CheckpointPart.size) {
            answer.stored.append(RecordChange(subject: $0, bytes: $1, nextDue: $2))
        }
        answer.unstored = subjects.cache.unstoredCount
        answer.batch = subjects.cache.currentBatch
    }

    /// Lets go of records when there are too many.
    ///
    /// - Parameter stored: the last batch of which the store has what was collected.
    func makeRoom(capacity: Int?, stored: UInt32?) {
        if let capacity { subjects.cache.capacity = min(subjects.cache.capacity, capacity) }
        if let stored { subjects.cache.didStore(stored) }
        subjects.cache.makeRoom()
    }

    /// Lets go of a record that is stored.
    func forget(_ subject: String) { subjects.forget(subject) }

    func recent(_ limit: Int) -> [(subject: String, bytes: [UInt8])] { subjects.cache.recent(limit) }

    var recordCount: Int { subjects.cache.count }

    /// Takes back that a geotrigger was handled.
    func markUnhandled(_ call: ActionCall) throws {
        if let geotrigger = call.geotrigger { try subjects.markUnhandled(geotrigger, of: call.subject) }
    }
}
