import CLinux

/// Makes batches durable and hands them out on a thread of its own, one at a time, while the next one is decided.
final class Committer: Sendable {
    private let task = Monitor(Task())

    private struct Task {
        /// Taken by the thread when it begins.
        var work: (@Sendable () throws -> Void)?
        var isUnderway = false
        var failure: (any Error)?
        var isOver = false
    }

    /// - Throws: `NoThread`.
    init() throws {
        try startThread { [task] in
            belfry_wake_promptly()
            while let work = Self.next(task) {
                let outcome = Result { try work() }
                task.change { task in
                    task.isUnderway = false
                    if case .failure(let error) = outcome { task.failure = error }
                }
            }
        }
    }

    /// Ends the thread, after what is under way.
    func dismiss() { task.change { $0.isOver = true } }

    private static func next(_ task: Monitor<Task>) -> (@Sendable () throws -> Void)? {
        task.wait { task in
            guard let work = task.work else { return task.isOver ? .done(nil) : .wait() }
            task.work = nil
            return .done(work)
        }
    }

    /// Begins with a batch, when what was begun before is finished.
    func begin(_ work: @escaping @Sendable () throws -> Void) {
        task.change { task in
            task.work = work
            task.isUnderway = true
        }
    }

    /// Waits until what was begun is done.
    ///
    /// - Throws: what it has thrown.
    func finish() throws {
        let failure = task.wait { task -> Monitor<Task>.Look<(any Error)?> in
            if task.isUnderway { return .wait() }
            defer { task.failure = nil }
            return .done(task.failure)
        }
        if let failure { throw failure }
    }
}
