import BelfryModel

/// How many lines a batch may have, so that it takes no longer than it is to: plugins may be slow.
struct BatchPacer {
    private var lines = 64

    func limit(_ options: Runner.Options) -> Int { min(lines, options.batchSize) }

    /// Learns from a batch how many lines the next one may have.
    mutating func note(_ count: Int, took time: Swift.Duration, _ options: Runner.Options) {
        let limit = Swift.Duration.milliseconds(options.batchTime.milliseconds)
        if time > limit {
            lines = max(1, count / 2)
        } else if time * 2 < limit {
            lines = min(max(lines, count) * 2, max(64, options.batchSize))
        }
    }
}
