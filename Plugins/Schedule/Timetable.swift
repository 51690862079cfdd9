import BelfryPlugin

/// Periods and exceptions together: when is it open, and when will it be?
///
/// Open is what some period has in it, or some enabling exception, and no disabling one. Without periods everything is in.
/// An object, since it is looked at in each check: its lists would be counted.
final class Timetable: Sendable {
    /// The periods and the enabling exceptions, which do the same. Nil: there are no periods, so it is always open.
    let enabling: [Period]?
    let disabling: [Period]
    /// The same hours of every day, in ms since midnight, if that is all: nearly always it is, and seen at a glance.
    private let daily: Range<Int64>?
    /// The years 1 to 9997: far from the end of days, where there is no day before or after.
    private static let usual: Range<Int64> = -62_135_596_800_000..<253_339_228_800_000

    init(enabling: [Period]?, disabling: [Period]) {
        (self.enabling, self.disabling) = (enabling, disabling)
        daily = disabling.isEmpty && enabling?.count == 1 ? enabling?[0].daily : nil
    }

    /// How many stretches the search for an opening looks at: it is to take a few milliseconds where there is none. A period is found
    /// however far off it is, up to the year 9999, if few stretches lie before it; where exceptions take away each one as it comes, the
    /// next five years are looked at.
    private static let stretches = 4000
    private static let farStretches = 64
    private static let span = Duration(milliseconds: 5 * 366 * CivilDate.millisecondsPerDay)

    /// Why it is closed.
    enum Closure: Sendable {
        case noPeriod, exception
    }

    /// Nil if it is open.
    ///
    /// - Parameter zone: of the subject, for the periods that have none of their own.
    func closure(at now: Instant, zone: Zone) -> Closure? {
        let wall = zone.wall(at: now)
        if let daily, Self.usual.contains(wall.milliseconds) {
            let time = wall.split.time
            return daily.contains(time) || daily.contains(time + CivilDate.millisecondsPerDay) ? nil : .noPeriod
        }
        return closure(at: now, wall, zone)
    }

    private func closure(at now: Instant, _ wall: WallTime, _ zone: Zone) -> Closure? {
        if disabling.contains(where: { $0.isOpen(at: now, wall: wall, zone: zone) }) { return .exception }
        guard let enabling else { return nil }
        return enabling.contains { $0.isOpen(at: now, wall: wall, zone: zone) } ? nil : .noPeriod
    }

    /// The first instant after `now`, when it is closed, at which it is open. Nil if there is none, or none was found.
    ///
    /// It goes from one stretch that is closed for one reason to the next: each step is exact, and skips the whole stretch.
    func opening(after now: Instant, zone: Zone) -> Instant? {
        var time = now
        let limit = now + Self.span
        for count in 0..<Self.stretches {
            if count > Self.farStretches, time > limit { return nil }
            guard let next = endOfClosure(at: time, zone: zone) else { return nil }
            if next == time { return time }
            time = next
        }
        return nil
    }

    /// The instant itself if it is open then; else a later one, before which it stays closed. Nil if it stays so for ever.
    private func endOfClosure(at time: Instant, zone: Zone) -> Instant? {
        let wall = zone.wall(at: time)
        if let exception = disabling.first(where: { $0.isOpen(at: time, wall: wall, zone: zone) }) {
            return exception.next(.closed, from: time, zone: zone)
        }
        guard let enabling else { return time }
        return enabling.lazy.compactMap { $0.next(.open, from: time, zone: zone) }.min()
    }
}
