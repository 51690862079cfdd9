import BelfryModel

/// How long a run waits at its end for sinks that have something to deliver: so long for the next delivery, and longer only for attempts that
/// are under way by then. It knows no clock: times are handed in, as the time since any start.
struct SinkPatience {
    private let patience: Duration
    private let limit: Duration?
    private var progress = -1
    private var end = Duration.zero
    /// Whether its end is that of attempts by now.
    private var isExtended = false

    /// - Parameter limit: when it ends in any case.
    init(_ patience: Duration, until limit: Duration?) { (self.patience, self.limit) = (patience, limit) }

    /// - Parameters:
    ///   - done: how many items were delivered or given up so far.
    ///   - attempts: when those under way are over at the latest; nil if none is.
    mutating func isOver(at now: Duration, done: Int, attempts: Duration?) -> Bool {
        if done > progress { (progress, end, isExtended) = (done, now + patience, false) }
        if now > end, !isExtended, let attempts { (end, isExtended) = (attempts, true) }
        return now > min(end, limit ?? end)
    }
}
