import BelfryModel

extension EndpointAnswer {
    /// What an answer means for the batch.
    enum Verdict: Equatable {
        case taken
        /// Not now. The endpoint may say for how long.
        case later(Duration?)
        /// Not as it stands: sending it again does not help before somebody has done something.
        case refused
        /// Not with this content: which of the items it is about can be found out.
        case unacceptable
    }

    /// RFC 9110, section 15. 408 and 425 ask for another attempt themselves, 429 (RFC 6585) for a later one.
    var verdict: Verdict {
        switch status {
        case 200...299: .taken
        case 408, 425, 429, 500...: .later(pause)
        case 400, 409, 413, 422: .unacceptable
        default: .refused
        }
    }

    /// Retry-After: seconds, or a date, which the endpoint's own date is taken from; at most an hour.
    private var pause: Duration? {
        guard let retryAfter else { return nil }
        if let seconds = Int64(retryAfter), seconds >= 0 { return .seconds(min(seconds, 3600)) }
        guard let until = Instant(httpDate: retryAfter), let now = date.flatMap({ Instant(httpDate: $0) }) else {
            return nil
        }
        return min(max(until - now, .zero), .hours(1))
    }
}
