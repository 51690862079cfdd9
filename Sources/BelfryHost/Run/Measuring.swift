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
    private let lanes: Lanes

    public init(_ catalog: Catalog) throws {
        lanes = try Lanes(
            [catalog], store: MemoryStore(), isDurable: false, cacheCapacity: .max, watermark: .distantPast)
    }

    public func process(_ signal: Signal) throws {
        _ = try lanes.process(signal) { true }
    }

    /// Writes the lines of everything that was decided since the last time it was forgotten.
    public func writeLines() {
        lanes.all[0].lines.removeAll()
        lanes.all[0].writeLines()
    }

    /// Forgets what was decided, as after a batch.
    public func clear() { lanes.clearEffects() }
}
