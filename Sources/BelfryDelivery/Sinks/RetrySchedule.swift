import BelfryModel

/// How long to wait after failures: 5 s, 30 s, 2 min, 10 min, then an hour each time (after Standard Webhooks, "Deliverability and reliability").
enum RetrySchedule {
    private static let pauses: [Duration] = [.seconds(5), .seconds(30), .minutes(2), .minutes(10), .hours(1)]

    /// - Parameter failures: in a row, from 1.
    static func pause(after failures: Int) -> Duration { pauses[min(max(failures, 1), pauses.count) - 1] }
}
