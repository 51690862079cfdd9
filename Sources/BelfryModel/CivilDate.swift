/// A date of the proleptic Gregorian calendar, with no zone and no time of day.
///
/// A date and its *day number* (days since 1970-01-01, negative before) say the same thing; day numbers are
/// what to add to and compare, dates are what people write. Right for every day an `Instant` can name.
public struct CivilDate: Sendable, Hashable, Comparable {
    /// The astronomical year: 0 is 1 BC.
    public let year: Int
    /// 1 is January.
    public let month: Int
    /// 1 is the first of the month.
    public let day: Int

    public static let millisecondsPerDay: Int64 = 86_400_000

    /// Nil when the calendar has no such date, as for 30 February.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The date that many days after 1970-01-01.
    public init(dayNumber: Int64) {
        // Howard Hinnant, "chrono-compatible low-level date algorithms": years begin in March, so that the
        // leap day is the last of its year, and eras of 400 years are all alike.
        let shifted = dayNumber + 719_468
        let (era, dayOfEra) = shifted.dividedDown(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))
        self.month = Int(month)
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// Days since 1970-01-01.
    public var dayNumber: Int64 {
        let yearFromMarch = Int64(year) - (month <= 2 ? 1 : 0)
        let (era, yearOfEra) = yearFromMarch.dividedDown(by: 400)
        let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    public var weekday: Weekday { Weekday(dayNumber: dayNumber) }

    public static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension CivilDate {
    /// A day of the week; weeks begin on Monday, whose raw value is 0.
    public enum Weekday: Int, Sendable, Hashable, CaseIterable {
        case monday, tuesday, wednesday, thursday, friday, saturday, sunday

        /// The weekday of the date that many days after 1970-01-01, a Thursday.
        public init(dayNumber: Int64) {
            self = Self.allCases[Int((dayNumber % 7 + 10) % 7)]
        }
    }

    public static func isLeapYear(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// How many days a month (1…12) of that year has.
    public static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeapYear(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Splits milliseconds since 1970, of UTC or of a wall clock, into the day number and the milliseconds
    /// since its midnight.
    public static func split(milliseconds: Int64) -> (dayNumber: Int64, millisecondOfDay: Int64) {
        let (dayNumber, millisecondOfDay) = milliseconds.dividedDown(by: millisecondsPerDay)
        return (dayNumber, millisecondOfDay)
    }
}

extension Int64 {
    /// Division that rounds towards the past, so that the remainder is never negative; `divisor` is positive.
    fileprivate func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
