import BelfryStore

/// Commits on a thread of its own, one batch at a time, while the next one is decided.
final class Committer: Sendable {
    private let task = Monitor(Task())

    private struct Task {
        /// Taken by the thread when it begins.
        var batch: StoreBatch?
        var isUnderway = false
        var failure: (any Error)?
        var isOver = false
    }

    /// - Throws: `NoThread`.
    init(_ store: any RecordStore) throws {
        try startThread { [task] in
            while let batch = Self.next(task) {
                let outcome = Result { try store.commit(batch) }
                task.change { task in
                    task.isUnderway = false
                    if case .failure(let error) = outcome { task.failure = error }
                }
            }
        }
    }

    /// Ends the thread, after what is under way.
    func dismiss() { task.change { $0.isOver = true } }

    private static func next(_ task: Monitor<Task>) -> StoreBatch? {
        task.wait { task in
            guard let batch = task.batch else { return task.isOver ? .done(nil) : .wait() }
            task.batch = nil
            return .done(batch)
        }
    }

    /// Begins to commit, when what was begun before is finished.
    func begin(_ batch: StoreBatch) {
        task.change { task in
            task.batch = batch
            task.isUnderway = true
        }
    }

    /// Waits until what was begun is durable.
    ///
    /// - Throws: what the store has thrown.
    func finish() throws {
        let failure = task.wait { task -> Monitor<Task>.Look<(any Error)?> in
            if task.isUnderway { return .wait() }
            defer { task.failure = nil }
            return .done(task.failure)
        }
        if let failure { throw failure }
    }
}
