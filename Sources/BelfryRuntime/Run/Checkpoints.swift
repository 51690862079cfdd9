import BelfryModel

/// What shards are asked to give of a checkpoint with a batch.
struct CheckpointPart: Sendable {
    /// Whether it begins with this batch.
    var begins = false
    /// How many records each shard gives at most.
    var limit = 0
    /// At the beginning: for each shard, the last batch of which all is stored.
    var stored: [UInt32]?
    /// In bytes: however large records are, a batch waits for the copies of a few only, and so does memory.
    static let size = 1 << 20
}

/// When checkpoints begin, and how far the one under way is.
///
/// Records are collected a few with each batch, and over a while: no batch takes much longer for it, and neither a processor nor the disk is
/// busy with nothing else.
struct Checkpoints {
    /// What bounds the work after a kill: a checkpoint begins when so much was written to the journal since the last one began, or so long
    /// ago.
    var bytes = 1 << 31
    var every = Duration.seconds(10)
    /// Of each shard, with each batch: fewer are not worth a piece.
    private static let atOnce = 64...500
    /// In ms: all records are collected within that time, if it is not too many at once.
    private var spread: Int { Int(every.milliseconds) / 10 }
    /// So many pieces may wait to be stored: more would be memory that grows.
    private static let waiting = 8

    private var written = 0
    private var began = MonotonicTime.now
    private var isWanted = false
    private var underway: Underway?

    private struct Underway {
        let began = MonotonicTime.now
        /// The last entry before it, as soon as that is known.
        var entry: UInt64?
        /// How many records a shard gives in each ms.
        var rate = 0
        /// How many records each shard was asked for.
        var asked = 0

        /// How many each is to give now.
        func due(within spread: Int) -> Int {
            let passed = MonotonicTime.now.milliseconds(after: began)
            if passed >= spread { return atOnce.upperBound }
            let due = rate * passed - asked
            return due < atOnce.lowerBound ? 0 : min(due, atOnce.upperBound)
        }
    }

    /// Begins the next one as soon as it can: there is no room for more records that changed.
    mutating func hurry() { isWanted = true }

    /// The one under way will not be completed: all records are stored otherwise.
    mutating func abandon() { underway = nil }

    /// What to ask for with the next batch.
    mutating func next(waiting: Int) -> CheckpointPart {
        var part = CheckpointPart()
        if underway == nil, isWanted || written >= bytes || began + every < .now {
            (underway, written, began, isWanted) = (Underway(), 0, .now, false)
            part.begins = true
        }
        // What was written meanwhile is work after a kill, too.
        if let due = underway?.due(within: written >= bytes / 10 ? 0 : spread), waiting < Self.waiting {
            part.limit = isWanted ? 4 * Self.atOnce.upperBound : part.begins ? max(due, Self.atOnce.lowerBound) : due
            underway?.asked += part.limit
        }
        return part
    }

    /// - Parameters:
    ///   - bytes: that the entry has in the journal.
    ///   - unstored: how many records each shard has still to give.
    /// - Returns: the entry that the store will have come to, if that was the last part.
    mutating func took(_ part: CheckpointPart, entry: UInt64, bytes: Int, unstored: [Int]) -> UInt64? {
        written += bytes
        if part.begins {
            let rate = (unstored.max() ?? 0) / max(1, spread) + 1
            underway?.entry = entry
            underway?.rate = rate
        }
        guard let begin = underway?.entry, part.limit > 0, unstored.allSatisfy({ $0 == 0 }) else { return nil }
        underway = nil
        return begin
    }
}
