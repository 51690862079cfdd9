import BelfryModel
import Testing

@Suite struct InstantTextTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-03-02T09:00:00Z", 1_772_442_000_000),
            ("2026-03-02t09:00:00z", 1_772_442_000_000),
            ("2026-03-02T10:00:00+01:00", 1_772_442_000_000),
            ("2026-03-01T23:30:00-09:30", 1_772_442_000_000),
            ("2026-03-02T09:00:00-00:00", 1_772_442_000_000),
            ("2024-02-29T23:59:59Z", 1_709_251_199_000),
            ("1969-12-31T23:59:59.999Z", -1),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func `a date-time is an instant`(text: String, milliseconds: Int64) {
        #expect(Instant(rfc3339: text) == Instant(milliseconds: milliseconds))
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00.5Z", 500),
            ("1970-01-01T00:00:00.05Z", 50),
            ("1970-01-01T00:00:00.1239Z", 123),
            ("1970-01-01T00:00:00.000999999999999999999999Z", 0),
            ("1969-12-31T23:59:59.9999Z", -1),
        ] as [(String, Int64)])
    func `a fraction of any length is cut to milliseconds`(text: String, milliseconds: Int64) {
        #expect(Instant(rfc3339: text) == Instant(milliseconds: milliseconds))
    }

    @Test(arguments: [
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2016-12-31T15:59:60.25-08:00", "2017-01-01T00:00:00.250Z"),
    ])
    func `a leap second is the second after it`(leap: String, next: String) {
        #expect(Instant(rfc3339: leap)?.description == next)
    }

    @Test(arguments: [
        "", "2026-03-02", "2026-03-02T09:00Z", "2026-03-02T09:00:00", "2026-03-02 09:00:00Z",
        "2026-02-30T09:00:00Z", "2025-02-29T09:00:00Z", "1900-02-29T09:00:00Z", "2026-04-31T09:00:00Z",
        "2026-00-02T09:00:00Z", "2026-13-02T09:00:00Z", "2026-03-00T09:00:00Z",
        "2026-03-02T24:00:00Z", "2026-03-02T09:60:00Z", "2026-03-02T09:00:61Z", "2026-03-02T09:00:60Z",
        "2016-12-31T23:59:60+01:00", "2026-03-02T09:00:00.Z", "2026-03-02T09:00:00,5Z", "2026-03-02T09:00:00.5",
        "2026-03-02T09:00:00+24:00", "2026-03-02T09:00:00+01:60", "2026-03-02T09:00:00+0100",
        "2026-03-02T09:00:00+01", "2026-03-02T09:00:00Z ", " 2026-03-02T09:00:00Z", "2026-03-02T09:00:00ZZ",
        "2026-3-2T09:00:00Z", "+2026-03-02T09:00:00Z", "-026-03-02T09:00:00Z", "2026-03-02T0९:00:00Z",
        "20260302T090000Z    ", "2026-03-02T09:00:00é",
    ])
    func `what is no date-time is refused`(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    /// Each is a date-time of RFC 3339, and none of an instant that RFC 3339 can say in UTC.
    @Test(arguments: [
        "9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01", "9999-12-31T00:01:00-23:59", "0000-01-01T00:00:00+00:01",
        "0000-01-01T23:58:59.999+23:59",
    ])
    func `what could not be written again is refused`(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test(
        arguments: [
            ("9999-12-31T23:59:59+23:59", "9999-12-31T00:00:59Z"),
            ("0000-01-01T00:00:00-23:59", "0000-01-01T23:59:00Z"),
            ("0000-01-01T00:01:00+00:01", "0000-01-01T00:00:00Z"),
            ("9999-12-31T00:00:00-23:59", "9999-12-31T23:59:00Z"),
        ] as [(String, String)])
    func `an offset at either end of time leads to what can be written`(text: String, written: String) {
        #expect(Instant(rfc3339: text)?.description == written)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"),
            (1_772_442_000_000, "2026-03-02T09:00:00Z"),
            (1_772_442_000_007, "2026-03-02T09:00:00.007Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `an instant is written in UTC, with milliseconds only when it has some`(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).description == text)
        #expect(Instant(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        arguments: [
            (253_402_300_800_000, "+010000-01-01T00:00:00Z"),
            (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
            (Int64.max, "+292278994-08-17T07:12:55.807Z"),
            (Int64.min, "-292275055-05-16T16:47:04.192Z"),
        ] as [(Int64, String)])
    func `years that RFC 3339 cannot say have a sign`(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).description == text)
    }

    @Test func `appending keeps what is there`() {
        var bytes = Array("time=".utf8)
        Instant(milliseconds: 250).append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "time=1970-01-01T00:00:00.250Z")
    }
}

@Suite struct CivilDateTests {
    @Test func `every day of 800 years follows the one before`() {
        let broken = (Int64(-146_097)...146_097).first { dayNumber in
            let previous = CivilDate(dayNumber: dayNumber - 1)
            let date = CivilDate(dayNumber: dayNumber)
            let isNextMonth = previous.day == CivilDate.days(inMonth: previous.month, of: previous.year)
            let follows =
                isNextMonth
                ? date.day == 1 && date.month == previous.month % 12 + 1
                : date.day == previous.day + 1 && date.month == previous.month
            let weekdayFollows = date.weekday.rawValue == (previous.weekday.rawValue + 1) % 7
            return !(follows && weekdayFollows && previous < date && date.dayNumber == dayNumber)
        }
        #expect(broken == nil)
        #expect(CivilDate(dayNumber: 146_097) == CivilDate(year: 2370, month: 1, day: 1))
    }

    @Test func `weeks begin on Monday`() {
        #expect(CivilDate(year: 2026, month: 3, day: 2)?.weekday == .monday)
        #expect(CivilDate(year: 2026, month: 3, day: 1)?.weekday == .sunday)
        #expect(CivilDate(dayNumber: 0).weekday == .thursday)
        #expect(CivilDate.Weekday.monday.rawValue == 0)
    }

    @Test(arguments: [(2026, 2, 29), (2100, 2, 29), (2026, 0, 1), (2026, 13, 1), (2026, 4, 31), (2026, 1, 0)])
    func `the calendar has no such date`(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test func `a moment before 1970 has a positive time of day`() {
        let (dayNumber, millisecondOfDay) = CivilDate.split(milliseconds: -1)
        #expect(dayNumber == -1)
        #expect(millisecondOfDay == 86_399_999)
    }
}
