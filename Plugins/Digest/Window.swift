import BelfryPlugin

/// When a digest closes.
enum Window: Sendable {
    case fixed(Duration)
    case sliding(by: Duration, atMost: Duration)
    case daily(TimeOfDay)

    init(_ parameters: Digest.Parameters) throws(StrategyError) {
        if let window = parameters.window {
            self = .fixed(window)
        } else if let sliding = parameters.sliding {
            guard sliding.by <= sliding.atMost else {
                throw StrategyError("'by' is \(sliding.by), more than 'atMost', \(sliding.atMost)")
            }
            self = .sliding(by: sliding.by, atMost: sliding.atMost)
        } else if let text = parameters.at {
            guard let time = TimeOfDay(text) else {
                throw StrategyError("'at' is '\(text)', which is no time of day such as 09:00")
            }
            self = .daily(time)
        } else {
            throw StrategyError("nothing says when a digest closes; give one of 'window', 'sliding' and 'at'")
        }
    }

    /// Of one that is opened now.
    func close(from now: Instant, in context: Context) -> Instant {
        switch self {
        case .fixed(let window): now + window
        case .sliding(let by, _): now + by
        case .daily(let time): time.first(after: now, in: context.zone)
        }
    }

    /// Of one that is open and gets an item now: only a sliding one moves.
    func close(of open: OpenDigest, at now: Instant) -> Instant {
        guard case .sliding(let by, let atMost) = self else { return open.closes }
        return max(open.closes, min(now + by, open.opened + atMost))
    }
}
