import BelfryJournal
import BelfryModel

/// Records follow the journal, and leave memory when they are stored.
extension Runner {
    /// The last checkpoint of a run: the next one has nothing to bring up.
    func storeAll() throws {
        guard store.isDurable else { return }
        checkpoints.abandon()
        var part = CheckpointPart(begins: true, limit: 4096)
        while true {
            // What is not durable, such as the place of a sink, may never come true.
            let (asked, entry) = (part, store.journal.durable)
            let answers = try shards.begin(ShardTask(part: asked)).wait()
            let isLast = answers.allSatisfy { $0.unstored == 0 }
            try give(answers, at: entry, completes: isLast ? entry : nil)
            if isLast { break }
            part.begins = false
            if checkpointer.waiting > 8 { try checkpointer.finish() }
        }
        try checkpointer.finish()
        dropJournal()
    }

    private func give(_ answers: [ShardAnswer], at entry: UInt64, completes: UInt64?) throws {
        var records = answers.flatMap(\.stored)
        for index in records.indices { records[index].entry = entry }
        try checkpointer.take(
            Checkpointer.Piece(records: records, batches: answers.map(\.batch), completes: completes))
    }

    /// Entries are not needed any more that the store has come to, and whose decisions have left.
    func dropJournal() {
        guard let completed = checkpointer.completed else { return }
        let (needed, now) = (min(completed, outbox.position.handedOut), Instant.wallClock)
        let undelivered = min(outbox.forwardedEntry, outlets.map(\.entry).min() ?? .max)
        store.journal.drop(through: min(needed, undelivered), before: now - options.journal.keep)
        if undelivered < needed { store.journal.drop(through: needed, before: now - options.journal.undelivered) }
    }

    /// What shards are to give with the next batch or tick; nil where nothing is durable.
    var nextPart: CheckpointPart? {
        guard store.isDurable else { return nil }
        var part = checkpoints.next(waiting: checkpointer.waiting)
        if part.begins { part.stored = checkpointer.storedBatches }
        return part
    }

    /// - Parameter entry: the last of the journal when that part was collected.
    func checkpoint(_ part: CheckpointPart, _ answers: [ShardAnswer], entry: UInt64) throws {
        let bytes = answers.reduce(0) { $0 + $1.signals.count + $1.output.count + $1.changes.count }
        let completes = checkpoints.took(part, entry: entry, bytes: bytes, unstored: answers.map(\.unstored))
        if part.limit > 0 { try give(answers, at: entry, completes: completes) }
        dropJournal()
    }

    /// Lets go of records when there are too many.
    func makeRoom(_ answers: [ShardAnswer]) throws {
        let count = answers.reduce(0) { $0 + $1.records }
        let shared = answers.reduce(0) { $0 + $1.shared }
        let measured = memoryLimit.map { _ in memoryLimit!.capacity(for: count, shared: shared) / shards.count }
        let capacity = measured ?? (options.cacheBytes == nil ? options.cacheCapacity / shards.count : .max)
        guard store.isDurable, answers.contains(where: { $0.records > capacity }) else { return }
        if answers.contains(where: { $0.dirty > capacity / 2 }) { checkpoints.hurry() }
        // Memory does not grow for a store that is slow.
        if answers.contains(where: { $0.records > capacity * 2 && $0.records > 10_000 }) { try checkpointer.finish() }
        let stored = checkpointer.storedBatches
        _ = shards.begin(ShardTask(work: .makeRoom(capacity: measured, stored: stored)))
    }
}
