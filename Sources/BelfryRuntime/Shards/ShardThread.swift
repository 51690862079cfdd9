import BelfryEngine

/// A shard with a thread of its own. What is quickly done is done by the thread that asks for it, if it has nothing else to do: to wake another one
/// takes longer.
final class ShardThread: ShardWorker, @unchecked Sendable {
    // Unchecked: the shard is touched by one thread at a time, which has said so in the queue.
    private let shard: Shard
    private let place: ShardPlace
    private let site: CallSite?
    private let queue = Monitor(Queue())

    private struct Queue {
        var jobs: [Job] = []
        /// Whether a thread is at one.
        var isBusy = false
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
        if task.isQuick, isTaken() {
            defer { giveBack() }
            site?.enter()
            defer { CallSite.leave() }
            return Monitor(perform(task))
        }
        let answer = Monitor<ShardAnswer?>(nil)
        queue.change { $0.jobs.append(.task(task, answer)) }
        return answer
    }

    /// Takes the shard for the thread that asks, if it is free.
    private func isTaken() -> Bool {
        queue.changeQuietly { queue in
            if queue.isBusy || !queue.jobs.isEmpty { return false }
            queue.isBusy = true
            return true
        }
    }

    private func giveBack() {
        let isWanted = queue.changeQuietly { queue in
            queue.isBusy = false
            return !queue.jobs.isEmpty || queue.isOver
        }
        if isWanted { queue.change { _ in } }
    }

    /// From the next task on, everything is decided by this.
    func take(_ catalog: Catalog, forward: Configuration.Forward?) {
        queue.change { $0.jobs.append(.take(catalog, forward)) }
    }

    func end() { queue.change { $0.isOver = true } }

    private func work() {
        while let job = next() {
            switch job {
            case .take(let catalog, let forward):
                site?.take(catalog)
                shard.take(catalog, forward: forward)
            case .task(let task, let target):
                site?.enter()
                let answer = perform(task)
                target.change { $0 = answer }
            }
            queue.changeQuietly { $0.isBusy = false }
        }
    }

    private func perform(_ task: ShardTask) -> ShardAnswer {
        let answer = ShardAnswer()
        do { try shard.perform(task, index: place.index, count: place.count, answer) } catch { answer.failure = error }
        return answer
    }

    private func next() -> Job? {
        queue.wait { queue in
            if queue.isBusy { return .wait() }
            if queue.jobs.isEmpty { return queue.isOver ? .done(nil) : .wait() }
            queue.isBusy = true
            return .done(queue.jobs.removeFirst())
        }
    }
}

/// Which of how many shards one is.
struct ShardPlace: Sendable {
    let index: Int
    let count: Int
}
