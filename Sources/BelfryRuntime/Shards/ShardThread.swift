import BelfryCore
import BelfryEngine

/// A shard with a thread of its own. A quick task is done by the thread that asks for it, if the shard has nothing else to do: to wake
/// another thread takes longer.
final class ShardThread: ShardWorker {
    private let place: ShardPlace
    private let site: CallSite?
    private let queue: Monitor<Queue>

    private struct Queue {
        /// Nil while a thread has it.
        var shard: Shard?
        var jobs: [Job] = []
        var isOver = false
    }

    private enum Job {
        case task(ShardTask, Monitor<ShardAnswer?>)
        case take(Catalog, Configuration.Forward?)
        case takeOwn(Workspace.Loaded, Configuration.Forward?)
    }

    /// - Throws: `NoThread`.
    init(_ shard: Shard, _ place: ShardPlace, _ site: CallSite? = nil) throws {
        (self.place, self.site, queue) = (place, site, Monitor(Queue(shard: shard)))
        try startThread { [self] in work() }
    }

    func begin(_ task: ShardTask) -> Monitor<ShardAnswer?> {
        if task.isQuick, let shard = takeIdle() {
            defer { giveBack(shard) }
            site?.enter()
            defer { CallSite.leave() }
            return Monitor(perform(task, on: shard))
        }
        let answer = Monitor<ShardAnswer?>(nil)
        queue.change { $0.jobs.append(.task(task, answer)) }
        return answer
    }

    /// Takes the shard for the thread that asks, if it is free.
    private func takeIdle() -> Shard? {
        queue.changeQuietly { $0.jobs.isEmpty ? $0.shard.take() : nil }
    }

    private func giveBack(_ shard: Shard) {
        let isWanted = queue.changeQuietly { queue in
            queue.shard = shard
            return !queue.jobs.isEmpty || queue.isOver
        }
        if isWanted { queue.change { _ in } }
    }

    /// From the next task on, everything is decided by this.
    func take(_ catalog: Catalog, forward: Configuration.Forward?) {
        queue.change { $0.jobs.append(.take(catalog, forward)) }
    }

    /// The same by a catalog of its own, which it compiles.
    func takeOwn(of loaded: Workspace.Loaded, forward: Configuration.Forward?) {
        queue.change { $0.jobs.append(.takeOwn(loaded, forward)) }
    }

    func end() { queue.change { $0.isOver = true } }

    private func work() {
        while let (shard, job) = next() {
            switch job {
            case .take(let catalog, let forward):
                site?.take(catalog)
                shard.take(catalog, forward: forward)
            case .takeOwn(let loaded, let forward):
                // What was compiled once can be compiled again; if a plugin will not, it keeps the one that is shared.
                if let catalog = try? loaded.compiledAgain() { shard.take(catalog, forward: forward) }
            case .task(let task, let target):
                site?.enter()
                let answer = perform(task, on: shard)
                target.change { $0 = answer }
            }
            queue.changeQuietly { $0.shard = shard }
        }
    }

    private func perform(_ task: ShardTask, on shard: Shard) -> ShardAnswer {
        let answer = ShardAnswer()
        do { try shard.perform(task, index: place.index, count: place.count, answer) } catch { answer.failure = error }
        return answer
    }

    private func next() -> (Shard, Job)? {
        queue.wait { queue in
            guard let shard = queue.shard else { return .wait() }
            if queue.jobs.isEmpty { return queue.isOver ? .done(nil) : .wait() }
            queue.shard = nil
            return .done((shard, queue.jobs.removeFirst()))
        }
    }
}

extension Workspace.Loaded {
    fileprivate func compiledAgain() throws -> Catalog {
        try Catalog(catalog.configuration, providers: providers, services: catalog.services)
    }
}

/// Which of how many shards one is.
struct ShardPlace: Sendable {
    let index: Int
    let count: Int
}
