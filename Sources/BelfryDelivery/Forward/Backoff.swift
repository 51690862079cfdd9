import BelfryModel

/// How long to wait after one failure more: exponential, with full jitter.
///
/// Full jitter spreads those who lost one server evenly over the time in which they come back (Marc Brooker, "Exponential
/// Backoff And Jitter", AWS Architecture Blog, 2015).
struct Backoff {
    static let first = Duration.seconds(1)
    static let longest = Duration.minutes(5)

    private(set) var failures = 0

    /// The longest that the next pause may be: 1 s, 2 s, 4 s, … 5 min.
    var limit: Duration {
        // Nine doublings are beyond the longest already.
        min(Self.longest, Duration(milliseconds: Self.first.milliseconds << min(failures, 9)))
    }

    /// The pause after a further failure.
    ///
    /// - Parameter share: random, from 0 to 1: the part of the limit to wait.
    mutating func pause(share: Double) -> Duration {
        defer { failures += 1 }
        return Duration(milliseconds: Int64(Double(limit.milliseconds) * share))
    }
}
