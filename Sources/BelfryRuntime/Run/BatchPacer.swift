import BelfryModel

/// How many lines a batch may have, so that it takes no longer than it is to: plugins may be slow.
struct BatchPacer {
    private var lines = 64
    /// So many batches more go to the threads of shards, however small they are.
    private var detours = 0

    /// Whether a batch takes less time than to wake the threads of shards.
    func isQuick(_ batch: SignalBatch) -> Bool { detours == 0 && batch.lines.count <= 16 }

    /// Learns from such a batch whether plugins are slow. Also the thread may have been stopped for a moment: so it is tried again.
    mutating func note(quickTook time: Swift.Duration) { if time > .milliseconds(1) { detours = 100 } }

    func limit(_ options: Runner.Options) -> Int { min(lines, options.batchSize) }

    /// Learns from a batch how many lines the next one may have.
    mutating func note(_ count: Int, took time: Swift.Duration, _ options: Runner.Options) {
        detours = max(0, detours - 1)
        let limit = Swift.Duration.milliseconds(options.batchTime.milliseconds)
        if time > limit {
            lines = max(1, count / 2)
        } else if time * 2 < limit {
            lines = min(max(lines, count) * 2, max(64, options.batchSize))
        }
    }
}
