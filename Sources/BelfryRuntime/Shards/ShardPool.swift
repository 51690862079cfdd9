import BelfryCore
import BelfryEngine

/// A shard that works off what it is given, in order, beside the run.
protocol ShardWorker: AnyObject, Sendable {
    func begin(_ task: ShardTask) -> Monitor<ShardAnswer?>

    /// Ends it when what it was given is done.
    func end()
}

/// The shards of a run.
final class ShardPool {
    private let workers: [any ShardWorker]
    private let quarantine: EntryQuarantine?
    /// The catalog that all threads have, as long as there was little to decide; nil: each has its own.
    private var shared: Workspace.Loaded?
    private let forward: Configuration.Forward?
    private var lines = 0

    /// So much is decided by a catalog that is shared: to compile one takes longer than that.
    private static let few = 2000

    init(
        _ workers: [any ShardWorker], of source: DecisionSource, forward: Configuration.Forward?,
        _ quarantine: EntryQuarantine? = nil
    ) {
        (self.workers, self.quarantine, self.forward) = (workers, quarantine, forward)
        if case .threads(let loaded) = source { shared = loaded }
    }

    deinit { for worker in workers { worker.end() } }

    var count: Int { workers.count }

    /// Has all shards begin with a task when they are done with those before.
    func begin(_ task: ShardTask) -> Pending {
        if case .lines(let batch) = task.work { giveOwnCatalogs(before: batch.lines.count) }
        var task = task
        task.quarantined = quarantine?.excluded ?? []
        return Pending(workers.map { $0.begin(task) })
    }

    /// The records that shards have in memory, those that changed last, for whichever thread asks.
    var recentRecords: RecentRecords {
        { [workers] limit in
            let asked = workers.map { $0.begin(ShardTask(work: .recent(limit))) }
            return try Pending(asked).wait().flatMap(\.recent)
        }
    }

    /// Threads that share a catalog wait for one another to count its references.
    private func giveOwnCatalogs(before count: Int) {
        guard let loaded = shared else { return }
        lines += count
        if lines < Self.few { return }
        for worker in workers.dropFirst() { (worker as? ShardThread)?.takeOwn(of: loaded, forward: forward) }
        shared = nil
    }

    /// From the next task on, everything is decided by this.
    func take(_ next: DecisionSource) {
        switch next {
        case .threads(let loaded):
            for worker in workers { (worker as? ShardThread)?.take(loaded.catalog, forward: forward) }
            (shared, lines) = (loaded, 0)
        case .processes(let zygote): for worker in workers { (worker as? ShardProcess)?.take(zygote) }
        }
    }

    /// The answers of all shards that are still to come.
    struct Pending {
        private let answers: [Monitor<ShardAnswer?>]

        fileprivate init(_ answers: [Monitor<ShardAnswer?>]) { self.answers = answers }

        /// Whether all of them are there.
        var haveArrived: Bool { answers.allSatisfy { $0.look { $0 != nil } } }

        /// Waits for them, in the order of shards.
        ///
        /// - Throws: why a shard could not go on.
        func wait() throws -> [ShardAnswer] {
            let answers = answers.map { $0.wait { $0.map { .done($0) } ?? .wait() } }
            if let failure = answers.lazy.compactMap(\.failure).first { throw failure }
            return answers
        }
    }
}
