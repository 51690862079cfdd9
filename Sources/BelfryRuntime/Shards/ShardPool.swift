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

    init(_ workers: [any ShardWorker], _ quarantine: EntryQuarantine? = nil) {
        (self.workers, self.quarantine) = (workers, quarantine)
    }

    deinit { for worker in workers { worker.end() } }

    var count: Int { workers.count }

    /// Has all shards begin with a task when they are done with those before.
    func begin(_ task: ShardTask) -> Pending {
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

    /// From the next task on, everything is decided by this.
    func take(_ next: DecisionSource, forward: Configuration.Forward?) {
        switch next {
        case .threads(let loaded):
            let catalogs = loaded.catalog.copies(count, loaded.providers)
            for (worker, catalog) in zip(workers, catalogs) {
                (worker as? ShardThread)?.take(catalog, forward: forward)
            }
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

extension Catalog {
    /// So many catalogs of the same configuration, this one among them.
    func copies(_ count: Int, _ providers: Providers) -> [Catalog] {
        // What was compiled once can be compiled again; if a plugin will not, shards share one, which is slower.
        [self]
            + (1..<count).map { _ in
                (try? Catalog(configuration, providers: providers, services: services)) ?? self
            }
    }
}
