import BelfryModel

extension EndpointAnswer {
    /// What an answer means for the batch.
    enum Verdict: Equatable {
        case taken
        /// Not now. The endpoint may say for how long.
        case later(Duration?)
        /// Not as it stands: sending it again does not help until something is changed.
        case refused
        /// Not with this content: which of the items it is about can be found out.
        case unacceptable
    }

    /// RFC 9110, section 15. 408 and 425 ask for another attempt themselves, 429 (RFC 6585) for a later one; so does a 413, a 403 and
    /// the like that says when. What is wrong with an item (400, 409, 422) does not pass, whatever is said.
    var verdict: Verdict {
        switch status {
        case 200...299: .taken
        case 408, 425, 429, 500...: .later(pause)
        case 400, 409, 422: .unacceptable
        case 413: pause.map { Verdict.later($0) } ?? .unacceptable
        case 401..<500: pause.map { Verdict.later($0) } ?? .refused
        default: .refused
        }
    }

    /// Retry-After: seconds, or a date, which the endpoint's own date is taken from; at most an hour.
    private var pause: Duration? {
        guard let retryAfter else { return nil }
        if !retryAfter.isEmpty, retryAfter.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            // There may be more digits than a number has.
            return .seconds(min(Int64(retryAfter) ?? .max, 3600))
        }
        guard let until = Instant(httpDate: retryAfter), let now = date.flatMap({ Instant(httpDate: $0) }) else {
            return nil
        }
        return min(max(until - now, .zero), .hours(1))
    }
}
