import BelfryModel

/// Leaves a sink alone that fails whatever it is given, and then tries with one item whether it is back; or for as long as it asks for.
struct Breaker {
    /// So many failures in a row open it.
    private static let limit = 5

    private var failures = 0
    private var openings = 0
    private var openUntil: Duration?
    private var askedUntil = Duration.zero
    /// Whether one item is under way to see whether the sink is back.
    private(set) var isProbing = false

    /// Before that nothing is begun.
    var until: Duration { max(openUntil ?? .zero, askedUntil) }

    func allows(at now: Duration) -> Bool { until <= now && !isProbing }

    mutating func begin() { isProbing = openUntil != nil }

    /// - Returns: whether it had been open.
    mutating func succeed() -> Bool {
        defer { (failures, openings, openUntil, isProbing) = (0, 0, nil, false) }
        return openUntil != nil
    }

    /// - Parameter pause: how long the sink wants to be left alone.
    mutating func fail(at now: Duration, pause: Duration?) {
        failures += 1
        if isProbing || (openUntil == nil && failures >= Self.limit) {
            openings += 1
            openUntil = now + RetrySchedule.pause(after: openings)
        }
        isProbing = false
        if let pause { askedUntil = max(askedUntil, now + pause) }
    }
}
