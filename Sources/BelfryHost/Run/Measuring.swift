import BelfryEngine
import BelfryModel
import BelfryStore

// The parts of a run, for the package that measures what they cost (docs/performance.md). Nobody else is to use them.

/// Turns lines into signals, as a run does.
@_spi(Measuring) public final class LineDecoder {
    private let decoder = SignalDecoder()

    public init() {}

    public func signal(_ line: UnsafeBufferPointer<UInt8>) throws(SignalReject) -> Signal {
        try decoder.decode(line, line: 1)
    }
}

/// Decides signals, as a run does: looks for the record, checks, fires timers, and asks the chain.
@_spi(Measuring) public final class Decider {
    private let lane: Lane

    public init(_ catalog: Catalog) throws {
        let store = MemoryStore()
        let cache = RecordCache(store, isDurable: false, capacity: .max)
        lane = try Lane(Engine(catalog), store: store, cache: cache, watermark: .distantPast)
    }

    public func process(_ signal: Signal) throws {
        _ = try lane.process(signal) { true }
    }

    /// Writes the lines of everything that was decided since the last time it was forgotten.
    public func writeLines() {
        lane.lines.removeAll()
        lane.writeLines()
    }

    /// Forgets what was decided, as after a batch.
    public func clear() { lane.clearEffects() }
}
