import BelfryModel

/// What a zone does every year after its recorded transitions: a standard offset and, perhaps, daylight
/// saving time.
///
/// Offsets are milliseconds east of UTC. The text form is read in `YearlyRule+Posix.swift`.
struct YearlyRule: Sendable, Equatable {
    var standard: Int64
    var daylight: Daylight?

    struct Daylight: Sendable, Equatable {
        var offset: Int64
        /// In standard time.
        var start: Moment
        /// In daylight saving time.
        var end: Moment
    }

    /// A day of every year, and milliseconds since (or before) its midnight; a week either way is allowed.
    struct Moment: Sendable, Equatable {
        var day: Day
        var time: Int64
    }

    enum Day: Sendable, Equatable {
        /// `Jn`: 1…365, 29 February is never counted, so 60 is always 1 March.
        case julian(Int)
        /// `n`: 0…365, 29 February is counted.
        case ordinal(Int)
        /// `Mm.w.d`: the week 1…5 of the month, 5 meaning the last; weekday 0 is Sunday.
        case weekday(month: Int, week: Int, weekday: Int)
    }
}

extension YearlyRule {
    /// Adds the rule's transitions to a table and returns where its first full cycle of 400 years starts;
    /// nil without any.
    ///
    /// They begin after `last`, the last transition on record. A zone with nothing on record has the rule
    /// since 1900. A record beyond the year 9999, which no real zone has, leaves the rule nothing to say.
    func extend(_ table: inout OffsetTable, after last: Int64?) -> Int64? {
        guard let daylight else { return nil }
        let lastYear = last.map { CivilDate(dayNumber: CivilDate.split(milliseconds: $0).dayNumber).year } ?? 1900
        guard lastYear <= 9_999 else { return nil }
        // What is on record may be nothing but "since ever", far before any calendar.
        let firstYear = max(lastYear, 1)
        // The year of the last transition may be mixed, and its effects reach into the next one.
        let cycleYear = firstYear + 2
        // A year more than the cycle, so that the next transition is found from everywhere in it. One year
        // beyond that is generated and cut, since the end of one year's daylight time may coincide with the
        // next one's start.
        let end = Self.startOfYear(cycleYear + 401)
        let transitions = (firstYear...(cycleYear + 401)).flatMap { year in
            [
                (start: daylight.end.milliseconds(in: year) - daylight.offset, offset: standard),
                (start: daylight.start.milliseconds(in: year) - standard, offset: daylight.offset),
            ]
        }
        for transition in transitions.sorted(by: precedes)
        where transition.start > last ?? .min && transition.start < end {
            table.append(start: transition.start, offset: transition.offset)
        }
        return Self.startOfYear(cycleYear)
    }

    /// Daylight time that ends and starts at the same instant goes on: this is how a rule says "all year"
    /// (RFC 9636, 3.3.1).
    private func precedes(_ left: (start: Int64, offset: Int64), _ right: (start: Int64, offset: Int64)) -> Bool {
        guard left.start == right.start else { return left.start < right.start }
        return left.offset == standard && right.offset != standard
    }

    private static func startOfYear(_ year: Int) -> Int64 {
        firstDay(of: year) * CivilDate.millisecondsPerDay
    }
}

/// The day number of 1 January, or of the first of another month; every year has them.
private func firstDay(of year: Int, month: Int = 1) -> Int64 {
    CivilDate(year: year, month: month, day: 1)?.dayNumber ?? 0
}

extension YearlyRule.Moment {
    /// Wall clock milliseconds since 1970.
    func milliseconds(in year: Int) -> Int64 {
        day.dayNumber(in: year) * CivilDate.millisecondsPerDay + time
    }
}

extension YearlyRule.Day {
    func dayNumber(in year: Int) -> Int64 {
        switch self {
        case .julian(let day):
            return firstDay(of: year) + Int64(day - 1) + (CivilDate.isLeapYear(year) && day >= 60 ? 1 : 0)
        case .ordinal(let day):
            return firstDay(of: year) + Int64(day)
        case .weekday(let month, let week, let weekday):
            let first = firstDay(of: year, month: month)
            let mondayBased = (weekday + 6) % 7
            let firstMatch = (mondayBased - CivilDate.Weekday(dayNumber: first).rawValue + 7) % 7
            let day = firstMatch + (week - 1) * 7
            return first + Int64(day < CivilDate.days(inMonth: month, of: year) ? day : day - 7)
        }
    }
}
