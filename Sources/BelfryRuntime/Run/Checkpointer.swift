import BelfryStore

/// Stores records beside the run, by and by, as shards give them.
///
/// A store that is behind its journal is brought up first. Whatever it is given was made durable by the journal before. A checkpoint is
/// complete when all records that had changed at its beginning are stored; then the store says to which entry of the journal it has come.
final class Checkpointer: Sendable {
    private let store: any RecordStore
    private let behind: JournaledStore?
    private let work: Monitor<Work>

    private struct Work {
        /// Whether the store is still to come to where the journal ended when the run began.
        var isBehind: Bool
        var pieces: [Piece] = []
        /// For each shard, the last batch of which all is stored.
        var batches: [UInt32]?
        /// The entry of the last checkpoint that is complete.
        var completed: UInt64?
        var failure: (any Error)?
        var isOver = false
        var hasEnded = false
    }

    /// Some records, and what is true when they are stored.
    struct Piece: Sendable {
        var records: [RecordChange]
        /// For each shard, the batch that they were collected with.
        var batches: [UInt32]
        /// The entry of the journal that the store has come to then, if it ends a checkpoint.
        var completes: UInt64?
    }

    /// - Throws: `NoThread`.
    init(_ store: OpenStore) throws {
        (self.store, behind) = (store.records, store.behind)
        work = Monitor(Work(isBehind: behind != nil))
        try startThread { [self] in run() }
    }

    /// Takes records to be stored. What stands in the way of that is thrown here or by `finish`.
    func take(_ piece: Piece) throws {
        let failure = work.change { work in
            work.pieces.append(piece)
            return work.failure
        }
        if let failure { throw failure }
    }

    /// How many pieces wait.
    var waiting: Int { work.look { $0.pieces.count } }

    /// For each shard, the last batch of which all is stored; nil before the first.
    var storedBatches: [UInt32]? { work.look { $0.batches } }

    /// The entry of the journal that the store has come to; nil before the first checkpoint.
    var completed: UInt64? { work.look { $0.completed } }

    /// Waits until everything that was taken is stored.
    func finish() throws {
        let failure: (any Error)? = work.wait { work in
            if let failure = work.failure { return .done(failure) }
            return work.pieces.isEmpty && !work.isBehind ? .done(nil) : .wait()
        }
        if let failure { throw failure }
    }

    /// Ends the thread when what it is at is done.
    func end() {
        work.change { $0.isOver = true }
        work.wait { $0.hasEnded ? .done(()) : .wait() }
    }

    private func run() {
        do {
            try catchUp()
            while let piece = next() { try store(piece) }
        } catch {
            work.change { $0.failure = error }
        }
        work.change { $0.hasEnded = true }
    }

    private func catchUp() throws {
        guard let entry = try behind?.catchUp(unless: { work.look { $0.isOver } }) else { return }
        work.change { ($0.isBehind, $0.completed) = (false, entry) }
    }

    private func store(_ piece: Piece) throws {
        let meta = piece.completes.map { JournalTail.meta(checkpoint: $0) } ?? [:]
        if !piece.records.isEmpty || !meta.isEmpty {
            // The journal is kept until the checkpoint is complete: recovery does not need a piece of it.
            let waits = piece.completes != nil
            try store.commit(StoreBatch(records: piece.records, meta: meta, waits: waits))
        }
        work.change { work in
            work.batches = piece.batches
            work.completed = piece.completes ?? work.completed
            work.pieces.removeFirst()
        }
    }

    private func next() -> Piece? {
        work.wait { work in
            if work.isOver { return .done(nil) }
            return work.pieces.first.map { .done($0) } ?? .wait()
        }
    }
}
