import BelfryModel

/// What came of a signal or a timer, besides what changed in the record.
public struct Effects: Sendable {
    /// In the order they are to leave. An `invoked` one has no outcome yet: the host runs the action after the commit.
    public var decisions: [Decision] = []
    /// What the host is to forward, in order; nothing where nothing is forwarded.
    public var outgoing: [Outgoing] = []
    /// For the operator: sentences about odd but harmless things.
    public var warnings: [String] = []
    /// Things that were accepted and deliberately had no effect.
    public var ignored: [Ignored: Int] = [:]

    public enum Ignored: String, Sendable, CaseIterable {
        case inaccuratePosition = "inaccurate positions"
        case unknownBeacon = "sightings of unknown beacons"
        /// A misspelt type looks like this, too.
        case unawaitedSignal = "custom signals that no trigger waits for"
    }

    public init() {}

    /// Empties it for the next batch, keeping its memory.
    public mutating func removeAll() {
        decisions.removeAll(keepingCapacity: true)
        outgoing.removeAll(keepingCapacity: true)
        warnings.removeAll()
        ignored.removeAll()
    }

    mutating func ignore(_ what: Ignored) { ignored[what, default: 0] += 1 }
}
