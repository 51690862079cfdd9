import BelfryModel

/// Which entries of the chain are not called for a while, because they were at fault too often.
///
/// Three faults within a minute bring an entry in. It is let out on trial after a second; the first fault there brings it in for twice as
/// long, up to five minutes. After a minute without one, everything is forgotten. Time comes from outside.
struct Quarantine {
    private var histories: [String: History] = [:]

    static let most = 3
    static let window = Duration.minutes(1)
    static let (shortest, longest) = (Duration.seconds(1), Duration.minutes(5))

    private struct History {
        /// The last ones, while it was free.
        var faults: [Instant] = []
        /// Its last stay: how long, and until when.
        var stay: (length: Duration, end: Instant)?
        /// Whether it was at work again since, and did no harm.
        var isTried = false

        mutating func begin(_ length: Duration, at now: Instant) -> Duration {
            (faults, stay, isTried) = ([], (length, now + length), false)
            return length
        }
    }

    /// Those that are not to be called.
    func excluded(at now: Instant) -> [String] {
        histories.filter { $1.stay.map { now < $0.end } ?? false }.map(\.key).sorted()
    }

    /// Those, and those that have been let out and not been at work yet.
    func entries(at now: Instant) -> [String] { histories.filter { $1.stay != nil && !$1.isTried }.map(\.key).sorted() }

    /// Notes that an entry was at fault.
    ///
    /// - Returns: for how long it is not to be called, if that begins now; nil also where it has begun before.
    mutating func fault(of entry: String, at now: Instant) -> Duration? {
        var history = histories[entry] ?? History()
        defer { histories[entry] = history }
        if let stay = history.stay {
            if now < stay.end { return nil }
            if now < stay.end + Self.window { return history.begin(min(stay.length * 2, Self.longest), at: now) }
            history = History()
        }
        history.faults = history.faults.filter { now < $0 + Self.window } + [now]
        return history.faults.count < Self.most ? nil : history.begin(Self.shortest, at: now)
    }

    /// Notes that signals were decided without a fault of any entry but these.
    mutating func didWork(except faulty: Set<String>, at now: Instant) {
        for (entry, history) in histories where !faulty.contains(entry) {
            guard let stay = history.stay, stay.end <= now else { continue }
            histories[entry]?.isTried = true
        }
    }
}
