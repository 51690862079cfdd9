import BelfryEngine
@_spi(Measuring) import BelfryHost
import BelfryModel

/// Subjects with a signal of each, in an order that no cache can guess: a round is one signal of everybody.
final class Crowd {
    private let decider: Decider
    private let signals: [Signal]
    private let belt: SignalBelt
    private var next = 0
    /// 2026-01-01T08:00:00Z
    private var now = Instant(milliseconds: 1_767_254_400_000)
    private let step: Duration

    /// Makes everybody known.
    ///
    /// - Parameter step: from one round to the next.
    init(_ catalog: Catalog, subjects: Int, step: Duration, campaign: (_ subject: Int) -> String) throws {
        decider = try Decider(catalog)
        self.step = step
        let now = now
        var random = Sequence64()
        signals = (0..<subjects).map { request(campaign($0), of: "u\($0)", at: now) }.shuffled(using: &random)
        belt = SignalBelt(signals)
        for signal in signals {
            try decider.process(
                Signal(
                    subject: signal.subject, time: now, cause: "s-1", type: "attributes.set",
                    event: .attributesSet(.user, Workbench.attributes)))
        }
    }

    /// Everybody asks for one more campaign: which one goes by the one that is always asked for.
    func ask(_ campaign: (String) -> String) throws {
        for signal in signals {
            guard case .requested(let asked) = signal.event else { continue }
            try decider.process(request(campaign(asked.campaign), of: signal.subject, at: now))
        }
        decider.clear()
    }

    /// Decides so many signals, and forgets what came of them every thousand.
    func run(_ count: Int) throws {
        for number in 1...count {
            if next == signals.count { (next, now) = (0, now + step) }
            try belt.pass(next, at: now) { try decider.process($0) }
            next += 1
            if number % 1000 == 0 { decider.clear() }
        }
        decider.clear()
    }

    /// Decides a hundred signals, and keeps what came of them to write it.
    func decideHundred() throws {
        for signal in signals.prefix(100) {
            var signal = signal
            signal.time = now + step
            try decider.process(signal)
        }
    }

    /// Writes so many lines, the same hundred again and again.
    func write(_ count: Int) {
        for _ in 0..<count / 100 { decider.writeLines() }
    }
}

private func request(_ campaign: String, of subject: String, at time: Instant) -> Signal {
    Signal(
        subject: subject, time: time, cause: "s-1", type: "notification.requested",
        event: .requested(Signal.Request(campaign: campaign)))
}
