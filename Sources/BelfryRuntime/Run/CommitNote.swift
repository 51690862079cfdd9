import BelfryCore
import BelfryEngine
import BelfryModel

/// What a run tells of a batch that was made durable.
public struct CommitNote: Sendable {
    /// Of each shard.
    public let counts: [SignalCounts]
    package let candidates: [CandidateTally.Count]
    /// The lines of its decisions.
    public let decisions: [UInt8]
    /// How many records shards have in memory.
    public let records: Int
    /// The latest time of a signal so far.
    public let accepted: Instant
    /// From when it was handed to the shards until they had decided it; nil where that is not a batch of signals.
    public let deciding: Swift.Duration?
    /// How long it took to make it durable.
    public let committing: Swift.Duration

    init(
        _ answers: [ShardAnswer], decisions: [UInt8], accepted: Instant, deciding: Swift.Duration?,
        committing: Swift.Duration
    ) {
        counts = answers.map(\.counts)
        candidates = answers.flatMap(\.candidates)
        records = answers.reduce(0) { $0 + $1.records }
        (self.decisions, self.accepted) = (decisions, accepted)
        (self.deciding, self.committing) = (deciding, committing)
    }
}
