import BelfryEngine

/// A shard with a thread of its own.
final class ShardThread: ShardWorker, @unchecked Sendable {
    // Unchecked: the shard is touched by its own thread only.
    private let shard: Shard
    private let place: ShardPlace
    private let site: CallSite?
    private let queue = Monitor(Queue())

    private struct Queue {
        var jobs: [Job] = []
        var isOver = false
    }

    private enum Job {
        case task(ShardTask, Monitor<ShardAnswer?>)
        case take(Catalog, Configuration.Forward?)
    }

    /// - Throws: `NoThread`.
    init(_ shard: Shard, _ place: ShardPlace, _ site: CallSite? = nil) throws {
        (self.shard, self.place, self.site) = (shard, place, site)
        try startThread { [self] in work() }
    }

    func begin(_ task: ShardTask) -> Monitor<ShardAnswer?> {
        let answer = Monitor<ShardAnswer?>(nil)
        queue.change { $0.jobs.append(.task(task, answer)) }
        return answer
    }

    /// From the next task on, everything is decided by this.
    func take(_ catalog: Catalog, forward: Configuration.Forward?) {
        queue.change { $0.jobs.append(.take(catalog, forward)) }
    }

    func end() { queue.change { $0.isOver = true } }

    private func work() {
        site?.enter()
        while let job = next() {
            switch job {
            case .take(let catalog, let forward):
                site?.take(catalog)
                shard.take(catalog, forward: forward)
            case .task(let task, let target):
                let answer = ShardAnswer()
                do { try shard.perform(task, index: place.index, count: place.count, answer) } catch {
                    answer.failure = error
                }
                target.change { $0 = answer }
            }
        }
    }

    private func next() -> Job? {
        queue.wait { queue in
            if !queue.jobs.isEmpty { return .done(queue.jobs.removeFirst()) }
            return queue.isOver ? .done(nil) : .wait()
        }
    }
}

/// Which of how many shards one is.
struct ShardPlace: Sendable {
    let index: Int
    let count: Int
}
