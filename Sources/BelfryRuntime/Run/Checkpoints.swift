import BelfryModel

/// What shards are asked to give of a checkpoint with a batch.
struct CheckpointPart: Sendable {
    /// Whether it begins with this batch.
    var begins = false
    /// How many records each shard gives at most.
    var limit = 0
    /// In bytes: however large records are, a batch waits for the copies of a few only, and so does memory.
    static let size = 1 << 20
}

/// When checkpoints begin, and how far the one under way is.
///
/// Records are collected a few with each batch, so that no batch takes much longer for it.
struct Checkpoints {
    /// What bounds the work after a kill: a checkpoint begins when so much was written to the journal since the last one began, or so long
    /// ago.
    var bytes = 1 << 30
    var every = Duration.seconds(5)
    /// Of each shard, with each batch.
    private static let atOnce = 500
    /// So many pieces may wait to be stored: more would be memory that grows.
    private static let waiting = 8

    private var written = 0
    private var began = MonotonicTime.now
    private var isWanted = false
    /// Set while one is under way; the entry as soon as it is known.
    private var underway: (isUnderway: Bool, entry: UInt64?) = (false, nil)

    /// Begins the next one as soon as it can: there is no room for more records that changed.
    mutating func hurry() { isWanted = true }

    /// What to ask for with the next batch.
    mutating func next(waiting: Int) -> CheckpointPart {
        var part = CheckpointPart()
        if !underway.isUnderway, isWanted || written >= bytes || began + every < .now {
            (underway, written, began, isWanted) = ((true, nil), 0, .now, false)
            part.begins = true
        }
        if underway.isUnderway, waiting < Self.waiting { part.limit = isWanted ? 4 * Self.atOnce : Self.atOnce }
        return part
    }

    /// - Parameters:
    ///   - bytes: that the entry has in the journal.
    ///   - unstored: how many records are still to be collected.
    /// - Returns: the entry that the store will have come to, if that was the last part.
    mutating func took(_ part: CheckpointPart, entry: UInt64, bytes: Int, unstored: Int) -> UInt64? {
        written += bytes
        if part.begins { underway.entry = entry }
        guard underway.isUnderway, let begin = underway.entry, part.limit > 0, unstored == 0 else { return nil }
        underway = (false, nil)
        return begin
    }
}
