import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct CalendarTests {
    /// What is created in a window is denied until the window of the next one begins, and allowed then.
    @Test(arguments: [
        // A plain day, week and month.
        ("day", "UTC", "2026-03-02T09:00:00Z", "2026-03-03T00:00:00Z"),
        ("week", "UTC", "2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z"),
        ("week", "UTC", "2026-03-08T23:59:59Z", "2026-03-09T00:00:00Z"),
        ("month", "UTC", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
        ("month", "UTC", "2024-02-29T12:00:00Z", "2024-03-01T00:00:00Z"),
        ("month", "UTC", "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00Z"),
        // The clock goes forward: 23 hours. And back: 25.
        ("day", "Europe/Amsterdam", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
        ("day", "Europe/Amsterdam", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
        ("week", "Europe/Amsterdam", "2026-03-23T12:00:00Z", "2026-03-29T22:00:00Z"),
        ("month", "Europe/Amsterdam", "2026-10-01T12:00:00Z", "2026-10-31T23:00:00Z"),
        ("month", "America/New_York", "2026-03-01T05:00:00Z", "2026-04-01T04:00:00Z"),
        // Midnight does not exist: the day begins at 01:00.
        ("day", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z"),
        // A whole day was skipped, 2011-12-30.
        ("day", "Pacific/Apia", "2011-12-30T09:00:00Z", "2011-12-30T10:00:00Z"),
        // Far from UTC.
        ("day", "Pacific/Kiritimati", "2026-03-02T09:59:00Z", "2026-03-02T10:00:00Z"),
        ("day", "Asia/Kathmandu", "2026-03-02T12:00:00Z", "2026-03-02T18:15:00Z"),
    ])
    func `a window ends where the next one begins`(calendar: String, zone: String, time: String, next: String) throws {
        let test = try maxPerPeriod(["max": 1, "calendar": .text(calendar)], at: time, timeZone: zone)
        #expect(try test.request() == .created)
        let until = try #require(try test.request().until)
        #expect(until.description == next)
        try test.move(to: until - .milliseconds(1))
        #expect(try test.request().until == until)
        try test.move(to: until)
        #expect(try test.request() == .created)
    }

    @Test(arguments: [("day", "today"), ("week", "this week"), ("month", "this month")])
    func `a denial says which window it is`(calendar: String, words: String) throws {
        let test = try maxPerPeriod(["max": 1, "calendar": .text(calendar)])
        try test.request()
        #expect(try test.request().message == "1 of 1 \(words) is used")
    }

    @Test func `the day is that of the subject's zone`() throws {
        let test = try maxPerPeriod(["max": 1, "calendar": "day"], at: "2026-03-02T14:00:00Z")
        try test.register(timeZone: "Asia/Tokyo")
        #expect(try test.request() == .created, "23:00 there")
        #expect(try test.request().until?.description == "2026-03-02T15:00:00Z")
        try test.advance(by: .hours(1))
        #expect(try test.request() == .created)
    }

    @Test func `whoever travels is judged by the day of the new zone`() throws {
        let test = try maxPerPeriod(["max": 1, "calendar": "day"], at: "2026-03-02T14:00:00Z", timeZone: "Asia/Tokyo")
        try test.request()
        try test.advance(by: .hours(1))
        try test.register(timeZone: "America/Los_Angeles")
        #expect(try test.request().until?.description == "2026-03-03T08:00:00Z")
    }

    @Test func `what was created in the window before does not count`() throws {
        let test = try maxPerPeriod(["max": 2, "calendar": "day"])
        #expect(
            try test.requests(
                at: "2026-03-02T23:58:00Z", "2026-03-02T23:59:59.999Z", "2026-03-03T00:00:00Z", "2026-03-03T00:00:01Z",
                "2026-03-03T00:00:02Z") == [true, true, true, true, false])
    }
}
