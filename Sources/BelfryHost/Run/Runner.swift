import BelfryEngine
import BelfryModel
import BelfryStore
import Glibc

/// The run loop: lines in, decisions out.
///
/// Signals are worked on in batches. Records, watermark and numbering of a batch are committed together; its decisions leave after
/// the commit, so nothing is told that is not also remembered.
public final class Runner {
    public struct Options: Sendable {
        /// Signals committed together when input comes in a flood. A batch ends earlier when the input has nothing more to give.
        public var batchSize = 1000
        /// Records kept in memory.
        public var cacheCapacity = 100_000
        /// Fire timers up to this instant when the input ends.
        public var until: Instant?

        public init() {}
    }

    private let engine: Engine
    private let cache: RecordCache
    private let actions: ActionRunner
    private let options: Options
    private let decisionsOut: ByteOutput
    private let rejectsOut: ByteOutput
    private let warn: (String) -> Void
    private let progress: ((_ bytesRead: Int) -> Void)?

    private let decoder = SignalDecoder()
    private var timers = TimerQueue()
    private var position: Position
    /// The position that the store has.
    private var committed: Position
    /// What came of the signals of the batch.
    private var batch = Effects()
    private var linesInBatch = 0
    private var writer = JSONWriter()
    private var warned: Set<String> = []
    private var summary = RunSummary()

    /// - Parameters:
    ///   - isDurable: whether the store outlives the process.
    ///   - warn: gets each distinct warning once.
    ///   - progress: called now and then.
    public init(
        _ catalog: Catalog, providers: Providers, store: any RecordStore, isDurable: Bool, options: Options = Options(),
        decisions: ByteOutput, rejects: ByteOutput, warn: @escaping (String) -> Void, progress: ((Int) -> Void)? = nil
    ) throws {
        engine = Engine(catalog)
        cache = RecordCache(store, isDurable: isDurable, capacity: options.cacheCapacity)
        actions = ActionRunner(providers: providers)
        self.options = options
        decisionsOut = decisions
        rejectsOut = rejects
        self.warn = warn
        self.progress = progress
        position = try Position(from: store)
        committed = position
        for (subject, due) in try store.timers() { timers.set(subject, due) }
    }

    /// Reads all signals of a file descriptor, decides them, and says what was done.
    public func run(input descriptor: Int32) throws -> RunSummary {
        let reader = LineReader(descriptor, limit: SignalDecoder.lineLimit)
        while let line = try reader.next(onIdle: { try commit() }) {
            try take(line, number: reader.lineNumber)
            linesInBatch += 1
            if linesInBatch >= options.batchSize {
                try commit()
                progress?(reader.bytesRead)
            }
        }
        if let until = options.until { try advance(to: until) }
        try commit()
        return summary
    }

    private func take(_ line: LineReader.Line, number: Int) throws {
        switch line {
        case .tooLong(let beginning):
            summary.lines += 1
            try reject(
                SignalReject(.lineTooLong, "the line is longer than 1 MiB; its beginning is in 'input'"), beginning,
                number)
        case .line(let line):
            let bytes = number == 1 ? line.withoutByteOrderMark : line
            guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
            summary.lines += 1
            do {
                try process(try decoder.decode(bytes, line: number))
            } catch let reject as SignalReject {
                try self.reject(reject, bytes, number)
            }
        }
    }

    /// - Throws: a `SignalReject` before anything has changed, time included; anything else ends the run.
    private func process(_ signal: Signal) throws {
        if case .clockAdvanced = signal.event {
            summary.processed += 1
            return try advance(to: signal.time)
        }
        let record = try cache.entry(for: signal.subject).record
        guard !engine.isDuplicate(signal, record) else {
            summary.duplicates += 1
            return
        }
        if let fault = engine.check(signal, record) { throw SignalReject(fault) }
        try advance(to: signal.time)
        // Looked up anew: when timers fired, the cache may have made room.
        let entry = try cache.entry(for: signal.subject)
        if engine.process(signal, entry.record, into: &batch) { summary.late += 1 }
        summary.processed += 1
        position.signals += 1
        note(entry)
    }

    /// Fires every timer that is due by then, in order of due time, and moves the watermark.
    ///
    /// Also before the watermark: a subject who is behind the others may have timers there.
    private func advance(to time: Instant) throws {
        while let subject = timers.next(until: time) {
            let entry = try cache.entry(for: subject)
            engine.fireNextTimer(of: entry.record, into: &batch)
            summary.timersFired += 1
            note(entry)
            // A long time may have passed. The watermark is still before the timers that have not fired.
            if batch.decisions.count >= options.batchSize { try commit() }
        }
        position.watermark = max(position.watermark, time)
    }

    /// Notes that a record has changed, and when its next timer is due.
    private func note(_ entry: RecordCache.Entry) {
        cache.touch(entry)
        let due = entry.record.nextDue
        guard due != entry.due else { return }
        entry.due = due
        timers.set(entry.record.subject, due)
    }

    private func reject(_ reject: SignalReject, _ line: UnsafeBufferPointer<UInt8>, _ number: Int) throws {
        summary.rejected[reject.code, default: 0] += 1
        writer.removeAll()
        writer.beginObject()
        writer.member("line", .integer(Int64(number)))
        writer.member("code", reject.code.rawValue)
        writer.member("message", reject.message)
        writer.member("input", String(decoding: line, as: UTF8.self))
        writer.endObject()
        writer.endLine()
        try rejectsOut.append(writer.bytes)
    }

    /// Makes the batch durable, then hands out its decisions and runs its actions.
    private func commit() throws {
        let first = position.decisions + 1
        position.decisions += UInt64(batch.decisions.count)
        if position != committed { try cache.commit(meta: position.meta) }
        committed = position
        try cache.makeRoom()
        for index in batch.decisions.indices { try hand(out: batch.decisions[index], number: first + UInt64(index)) }
        for (what, count) in batch.ignored { summary.ignored[what, default: 0] += count }
        for warning in batch.warnings where warned.count < 1000 && warned.insert(warning).inserted { warn(warning) }
        batch.removeAll()
        linesInBatch = 0
        try decisionsOut.flush()
        try rejectsOut.flush()
    }

    private func hand(out decision: Decision, number: UInt64) throws {
        summary.decisions[decision.type, default: 0] += 1
        writer.removeAll()
        run(decision).write(to: &writer, id: "d-\(number)", source: engine.catalog.configuration.app)
        try decisionsOut.append(writer.bytes)
    }

    /// Runs the action of a decision that has one.
    private func run(_ decision: Decision) -> Decision {
        guard case .invoked(var invocation) = decision.body else { return decision }
        var decision = decision
        invocation.outcome = actions.run(invocation)
        decision.body = .invoked(invocation)
        return decision
    }
}

/// How far the store has come: stored with every batch.
private struct Position: Equatable {
    /// The largest time accepted.
    var watermark = Instant.distantPast
    /// How many decisions there have been; their ids count on from there.
    var decisions: UInt64 = 0
    /// How many signals changed a record, late ones among them.
    var signals: UInt64 = 0

    init(from store: any RecordStore) throws {
        if let bytes = try store.meta("watermark") {
            watermark = Instant(milliseconds: Int64(bitPattern: Self.number(bytes)))
        }
        if let bytes = try store.meta("decisions") { decisions = Self.number(bytes) }
        if let bytes = try store.meta("signals") { signals = Self.number(bytes) }
    }

    var meta: [String: [UInt8]] {
        [
            "watermark": Self.bytes(UInt64(bitPattern: watermark.milliseconds)), "decisions": Self.bytes(decisions),
            "signals": Self.bytes(signals),
        ]
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 {
        bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    private static func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
}

extension UnsafeBufferPointer<UInt8> {
    /// Some editors begin a file with a byte order mark, and RFC 8259 lets a reader pass over it.
    fileprivate var withoutByteOrderMark: Self { starts(with: [0xEF, 0xBB, 0xBF]) ? Self(rebasing: self[3...]) : self }
}
