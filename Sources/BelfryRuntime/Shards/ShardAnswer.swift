import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals
import BelfryStore

/// What a shard made of its part of a batch.
///
/// A shard fills it and hands it over; from then on only the run loop has it.
final class ShardAnswer {
    /// What was decided, in order.
    @exclusivity(unchecked) var output = DecisionLines()
    /// What came of each line that the shard was given, or of each timer that a tick fired.
    @exclusivity(unchecked) var pieces: [Piece] = []
    /// What each piece adds to a trace; empty without one.
    var traces: [[UInt8]] = []
    /// Of a tick: the timer of each piece. Pieces of several shards are put in their order.
    var timers: [TimerQueue.Timer] = []
    @exclusivity(unchecked) var rejects: [(piece: Int, reject: SignalReject)] = []
    @exclusivity(unchecked) var outgoing: [(piece: Int, item: Outgoing)] = []
    @exclusivity(unchecked) var warnings: [String] = []
    @exclusivity(unchecked) var counts = SignalCounts()
    /// What candidates came to.
    @exclusivity(unchecked) var candidates: [CandidateTally.Count] = []
    /// The largest time that was accepted.
    @exclusivity(unchecked) var accepted = Instant.distantPast
    /// The lines of the signals that were decided.
    @exclusivity(unchecked) var signals = GrowingBuffer(capacity: 1 << 16)
    /// How records changed.
    @exclusivity(unchecked) var changes = GrowingBuffer(capacity: 1 << 16)
    /// Records of the checkpoint under way, as they are to be stored.
    @exclusivity(unchecked) var stored: [RecordChange] = []
    /// How many records the checkpoint under way has still to store.
    @exclusivity(unchecked) var unstored = 0
    /// Of a shard in a process that has saved: where the records are that changed, and those that it does not have any more.
    var changed: [UInt32] = []
    var released: [UInt32] = []
    /// How many bytes the memory has in which it saves records.
    var shared = 0
    /// How many records changed since they were stored.
    @exclusivity(unchecked) var dirty = 0
    /// The batch of the shard that all this is of.
    @exclusivity(unchecked) var batch: UInt32 = 0
    /// How many records the shard has in memory.
    @exclusivity(unchecked) var records = 0
    /// Of a tick that would fire too many timers at once: the last one of those that may fire now.
    @exclusivity(unchecked) var bound: TimerQueue.Timer?
    /// Records that were asked for.
    @exclusivity(unchecked) var recent: [(subject: String, bytes: [UInt8])] = []
    /// Why the shard cannot go on.
    @exclusivity(unchecked) var failure: (any Error)?

    /// Of two numbers for the lines of its own, the first is -1 where there are none.
    struct Piece: BitwiseCopyable {
        /// Where its lines end.
        var end: Int
        /// How many lines it has.
        let count: Int
        private let (ownBegin, ownCount): (Int, Int)

        init(end: Int, count: Int, own: Range<Int>?) {
            (self.end, self.count) = (end, count)
            (ownBegin, ownCount) = own.map { ($0.lowerBound, $0.count) } ?? (-1, 0)
        }

        /// Of a signal that was decided: which of the lines came of itself and not of timers.
        var own: Range<Int>? { ownBegin < 0 ? nil : ownBegin..<ownBegin + ownCount }

        /// Whether that can be, of a piece that comes from elsewhere.
        func isSound(among lines: UnsafeRawBufferPointer) -> Bool {
            let range = 0...lines.count
            return range ~= end && range ~= count && -1...count ~= ownBegin && 0...count - max(ownBegin, 0) ~= ownCount
        }
    }

    /// Uses the memory of one that is not needed any more, but for that of its lines.
    func takeMemory(of other: ShardAnswer) {
        swap(&pieces, &other.pieces)
        swap(&signals, &other.signals)
        swap(&changes, &other.changes)
        pieces.removeAll(keepingCapacity: true)
        signals.removeAll()
        changes.removeAll()
    }

    /// Ends a piece where the lines end now.
    func endPiece(
        _ timer: TimerQueue.Timer? = nil, trace: [UInt8]?, count: Int, own: Range<Int>? = nil
    ) {
        pieces.append(Piece(end: output.count, count: count, own: own))
        if let trace { traces.append(trace) }
        if let timer { timers.append(timer) }
    }

    /// What a piece adds to a trace.
    func trace(of piece: Int) -> [UInt8] { traces.isEmpty ? [] : traces[piece] }

    /// The lines of a piece.
    func range(of piece: Int) -> Range<Int> { (piece == 0 ? 0 : pieces[piece - 1].end)..<pieces[piece].end }

    var decisions: Int { counts.decisions.values.reduce(0, +) }
}

extension ShardAnswer {
    /// A piece of one of several answers.
    struct Place {
        let shard: Int
        let piece: Int
    }

    /// Goes through the lines of a batch, with the piece of the answers that is to each, and why it was rejected; a line that went to no
    /// shard has no piece.
    static func forEachLine(
        of batch: SignalBatch, answeredBy answers: [ShardAnswer],
        _ body: (SignalBatch.Line, Place?, SignalReject?) throws -> Void
    ) rethrows {
        var next = Array(repeating: (piece: 0, reject: 0), count: answers.count)
        for line in batch.lines {
            guard let shard = line.shard else {
                try body(line, nil, line.reject)
                continue
            }
            let place = Place(shard: shard, piece: next[shard].piece)
            let upcoming = answers[shard].rejects.dropFirst(next[shard].reject).first
            let reject = upcoming?.piece == place.piece ? upcoming?.reject : nil
            next[shard].piece += 1
            if reject != nil { next[shard].reject += 1 }
            try body(line, place, reject)
        }
    }

    /// All pieces of the answers to a batch, in the order of its lines.
    static func order(of answers: [ShardAnswer], to batch: SignalBatch) -> [Place] {
        var next = Array(repeating: 0, count: answers.count)
        return batch.lines.compactMap { line in
            line.shard.map { shard in
                defer { next[shard] += 1 }
                return Place(shard: shard, piece: next[shard])
            }
        }
    }

    /// All pieces of the answers to a tick, in the order of timers.
    static func order(ofTimers answers: [ShardAnswer]) -> [Place] {
        let places = answers.indices.flatMap { shard in
            answers[shard].pieces.indices.map { Place(shard: shard, piece: $0) }
        }
        if answers.count == 1 { return places }
        func timer(_ place: Place) -> TimerQueue.Timer { answers[place.shard].timers[place.piece] }
        // A timer that comes of one that fired has the place behind it, and a later time.
        return places.sorted { (timer($0), $0.piece) < (timer($1), $1.piece) }
    }
}
