import BelfryPlugin

/// What the clock on the wall shows: milliseconds since 1970-01-01T00:00 of that clock.
struct WallTime: Sendable, Hashable, Comparable {
    var milliseconds: Int64

    static let distantPast = WallTime(milliseconds: .min)

    init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// So many milliseconds after the midnight that a day begins with; days are numbered from 1970-01-01.
    init(day: Int64, _ time: Int64) {
        milliseconds = day * CivilDate.millisecondsPerDay + time
    }

    /// The day, and the milliseconds since its midnight.
    var split: (day: Int64, time: Int64) {
        let (day, time) = CivilDate.split(milliseconds: milliseconds)
        return (day, time)
    }

    static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}

/// Where a period begins or ends other than with a day.
enum TimeBound: Sendable {
    case instant(Instant)
    /// A time without an offset: that of the zone it is used in.
    case wall(WallTime)

    func instant(in zone: Zone) -> Instant {
        switch self {
        case .instant(let instant): instant
        case .wall(let wall): zone.instant(showing: wall)
        }
    }
}

extension Zone {
    func wall(at instant: Instant) -> WallTime {
        WallTime(milliseconds: instant.milliseconds + offsetMilliseconds(at: instant))
    }

    /// When the clock shows that: the earlier one of two; of a time that the clock skips, as much later as it skips.
    /// (The "compatible" way of ECMAScript's Temporal and of RFC 5545.)
    func instant(showing wall: WallTime) -> Instant {
        let asUTC = Instant(milliseconds: wall.milliseconds)
        let before = asUTC - .milliseconds(offsetMilliseconds(at: asUTC - Self.largestOffset))
        if self.wall(at: before) == wall { return before }
        let after = asUTC - .milliseconds(offsetMilliseconds(at: asUTC + Self.largestOffset))
        return self.wall(at: after) == wall ? after : before
    }

    /// The first instant, from `start` on, at which the clock shows a time that `next` is looking for.
    ///
    /// - Parameter next: the first such time from the given one on; nil if there is none.
    func first(from start: Instant, _ next: (WallTime) -> WallTime?) -> Instant? {
        var time = start
        while true {
            // Until the next change of the clock, wall time goes by like any other.
            let offset = offsetMilliseconds(at: time)
            let wall = next(WallTime(milliseconds: time.milliseconds + offset))
            let found = wall.map { Instant(milliseconds: $0.milliseconds - offset) }
            let change = nextTransition(after: time)
            if let found, found < change ?? .distantFuture { return found }
            guard let change else { return nil }
            if change - time < Self.lookAhead {
                time = change  // it may go back to a time before the one asked about
            } else {
                // Far from it all changes can be skipped: whatever they are, nothing is found much before `found`.
                guard let found else { return nil }
                time = max(change, found - Self.lookAhead)
            }
        }
    }

    /// No offset from UTC is as large.
    private static let largestOffset = Duration.hours(26)
    /// More than two clocks can be apart, so that a clock which far ahead shows a later time, whatever its offset.
    private static let lookAhead = Duration.days(4)

    private func offsetMilliseconds(at instant: Instant) -> Int64 {
        Int64(offset(at: instant)) * 1_000
    }
}

extension Instant {
    static let distantFuture = Instant(milliseconds: .max)
}
