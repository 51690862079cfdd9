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

extension Instant {
    /// Reads the one form of HTTP dates that may still be written: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    init?(httpDate text: String) {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[0].last == ",",
            let month = months.firstIndex(of: String(words[2])),
            let year = Int(words[3]), let day = Int(words[1]),
            let date = CivilDate(year: year, month: month + 1, day: day)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3 else { return nil }
        let seconds = (clock[0] * 60 + clock[1]) * 60 + clock[2]
        self.init(milliseconds: date.dayNumber * CivilDate.millisecondsPerDay + seconds * 1000)
    }
}
