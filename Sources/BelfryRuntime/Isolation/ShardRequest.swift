import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals

/// What a shard's process is asked: a task, or a part of one, with the calls that are not to be made.
struct ShardRequest {
    var unhandled: [ActionCall] = []
    var work = Work.nothing
    var faults: [PlannedFault] = []
    /// Whether to look behind each call of a plugin whether it did harm that was not seen.
    var isCareful = false
    /// Whether to save the records that changed since it was last asked to.
    var saves = false
    /// How many records it may keep in memory then.
    var capacity: Int
    /// Timers in records that it has not seen.
    var timers: [(subject: String, due: Instant)] = []

    enum Work {
        case nothing
        /// Lines at some places of a batch, each of which is a piece of the task, and which piece the first one is.
        case lines(SignalBatch, ArraySlice<Int>, from: Int)
        case bound(Instant, atMost: Int)
        case tick(Instant, bound: TimerQueue.Timer?)
        /// How records changed in another process.
        case changes([UInt8])
    }

    /// How many signals it has.
    var count: Int {
        if case .lines(_, let places, _) = work { places.count } else { 0 }
    }
}

// MARK: Writing

extension ShardRequest {
    func write(to writer: inout MessageWriter) {
        writer.list(unhandled) { $0.value($1.value) }
        writer.list(faults) { $0.fault($1) }
        writer.bool(isCareful)
        writer.bool(saves)
        writer.number(capacity)
        writer.list(timers) {
            $0.text($1.subject)
            $0.instant($1.due)
        }
        switch work {
        case .nothing: writer.number(0)
        case .lines(let batch, let places, let first):
            writer.number(1)
            writer.number(first)
            writer.optional(batch.clock) {
                $0.instant($1.now)
                $0.number($1.ahead.milliseconds)
            }
            writer.list(places) {
                $0.number(batch.lines[$1].number)
                $0.number(Int64(bitPattern: batch.lines[$1].hash))
                $0.bytes(UnsafeRawBufferPointer(batch.lines[$1].bytes))
            }
        case .bound(let time, let limit):
            writer.number(2)
            writer.instant(time)
            writer.number(limit)
        case .tick(let time, let bound):
            writer.number(3)
            writer.instant(time)
            writer.optional(bound) { $0.timer($1) }
        case .changes(let changes):
            writer.number(4)
            writer.bytes(changes)
        }
    }
}

extension MessageWriter {
    mutating func timer(_ timer: TimerQueue.Timer) {
        text(timer.subject.text)
        instant(timer.due)
    }

    mutating func fault(_ fault: PlannedFault) {
        optional(fault.piece) { $0.number($1) }
        optional(fault.ordinal) { $0.number($1) }
        number(fault.entry)
        text(fault.cause.rawValue)
        text(fault.message)
        bool(fault.isLasting)
    }
}

// MARK: Reading

extension ShardRequest {
    init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        unhandled = try reader.list { reader throws(MessageReader.Nonsense) in try reader.call() }
        faults = try reader.list { reader throws(MessageReader.Nonsense) in try reader.fault() }
        isCareful = try reader.bool()
        saves = try reader.bool()
        capacity = try reader.number()
        timers = try reader.list { reader throws(MessageReader.Nonsense) in
            (subject: try reader.text(), due: try reader.instant())
        }
        switch try reader.number() {
        case 0: work = .nothing
        case 1: work = try Self.lines(&reader)
        case 2: work = .bound(try reader.instant(), atMost: try reader.number())
        case 3:
            work = .tick(
                try reader.instant(),
                bound: try reader.optional { reader throws(MessageReader.Nonsense) in try reader.timer() })
        case 4: work = .changes(Array(try reader.slice()))
        default: throw MessageReader.Nonsense()
        }
    }

    private static func lines(_ reader: inout MessageReader) throws(MessageReader.Nonsense) -> Work {
        let first = try reader.number()
        let clock = try reader.optional { reader throws(MessageReader.Nonsense) in
            SignalDecoder.Clock(
                now: try reader.instant(), ahead: Duration(milliseconds: Int64(try reader.number())))
        }
        let chunk = InputChunk(capacity: reader.rest)
        let lines = try reader.list { reader throws(MessageReader.Nonsense) in
            let (number, hash) = (try reader.number(), UInt64(bitPattern: Int64(try reader.number())))
            return try reader.withBytes {
                SignalBatch.Line(chunk.append($0), number: number, hash: hash)
            }
        }
        return .lines(SignalBatch(lines, in: [chunk], clock: clock), lines.indices.map { $0 }[...], from: first)
    }
}

extension MessageReader {
    mutating func timer() throws(Nonsense) -> TimerQueue.Timer {
        let subject = SubjectKey(try text())
        return TimerQueue.Timer(due: try instant(), subject: subject)
    }

    mutating func call() throws(Nonsense) -> ActionCall {
        guard let call = ActionCall(try value()) else { throw Nonsense() }
        return call
    }

    mutating func fault() throws(Nonsense) -> PlannedFault {
        let piece = try optional { reader throws(Nonsense) in UInt32(truncatingIfNeeded: try reader.number()) }
        let ordinal = try optional { reader throws(Nonsense) in UInt32(truncatingIfNeeded: try reader.number()) }
        return PlannedFault(
            piece: piece, ordinal: ordinal, entry: try number(), cause: try word(), message: try text(),
            isLasting: try bool())
    }
}
