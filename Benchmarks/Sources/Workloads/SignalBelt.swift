import BelfryModel

/// Signals that come again and again. Each is moved out and back, as nothing is copied for one that was just decoded.
final class SignalBelt {
    private let signals: UnsafeMutableBufferPointer<Signal>

    init(_ signals: [Signal]) {
        self.signals = .allocate(capacity: signals.count)
        _ = self.signals.initialize(from: signals)
    }

    deinit {
        signals.deinitialize()
        signals.deallocate()
    }

    var count: Int { signals.count }

    /// Hands the signal at a place to `take`, as of that time.
    @inline(__always)
    func pass(_ place: Int, at time: Instant, _ take: (Signal) throws -> Void) throws {
        let pointer = signals.baseAddress! + place
        var signal = pointer.move()
        signal.time = time
        do {
            try take(signal)
        } catch {
            pointer.initialize(to: signal)
            throw error
        }
        pointer.initialize(to: consume signal)
    }
}
