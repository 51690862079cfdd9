import BelfryEngine
import BelfryModel
import BelfrySignals

/// Subjects whose records stay in memory between signals, for an engine that keeps them as bytes. One thread at a time.
///
/// To read a record that comes from outside, every bit of it is checked, and to give it away all of it is copied. A subject that is busy
/// costs that once, and not with every signal.
package final class CoreShard {
    let core: Core
    private let engine: Engine
    private let decoder: SignalDecoder
    private let router = SignalRouter()
    @exclusivity(unchecked) var records = RecordTable()
    /// The places of records that changed since they were collected.
    @exclusivity(unchecked) var dirty: [Int] = []
    /// Nothing can be decided meanwhile.
    package internal(set) var isCollecting = false
    /// Counts calls, so that the records used longest ago are known.
    @exclusivity(unchecked) var call: UInt32 = 0
    @exclusivity(unchecked) private var effects = Effects()
    @exclusivity(unchecked) private var output = DecisionLines()
    @exclusivity(unchecked) private var input = GrowingBuffer(capacity: 4096)
    /// Decisions with what their actions came to.
    @exclusivity(unchecked) private var filled = GrowingBuffer()
    @exclusivity(unchecked) private var rejects = GrowingBuffer()
    @exclusivity(unchecked) private var failure = GrowingBuffer()

    package init(_ core: Core) {
        self.core = core
        engine = Engine(core.catalog)
        decoder = SignalDecoder(typesWithData: core.catalog.awaitedTypes)
    }

    /// What came of one call. It lies in the shard, until its next call.
    package struct Step {
        package var decisions: UnsafeRawBufferPointer
        package var rejects: UnsafeRawBufferPointer
        /// When the earliest timer was due before the call, and is due now.
        package var timerBefore: Instant?
        package var nextTimer: Instant?
    }

    // MARK: Deciding

    /// Decides lines of a subject, fires its timers, and runs actions: as `Core.decide`, on the record that is here.
    ///
    /// - Parameters:
    ///   - record: what was collected of it last; empty for a subject that is new; nil: the shard is to have it.
    ///   - line: the number of the first line.
    /// - Returns: nil if the record is not here; nothing was done then.
    package func decide(
        subject: String, record: UnsafeRawBufferPointer?, signals: UnsafeRawBufferPointer, line: Int, passed: Instant,
        until: Instant?
    ) throws(RecordFailure) -> Step? {
        begin()
        guard let place = try place(of: subject, record) else { return nil }
        records[place].lastUse = call
        let timerBefore = records[place].nextDue
        var passed = passed
        forEachLine(of: signals, from: line) { decide($0, $1, at: place, &passed) }
        if let until { fire(place, until: until) }
        return Step(
            decisions: output.calls.isEmpty ? output.lent : runActions(place), rejects: rejects.raw(),
            timerBefore: timerBefore, nextTimer: records[place].nextDue)
    }

    private func begin() {
        call &+= 1
        output.removeAll()
        if rejects.count > 0 { rejects.removeAll() }
    }

    private func place(of subject: String, _ bytes: UnsafeRawBufferPointer?) throws(RecordFailure) -> Int? {
        let hash = stableHash(subject)
        if let place = records.place(of: subject, hash) { return place }
        guard let bytes else { return nil }
        return records.insert(try core.record(of: subject, Array(bytes)), hash)
    }

    private func decide(_ line: UnsafeBufferPointer<UInt8>, _ number: Int, at place: Int, _ passed: inout Instant) {
        if line.count > SignalDecoder.lineLimit { return reject(.tooLong, line, number) }
        do throws(SignalReject) {
            let signal = try decoder.decode(line, line: number)
            guard case .clockAdvanced = signal.event else { return try decide(signal, at: place, passed) }
            fire(place, until: signal.time)
            passed = max(passed, signal.time)
        } catch {
            reject(error, line, number)
        }
    }

    private func reject(_ reject: SignalReject, _ line: UnsafeBufferPointer<UInt8>, _ number: Int) {
        rejects.append(reject.line(for: line, number: number))
    }

    private func decide(_ signal: Signal, at place: Int, _ passed: Instant) throws(SignalReject) {
        guard records[place].isOf(signal.subject) else {
            throw SignalReject(
                .invalidAttribute, "'subject' is '\(signal.subject)'; the record is that of '\(records[place].subject)'"
            )
        }
        effects.begin(signal.subject)
        let progress: Engine.Progress
        do throws(SignalFault) {
            progress = try engine.decide(signal, on: &records[place], passed: passed, into: &effects)
        } catch {
            throw SignalReject(error)
        }
        if !progress.isDuplicate { take(place) }
    }

    private func fire(_ place: Int, until time: Instant) {
        guard let due = records[place].nextDue, due <= time else { return }
        effects.begin(records[place].subject)
        _ = engine.tick(&records[place], to: time, into: &effects)
        take(place)
    }

    /// Writes what was decided.
    private func take(_ place: Int) {
        if !records[place].isDirty { dirty.append(place) }
        records[place].isDirty = true
        output.add(effects, engine.catalog)
    }

    private func runActions(_ place: Int) -> UnsafeRawBufferPointer {
        let outcomes = output.calls.map { core.actions.run($0.invocation) }
        for (call, outcome) in zip(output.calls, outcomes) where outcome.status != .ok {
            if let geotrigger = call.geotrigger { engine.markUnhandled(geotrigger, in: &records[place]) }
        }
        filled.removeAll()
        filled.append(output.gaps.fill(output.writer.bytes, with: outcomes))
        return filled.raw()
    }

    /// Keeps a sentence until the next one.
    package func keep(why: String) -> UnsafeRawBufferPointer {
        failure.removeAll()
        failure.append(why)
        return failure.raw()
    }

    // MARK: Lines

    /// What can be told of a line without deciding it.
    package enum Head {
        case subject(UnsafeRawBufferPointer)
        case tick(Instant)
        /// The line is no signal: `decide` rejects it and says why.
        case none
    }

    /// Whose a line is. What is lent is valid until the next call.
    package func head(of line: UnsafeRawBufferPointer) -> Head {
        withPadding(line) { line in
            switch router.route(line) {
            case .subject(let subject): .subject(subject)
            case .tick: decoded(line).map { .tick($0.time) } ?? .none
            case .none: .none
            }
        }
    }

    /// The time that a line says it happened.
    package func time(of line: UnsafeRawBufferPointer) -> Instant? {
        withPadding(line) { line in decoded(line)?.time }
    }

    /// Nil also where the line is too long: a run rejects it, so it moves no time.
    private func decoded(_ line: UnsafeBufferPointer<UInt8>) -> Signal? {
        let hasEnd = line.last == UInt8(ascii: "\n")
        let length = hasEnd ? UnsafeRawBufferPointer(line).endOfText(of: 0..<line.count - 1) : line.count
        if length > SignalDecoder.lineLimit { return nil }
        return try? decoder.decode(line, line: 0)
    }

    /// The decoder may read a little beyond the end of a line.
    private func withPadding<Result>(
        _ line: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        input.removeAll()
        input.append(line)
        input.append(atMost: SignalDecoder.padding) { room in
            room.initialize(repeating: 0, count: SignalDecoder.padding)
            return 0
        }
        return body(UnsafeBufferPointer(rebasing: input.raw().assumingMemoryBound(to: UInt8.self)[...]))
    }

    private func forEachLine(
        of signals: UnsafeRawBufferPointer, from first: Int, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void
    ) {
        if signals.isEmpty { return }
        withPadding(signals) { bytes in
            var (start, number) = (0, first)
            while start < bytes.count {
                let (text, next) = UnsafeRawBufferPointer(bytes).line(at: start)
                let line = UnsafeBufferPointer(rebasing: bytes[text])
                if !line.isBlank { body(line, number) }
                (start, number) = (next, number &+ 1)
            }
        }
    }
}
