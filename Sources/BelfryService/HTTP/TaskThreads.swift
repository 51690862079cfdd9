import NIOPosix

/// Threads for some tasks alone: what those wait for, or take long with, holds up no task of another kind. More tasks than there are threads
/// wait for one another.
final class TaskThreads: TaskExecutor {
    private let pool: NIOThreadPool

    init(_ count: Int) {
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    // What still waits for a database ends with the process.
    deinit { pool.shutdownGracefully { _ in } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { [self] _ in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
