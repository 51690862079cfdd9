import BelfryModel

/// What became of what was to be forwarded.
public struct ForwardStatus: Sendable, Hashable {
    /// Items that the endpoint has taken in this run.
    public package(set) var forwarded = 0
    /// Items that are still in the queue.
    public package(set) var waiting = 0
    /// Attempts that did not get through, in this run.
    public package(set) var failedAttempts = 0
    /// Why the last of them failed, if nothing has gone through since.
    public package(set) var trouble: String?

    package init(forwarded: Int = 0) { self.forwarded = forwarded }

    /// For people, on one line.
    public var description: String {
        "forwarded: \(forwarded) items, \(waiting) are waiting; \(failedAttempts) attempts failed"
    }

    /// For machines.
    public var value: Value {
        [
            "forwarded": .integer(Int64(forwarded)), "waiting": .integer(Int64(waiting)),
            "failedAttempts": .integer(Int64(failedAttempts)),
        ]
    }

    /// What becomes of what is still waiting when the run is over; nil if nothing is.
    ///
    /// - Parameter isDurable: whether the store outlives the process.
    public func leftovers(isDurable: Bool) -> String? {
        guard waiting > 0 else { return nil }
        let why = trouble ?? "the run ended before"
        let effect =
            isDurable
            ? "they are in the store, and the next run goes on with them"
            : "they are lost: the store is in memory\n  fix: configure a store that lasts, such as 'store: sqlite:belfry.db'"
        return "\(waiting) items were not forwarded\n  why: \(why)\n  effect: \(effect)"
    }
}
