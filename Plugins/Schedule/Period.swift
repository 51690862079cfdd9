import BelfryPlugin

/// Some hours of some days, between two bounds, in one zone.
///
/// Days and hours are tested on what the wall clock shows: hours that a change of the clock skips are empty, and hours that it
/// repeats come twice. Hours after midnight belong to the day they started on.
///
/// An object, since it is looked at in each check: a struct of that size would be copied, and its lists counted.
final class Period: Sendable {
    let days: DayPattern
    let hours: Hours
    let bounds: Bounds
    /// Nil: the subject's.
    let zone: Zone?

    /// Where it begins and ends other than with a day.
    struct Bounds: Sendable {
        /// The first instant that is in it.
        var opens: TimeBound?
        /// The first instant that is no longer in it.
        var closes: TimeBound?
    }

    init(days: DayPattern, hours: Hours, bounds: Bounds, zone: Zone?) {
        (self.days, self.hours, self.bounds, self.zone) = (days, hours, bounds, zone)
    }

    /// Its hours, if they are one window in the zone of the subject, every day and for ever.
    var daily: Range<Int64>? {
        days.isEveryDay && bounds.opens == nil && bounds.closes == nil && zone == nil ? hours.onlyWindow : nil
    }

    enum Phase: Sendable {
        case open, closed
    }

    /// - Parameters:
    ///   - wall: what the clock of the subject shows then.
    ///   - zone: of the subject.
    func isOpen(at time: Instant, wall: WallTime, zone: Zone) -> Bool {
        guard end(of: self.zone?.wall(at: time) ?? wall) != nil else { return false }
        return isWithinBounds(time, self.zone ?? zone)
    }

    private func isWithinBounds(_ time: Instant, _ zone: Zone) -> Bool {
        if let opens = bounds.opens, time < opens.instant(in: zone) { return false }
        if let closes = bounds.closes, time >= closes.instant(in: zone) { return false }
        return true
    }

    /// The first instant, from `time` on, at which it is open or closed; nil if there is none before the year 10000.
    ///
    /// What it says of `.closed` may be too early, where it is open for a very long time.
    func next(_ phase: Phase, from time: Instant, zone: Zone) -> Instant? {
        let zone = self.zone ?? zone
        let closes = bounds.closes?.instant(in: zone) ?? .distantFuture
        let opens = bounds.opens?.instant(in: zone) ?? .distantPast
        switch phase {
        case .open:
            let next = zone.first(from: max(time, opens)) { self.next(.open, from: $0) }
            return next.flatMap { $0 < closes ? $0 : nil }
        case .closed:
            if time < opens || time >= closes { return time }
            let next = zone.first(from: time) { self.next(.closed, from: $0) }
            return closes == .distantFuture ? next : min(next ?? closes, closes)
        }
    }
}

// MARK: On the wall clock, which knows neither zones nor changes of the clock

extension Period {
    /// When the hours end that are open at that time; nil if none are.
    private func end(of wall: WallTime) -> WallTime? {
        let (day, time) = wall.split
        var end: WallTime?
        if let late = hours.end(afterMidnight: time), days.contains(day - 1) { end = WallTime(day: day - 1, late) }
        if let own = hours.end(of: time), days.contains(day) { end = max(end ?? .distantPast, WallTime(day: day, own)) }
        return end
    }

    private func next(_ phase: Phase, from wall: WallTime) -> WallTime? {
        switch phase {
        case .open: end(of: wall) == nil ? nextStart(after: wall) : wall
        case .closed: nextEnd(from: wall)
        }
    }

    private func nextStart(after wall: WallTime) -> WallTime? {
        let (day, time) = wall.split
        if days.contains(day), let start = hours.start(after: time) { return WallTime(day: day, start) }
        return days.next(from: day + 1).map { WallTime(day: $0, hours.firstStart) }
    }

    private func nextEnd(from wall: WallTime) -> WallTime? {
        if hours.isWholeDay {
            let day = wall.split.day
            guard let free = days.nextMissing(from: day) else { return nil }
            return free == day ? wall : WallTime(day: free, 0)
        }
        if hours.isRoundTheClock, days.isEveryDay { return nil }
        var wall = wall
        // A year of hours that go on from day to day; from there the search goes on.
        for _ in 0..<366 {
            guard let end = end(of: wall) else { break }
            wall = end
        }
        return wall
    }
}
