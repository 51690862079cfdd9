import BelfryPlugin

/// A set of days, by number from 1970-01-01: those that all of its tests hold for.
struct DayPattern: Sendable {
    /// The first and the last day.
    var range: ClosedRange<Int64> = Self.allDays
    /// Bits by `CivilDate.Weekday`.
    var weekdays = Self.allWeekdays
    /// Bits 1…12.
    var months = Self.allMonths
    /// Bits 1…31.
    var daysOfMonth = Self.allDaysOfMonth
    /// Bits 1…31, from the last day of the month; 0 with `daysOfMonth` for all.
    var daysFromEnd: UInt32 = 0
    /// In order; nil: all.
    var years: [Int]?

    static let allWeekdays: UInt8 = 0x7f
    static let allMonths: UInt16 = 0x1ffe
    static let allDaysOfMonth: UInt32 = 0xffff_fffe
    /// From the year 0 to 9999: what can be written.
    static let allDays = CivilDate.firstDay(of: 0)...CivilDate.firstDay(of: 10_000) - 1

    var isEveryDay: Bool { range == Self.allDays && !hasTests }

    /// Whether there is more than the range to test.
    private var hasTests: Bool { weekdays != Self.allWeekdays || hasDateTests }
    private var hasDateTests: Bool { months != Self.allMonths || hasDayOfMonthTests || years != nil }
    private var hasDayOfMonthTests: Bool { daysOfMonth != Self.allDaysOfMonth }

    func contains(_ day: Int64) -> Bool {
        guard range.contains(day), containsWeekday(of: day) else { return false }
        guard hasDateTests else { return true }
        let date = CivilDate(dayNumber: day)
        return containsMonth(of: date) && containsDayOfMonth(of: date) && years?.contains(date.year) ?? true
    }

    private func containsWeekday(of day: Int64) -> Bool {
        weekdays >> CivilDate.Weekday(dayNumber: day).rawValue & 1 == 1
    }

    private func containsMonth(of date: CivilDate) -> Bool {
        months >> date.month & 1 == 1
    }

    private func containsDayOfMonth(of date: CivilDate) -> Bool {
        contains(dayOfMonth: date.day, of: CivilDate.days(inMonth: date.month, of: date.year))
    }

    private func contains(dayOfMonth day: Int, of length: Int) -> Bool {
        daysOfMonth >> day & 1 == 1 || daysFromEnd >> (length + 1 - day) & 1 == 1
    }
}

extension DayPattern {
    /// The first day from this one on that is in the set.
    func next(from day: Int64) -> Int64? {
        var day = max(day, range.lowerBound)
        while day <= range.upperBound {
            if contains(day) { return day }
            guard let next = candidate(after: day) else { return nil }
            day = next
        }
        return nil
    }

    /// The first day after one that is not in the set which could be: years and months that are not are skipped.
    private func candidate(after day: Int64) -> Int64? {
        guard hasDateTests else { return day + 1 }
        let date = CivilDate(dayNumber: day)
        if let years, !years.contains(date.year) {
            return years.first { $0 > date.year }.map(CivilDate.firstDay(of:))
        }
        if containsMonth(of: date) { return day + 1 }
        return day + Int64(CivilDate.days(inMonth: date.month, of: date.year) - date.day + 1)
    }

    /// The first day from this one on that is not in the set.
    func nextMissing(from day: Int64) -> Int64? {
        if !hasTests, range.contains(day) {
            return range.upperBound == Self.allDays.upperBound ? nil : range.upperBound + 1
        }
        var day = day
        while contains(day) { day += 1 }
        return day
    }

    /// Whether no day can ever be in it: a day of the month that the months lack, such as 30 February. Whatever else is
    /// tested, every combination comes within the 400 years that the calendar repeats itself in.
    var isEmpty: Bool {
        !(1...12).contains { month in
            months >> month & 1 == 1
                && [2023, 2024].contains { year in
                    let length = CivilDate.days(inMonth: month, of: year)
                    return (1...length).contains { contains(dayOfMonth: $0, of: length) }
                }
        }
    }
}

extension DayPattern {
    mutating func limit(toDaysOfMonth days: [Int]) {
        daysOfMonth = days.reduce(0) { $1 > 0 ? $0 | 1 << $1 : $0 }
        daysFromEnd = days.reduce(0) { $1 < 0 ? $0 | 1 << -$1 : $0 }
        let isAll = (28...31).allSatisfy { length in
            (1...length).allSatisfy { contains(dayOfMonth: $0, of: length) }
        }
        if isAll { (daysOfMonth, daysFromEnd) = (Self.allDaysOfMonth, 0) }
    }
}

extension CivilDate {
    fileprivate static func firstDay(of year: Int) -> Int64 {
        CivilDate(year: year, month: 1, day: 1)!.dayNumber  // every year has a 1 January
    }
}
