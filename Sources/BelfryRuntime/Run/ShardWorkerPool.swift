/// The shards of a run, each with a thread that works off what it is given, in order.
final class ShardWorkerPool {
    private let workers: [Worker]

    /// What all shards are asked to do. Each does its part when it has done what it was asked before.
    typealias Task = @Sendable (_ shard: Shard, _ index: Int, _ answer: ShardAnswer) throws -> Void

    /// - Throws: `NoThread`.
    init(_ shards: [Shard]) throws {
        workers = try shards.enumerated().map { try Worker($1, index: $0) }
    }

    deinit { for worker in workers { worker.end() } }

    var count: Int { workers.count }

    /// Has all shards begin with a task when they are done with those before.
    func begin(_ task: @escaping Task) -> Pending { Pending(workers.map { $0.begin(task) }) }

    /// The answers of all shards that are still to come.
    struct Pending {
        private let answers: [Monitor<ShardAnswer?>]

        fileprivate init(_ answers: [Monitor<ShardAnswer?>]) { self.answers = answers }

        /// Waits for them, in the order of shards.
        ///
        /// - Throws: why a shard could not go on.
        func wait() throws -> [ShardAnswer] {
            let answers = answers.map { $0.wait { $0.map { .done($0) } ?? .wait() } }
            if let failure = answers.lazy.compactMap(\.failure).first { throw failure }
            return answers
        }
    }

    private final class Worker: @unchecked Sendable {
        // Unchecked: the shard is touched by the worker's own thread only.
        private let shard: Shard
        private let index: Int
        private let queue = Monitor(Queue())

        private struct Queue {
            var tasks: [(task: Task, answer: Monitor<ShardAnswer?>)] = []
            var isOver = false
        }

        init(_ shard: Shard, index: Int) throws {
            (self.shard, self.index) = (shard, index)
            try startThread { [self] in work() }
        }

        func begin(_ task: @escaping Task) -> Monitor<ShardAnswer?> {
            let answer = Monitor<ShardAnswer?>(nil)
            queue.change { $0.tasks.append((task, answer)) }
            return answer
        }

        func end() { queue.change { $0.isOver = true } }

        private func work() {
            while let (task, target) = next() {
                let answer = ShardAnswer()
                do { try task(shard, index, answer) } catch { answer.failure = error }
                target.change { $0 = answer }
            }
        }

        private func next() -> (task: Task, answer: Monitor<ShardAnswer?>)? {
            queue.wait { queue in
                if !queue.tasks.isEmpty { return .done(queue.tasks.removeFirst()) }
                return queue.isOver ? .done(nil) : .wait()
            }
        }
    }
}
