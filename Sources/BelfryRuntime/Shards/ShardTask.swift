import BelfryCore
import BelfryModel

/// What a shard is asked to do: the same for one that is a thread and one that is a process.
struct ShardTask: Sendable {
    /// Calls that did not take a geotrigger: noted in the records first.
    var unhandled: [ActionCall] = []
    var work = Work.nothing
    /// What of a checkpoint is to come with the answer; nil where nothing is durable.
    var part: CheckpointPart?
    /// The ids of entries that are not to be called.
    var quarantined: [String] = []
    /// Whether it may be done by the thread that begins it.
    var isQuick = false

    enum Work: Sendable {
        case nothing
        /// Decide those lines of a batch that are the shard's.
        case lines(SignalBatch)
        /// Say which timer is the last of the first so many that are due by then.
        case bound(Instant, atMost: Int)
        /// Fire the timers that are due by then, up to the bound.
        case tick(Instant, bound: TimerQueue.Timer?)
        /// Let go of records when there are too many. `stored`: for each shard, the last batch that the store has.
        case makeRoom(capacity: Int?, stored: [UInt32]?)
        /// Let go of a record that the store has not any more.
        case forget(String)
        /// Say so many records that changed last, as they are to be stored.
        case recent(Int)
    }
}

extension Shard {
    /// Does its part of a task.
    func perform(_ task: ShardTask, index: Int, count: Int, _ answer: ShardAnswer) throws {
        for call in task.unhandled where call.shard(of: count) == index { try markUnhandled(call) }
        if !task.quarantined.isEmpty || !faults.isEmpty { exclude(task.quarantined) }
        switch task.work {
        case .nothing: break
        case .lines(let batch): try decide(batch, batch.lines(of: index), answer)
        case .bound(let time, let limit): answer.bound = bound(of: time, atMost: limit)
        case .tick(let time, let bound): try tick(time, bound: bound, answer)
        case .makeRoom(let capacity, let stored): makeRoom(capacity: capacity, stored: stored?[index])
        case .forget(let subject): forget(subject)
        case .recent(let limit): answer.recent = recent(limit)
        }
        if let part = task.part { collect(part, answer) }
        answer.candidates += takeTally()
        answer.records = recordCount
    }
}

extension ActionCall {
    /// Which of so many shards has the subject.
    func shard(of count: Int) -> Int { BatchReader.shard(stableHash(subject), of: count) }
}
