import NIOPosix

/// Threads that may wait for a database which stands still: where the store is one, handlers of the API run on them, so that health never
/// waits for what they read.
final class WaitingThreads: TaskExecutor {
    /// More than this wait for one another.
    private static let most = 64

    private let pool = NIOThreadPool(numberOfThreads: most)

    init() { pool.start() }

    // What still waits for a database ends with the process.
    deinit { pool.shutdownGracefully { _ in } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { [self] _ in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
