import BelfryModel

extension Timeline {
    /// One thing that came of a step.
    struct Result: Sendable, Hashable, CustomStringConvertible {
        enum Kind: String, Sendable, CaseIterable {
            case created, denied, deferred, collected, withheld, faulted, deleted, kept
            case notAsked = "not asked"
        }

        let kind: Kind
        let reason: Reason?
        let description: String

        init(_ attempt: StrategyTest.Attempt) {
            description = attempt.description
            (kind, reason) =
                switch attempt {
                case .created: (.created, nil)
                case .denied(let reason): (.denied, reason)
                case .deferred(let reason): (.deferred, reason)
                case .collected(let reason): (.collected, reason)
                case .withheld(let reason): (.withheld, reason)
                case .faulted(let message): (.faulted, Reason(message: message))
                case .notAsked: (.notAsked, nil)
                }
        }

        init(_ deletion: StrategyTest.Deletion) {
            description = deletion.description
            (kind, reason) =
                switch deletion {
                case .deleted: (.deleted, nil)
                case .kept(let reason): (.kept, reason)
                }
        }
    }
}

extension Timeline.Expectation {
    /// - Parameter now: when the step happened; times of day are of that day.
    func fits(_ result: Timeline.Result, now: Instant) -> Bool {
        guard kind == result.kind else { return false }
        if let code, code != result.reason?.code { return false }
        if let message, message != result.reason?.message { return false }
        return switch until {
        case nil: true
        case "never": result.reason?.until == nil
        case let until?: result.reason?.until == Instant(until, after: now)
        }
    }
}

extension [Timeline.Expectation] {
    func fit(_ results: [Timeline.Result], now: Instant) -> Bool {
        count == results.count && zip(self, results).allSatisfy { $0.fits($1, now: now) }
    }
}

extension Instant {
    private static let day: Int64 = 86_400_000
    /// How a time is written here, by examples.
    static let timelineForms = "2026-03-02T09:00:00Z, 09:00 or +30m"

    /// Reads a time as timelines and tests write it; nil when it is none.
    ///
    /// - Parameter before: where the clock stands.
    init?(_ text: String, after before: Instant) {
        if let sign = text.first, sign == "+" || sign == "-" {
            guard let span = Duration(text: String(text.dropFirst())) else { return nil }
            self.init(milliseconds: before.milliseconds + (sign == "+" ? 1 : -1) * span.milliseconds)
        } else if let instant = Instant(rfc3339: text) {
            self = instant
        } else {
            // A time of day is the end of a date-time: `10:00` lacks its seconds.
            let time = text.utf8.count == 5 ? text + ":00" : text
            guard let sinceMidnight = Instant(rfc3339: "1970-01-01T\(time)Z"), time.utf8.count >= 8 else { return nil }
            let sinceDay = before.milliseconds % Self.day
            let midnight = before.milliseconds - (sinceDay < 0 ? sinceDay + Self.day : sinceDay)
            self.init(milliseconds: midnight + sinceMidnight.milliseconds)
        }
    }
}
