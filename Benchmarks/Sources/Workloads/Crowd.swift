import BelfryCore
import BelfryEngine
import BelfryModel

/// Subjects with a signal of each, in an order that no cache can guess: a round is one signal of each subject.
final class Crowd {
    private let decider: SubjectSet
    private let catalog: Catalog
    private let signals: [Signal]
    private let belt: SignalBelt
    private var next = 0
    /// 2026-01-01T08:00:00Z
    private var now = Instant(milliseconds: 1_767_254_400_000)
    private let step: Duration

    /// Makes all subjects known.
    ///
    /// - Parameter step: from one round to the next.
    init(_ catalog: Catalog, subjects: Int, step: Duration, campaign: (_ subject: Int) -> String) throws {
        decider = SubjectSet(Engine(catalog))
        self.catalog = catalog
        self.step = step
        let now = now
        var random = Sequence64()
        signals = (0..<subjects).map { request(campaign($0), of: "u\($0)", at: now) }.shuffled(using: &random)
        belt = SignalBelt(signals)
        for signal in signals {
            _ = try decider.decide(
                Signal(
                    subject: signal.subject, time: now, cause: "s-1", type: "attributes.set",
                    event: .attributesSet(.user, Workbench.attributes)))
        }
    }

    /// Each subject asks for one more campaign: which one goes by the one that is always asked for.
    func ask(_ campaign: (String) -> String) throws {
        for signal in signals {
            guard case .requested(let asked) = signal.event else { continue }
            _ = try decider.decide(request(campaign(asked.campaign), of: signal.subject, at: now))
        }
    }

    /// Decides so many signals.
    func run(_ count: Int) throws {
        for _ in 1...count {
            if next == signals.count { (next, now) = (0, now + step) }
            try belt.pass(next, at: now) { _ = try decider.decide($0) }
            next += 1
        }
    }

    /// Decides one signal, and writes its line so many times.
    func write(_ count: Int) throws {
        var signal = signals[0]
        signal.time = now + step
        _ = try decider.decide(signal)
        decider.withEffects { effects in
            var writer = JSONWriter()
            for number in 1...count {
                for index in 0..<effects.count { _ = effects.write(index, to: &writer, catalog) }
                if number % 100 == 0 { writer.removeAll() }
            }
            use(writer)
        }
    }

    /// A record as it is stored, again and again.
    func store(_ count: Int) throws {
        try decider.withRecord(of: signals[0].subject) { record in
            for _ in 0..<count { use(record.stored(catalog.services.states)) }
        }
    }

    /// A stored record, read again and again.
    func read(_ count: Int) throws {
        let subject = signals[0].subject
        let bytes = try decider.withRecord(of: subject) { $0.stored(catalog.services.states) }
        for _ in 0..<count { use(try SubjectRecord(subject: subject, reading: bytes, catalog.services.states)) }
    }
}

private func request(_ campaign: String, of subject: String, at time: Instant) -> Signal {
    Signal(
        subject: subject, time: time, cause: "s-1", type: "notification.requested",
        event: .requested(Signal.Request(campaign: campaign)))
}
