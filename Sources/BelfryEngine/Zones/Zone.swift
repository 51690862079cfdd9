import BelfryModel

/// A time zone: what the wall clock of a place shows at any instant.
///
/// Immutable, free of I/O, and without allocation in its questions; they cost a binary search. Where the
/// zone's data ends with a rule for all later years ("last Sunday of March"), the table holds just over 400
/// years of it, and later instants are looked up that many whole cycles of the calendar earlier. So answers
/// are right for every instant after the zone's records begin; before that, its first recorded offset
/// (usually local mean time) is used.
public final class Zone: Sendable {
    /// The name it was asked for by, as `Europe/Amsterdam`.
    public let name: String

    private let table: OffsetTable
    /// UTC milliseconds: the first cycle of the rule, where later ones are looked up; nil when the table
    /// says all.
    private let cycleStart: Int64?

    /// The Gregorian calendar repeats, weekdays included, after 400 years.
    private static let cycleLength = 146_097 * CivilDate.millisecondsPerDay
    /// No offset is as large; `Zone.init(name:tzif:)` refuses those that are.
    static let offsetBound: Int64 = 26 * 3_600_000

    init(name: String, table: OffsetTable, cycleStart: Int64?) {
        self.name = name
        self.table = table
        self.cycleStart = cycleStart
    }

    public static let utc = Zone(name: "UTC", table: OffsetTable(initialOffset: 0), cycleStart: nil)

    /// Seconds east of UTC.
    public func offset(at instant: Instant) -> Int32 {
        Int32(truncatingIfNeeded: offsetMilliseconds(at: instant.milliseconds) / 1_000)
    }

    /// The first later instant at which the offset changes; nil when it never does.
    public func nextTransition(after instant: Instant) -> Instant? {
        let shift = cycleShift(at: instant.milliseconds)
        let next = table.index(at: instant.milliseconds - shift) + 1
        guard next < table.starts.count else { return nil }
        let (start, overflow) = table.starts[next].addingReportingOverflow(shift)
        return overflow ? nil : Instant(milliseconds: start)
    }

    /// What the wall clock shows, as milliseconds since 1970-01-01T00:00 of that clock.
    public func localMilliseconds(at instant: Instant) -> Int64 {
        instant.milliseconds.addingSaturating(offsetMilliseconds(at: instant.milliseconds))
    }

    /// The date on the wall clock, in days since 1970-01-01.
    ///
    /// Where clocks go back over midnight after it has struck, the earlier date comes again for a while;
    /// `day(containing:)` does not go back with it.
    public func localDay(at instant: Instant) -> Int64 {
        CivilDate.split(milliseconds: localMilliseconds(at: instant)).dayNumber
    }

    /// The day `d` with `startOfDay(d) <= instant < startOfDay(d + 1)`: days in this sense never overlap or
    /// repeat.
    ///
    /// It differs from `localDay(at:)` only while clocks show the end of an earlier date for the second time.
    public func day(containing instant: Instant) -> Int64 {
        var day = localDay(at: instant)
        // More than once only where a zone went back across the date line.
        while startOfDay(day + 1) <= instant, day < localLimit { day += 1 }
        return day
    }

    /// The first existing instant of a local date, which need not be its midnight.
    ///
    /// America/Sao_Paulo 2018-11-04 starts at 01:00. For a date that the zone skipped it is the start of
    /// the next existing day; for one whose midnight comes twice, the first. Beyond the range of `Instant`,
    /// the nearest that there is.
    public func startOfDay(_ day: Int64) -> Instant {
        let (midnight, overflow) = day.multipliedReportingOverflow(by: CivilDate.millisecondsPerDay)
        return firstInstant(reachingLocal: overflow ? (day < 0 ? .min : .max) : midnight)
    }

    /// The first instant at which the wall clock shows this time or a later one: the time itself, the first
    /// of two, or the end of the gap that it fell into.
    public func firstInstant(reachingLocal milliseconds: Int64) -> Instant {
        let safe = min(max(milliseconds, .min + 2 * Self.offsetBound), .max - 2 * Self.offsetBound)
        let shift = cycleShift(at: safe - Self.offsetBound)
        let earliest = safe - shift - Self.offsetBound
        return Instant(milliseconds: table.firstInstant(reaching: safe - shift, from: earliest) + shift)
    }

    private var localLimit: Int64 { Int64.max / CivilDate.millisecondsPerDay - 1 }

    private func offsetMilliseconds(at milliseconds: Int64) -> Int64 {
        table.offsets[table.index(at: milliseconds - cycleShift(at: milliseconds))]
    }

    /// How far back an instant is looked up: whole cycles, zero unless it lies beyond the first one.
    private func cycleShift(at milliseconds: Int64) -> Int64 {
        guard let cycleStart, milliseconds >= cycleStart + Self.cycleLength else { return 0 }
        return (milliseconds - cycleStart) / Self.cycleLength * Self.cycleLength
    }
}

extension Int64 {
    fileprivate func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
