import BelfryPlugin
import BelfryTesting
import Testing

/// When a closed schedule says it opens again: that instant is open, and the one before is not.
@Suite struct OpeningTests {
    @Test(
        arguments: [
            (["hours": ["09:00-17:00"]], "UTC", "2026-03-02T17:00:00Z", "2026-03-03T09:00:00Z"),
            (["hours": ["09:00-12:00", "13:00-17:00"]], "UTC", "2026-03-02T12:00:00Z", "2026-03-02T13:00:00Z"),
            (["weekdays": ["mon"], "hours": ["22:00-02:00"]], "UTC", "2026-03-03T02:00:00Z", "2026-03-09T22:00:00Z"),
            (["daysOfMonth": [31]], "UTC", "2026-04-01T00:00:00Z", "2026-05-31T00:00:00Z"),
            (["daysOfMonth": [-31]], "UTC", "2026-04-02T00:00:00Z", "2026-05-01T00:00:00Z"),
            (["months": [2]], "UTC", "2026-03-02T00:00:00Z", "2027-02-01T00:00:00Z"),
            (["years": [2030, 2050]], "UTC", "2031-01-01T00:00:00Z", "2050-01-01T00:00:00Z"),
            (["from": "2031-05-05"], "Europe/Amsterdam", "2026-03-02T00:00:00Z", "2031-05-04T22:00:00Z"),
            (["from": "2031-05-05T09:30:00-05:00"], "UTC", "2026-03-02T00:00:00Z", "2031-05-05T14:30:00Z"),
            (["from": "2031-05-05T09:30"], "Europe/Amsterdam", "2026-03-02T00:00:00Z", "2031-05-05T07:30:00Z"),
            (
                ["from": "2031-05-05T09:30:00Z", "hours": ["08:00-09:00"]], "UTC", "2026-03-02T08:00:00Z",
                "2031-05-06T08:00:00Z"
            ),
            // The rarest day: 29 February on a Monday, over the year 2100, which has none.
            (
                ["daysOfMonth": [29], "months": [2], "weekdays": ["mon"]], "UTC", "2072-03-01T00:00:00Z",
                "2112-02-29T00:00:00Z"
            ),
            (["from": "9999-12-31"], "UTC", "2026-03-02T00:00:00Z", "9999-12-31T00:00:00Z"),
        ] as [(Value, String, String, String)])
    func `it opens with the next period`(period: Value, zone: String, time: String, until: String) throws {
        try expect(["periods": [period]], zone, closedAt: time, until: until)
    }

    /// Amsterdam: 02:00 to 03:00 is skipped on 2026-03-29 (01:00Z) and comes twice on 2026-10-25 (01:00Z).
    @Test(
        arguments: [
            // All of it is skipped: the next day.
            (["hours": ["02:00-03:00"]], "Europe/Amsterdam", "2026-03-29T00:00:00Z", "2026-03-30T00:00:00Z"),
            (["hours": ["02:15-02:45"]], "Europe/Amsterdam", "2026-03-29T00:59:59.999Z", "2026-03-30T00:15:00Z"),
            // The start is skipped: it opens when the clock goes on.
            (["hours": ["02:30-03:30"]], "Europe/Amsterdam", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"),
            // It comes twice: between the two it is closed.
            (["hours": ["02:00-02:30"]], "Europe/Amsterdam", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z"),
            (["hours": ["02:30-02:45"]], "Europe/Amsterdam", "2026-10-25T00:45:00Z", "2026-10-25T01:30:00Z"),
            (["hours": ["02:30-02:45"]], "Europe/Amsterdam", "2026-10-25T01:45:00Z", "2026-10-26T01:30:00Z"),
            // The last day of all, and the clock goes back into it.
            (
                ["hours": ["02:00-02:30"], "until": "2026-10-25"], "Europe/Amsterdam", "2026-10-25T00:45:00Z",
                "2026-10-25T01:00:00Z"
            ),
            // Midnight is skipped, and a whole day.
            (["weekdays": ["sun"]], "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z"),
            (["weekdays": ["fri"]], "Pacific/Apia", "2011-12-29T20:00:00Z", "2012-01-05T10:00:00Z"),
            // Half an hour.
            (["hours": ["01:30-02:00"]], "Australia/Lord_Howe", "2026-04-04T15:30:00Z", "2026-04-05T15:00:00Z"),
            (["hours": ["01:30-01:45"]], "Australia/Lord_Howe", "2026-04-04T14:45:00Z", "2026-04-04T15:00:00Z"),
            // A time that is skipped is as much later; of one that comes twice it is the first.
            (["from": "2026-03-29T02:30"], "Europe/Amsterdam", "2026-03-29T00:00:00Z", "2026-03-29T01:30:00Z"),
            (["from": "2026-10-25T02:30"], "Europe/Amsterdam", "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z"),
        ] as [(Value, String, String, String)])
    func `the clock on the wall decides when it changes`(
        period: Value, zone: String, time: String, until: String
    ) throws {
        try expect(["periods": [period]], zone, closedAt: time, until: until)
    }

    @Test(
        arguments: [
            // The end of one exception lies in another, and then outside the hours.
            (
                [
                    "periods": [["hours": ["09:00-17:00"]]],
                    "exceptions": [
                        ["disable": ["from": "2026-03-02", "until": "2026-03-03"]], ["disable": ["weekdays": ["wed"]]],
                    ],
                ], "2026-03-02T10:00:00Z", "2026-03-05T09:00:00Z"
            ),
            // An exception opens it before the next period does.
            (
                ["periods": [["weekdays": ["fri"]]], "exceptions": [["enable": ["from": "2026-03-03T12:00:00Z"]]]],
                "2026-03-02T10:00:00Z", "2026-03-03T12:00:00Z"
            ),
            // What is left of a day between exceptions in two zones.
            (
                [
                    "exceptions": [
                        ["disable": ["hours": ["00:00-20:00"], "timeZone": "Asia/Tokyo"]],
                        ["disable": ["hours": ["09:00-24:00"], "timeZone": "America/New_York"]],
                    ]
                ], "2026-03-02T01:00:00Z", "2026-03-02T11:00:00Z"
            ),
            // Hours that go on from day to day.
            (
                ["exceptions": [["disable": ["hours": ["08:00-20:00", "20:00-08:00"], "until": "2028-03-02"]]]],
                "2026-03-02T10:00:00Z", "2028-03-03T08:00:00Z"
            ),
            // The hours of each day are taken away, for years.
            (
                [
                    "periods": [["hours": ["10:00-11:00"]]],
                    "exceptions": [["disable": ["hours": ["09:00-12:00"], "until": "2030-12-31"]]],
                ], "2026-03-02T10:00:00Z", "2031-01-01T10:00:00Z"
            ),
            (
                ["exceptions": [["disable": ["until": "2099-12-31"]]]], "2026-03-02T10:00:00Z", "2100-01-01T00:00:00Z"
            ),
        ] as [(Value, String, String)])
    func `exceptions and periods together`(parameters: Value, time: String, until: String) throws {
        try expect(parameters, "UTC", closedAt: time, until: until)
    }

    @Test(
        arguments: [
            ["periods": [["until": "2026-03-01"]]], ["periods": [["years": [2025]]]],
            ["periods": [["daysOfMonth": [30], "months": [2]]]],
            ["periods": [["weekdays": ["mon"], "from": "2026-03-03", "until": "2026-03-05"]]],
            ["periods": [["hours": ["10:00-11:00"], "until": "2026-03-02T09:30:00Z"]]],
            ["exceptions": [["disable": [:]]]],
            ["exceptions": [["disable": ["hours": ["08:00-20:00", "20:00-08:00"]]]]],
            // Every day anew what opens it is taken away: the search gives up at some point.
            ["periods": [["hours": ["10:00-11:00"]]], "exceptions": [["disable": ["hours": ["09:00-12:00"]]]]],
            ["periods": [["daysOfMonth": [25]]], "exceptions": [["disable": ["daysOfMonth": [25]]]]],
        ] as [Value])
    func `what never opens has no until`(parameters: Value) throws {
        let denied = try schedule(parameters).request()
        #expect(denied.reason != nil)
        #expect(denied.until == nil)
    }

    /// A question has a limit, and there are as many as there are signals.
    @Test func `the search for an opening ends within a few years`() throws {
        let parameters: Value = [
            "periods": [["hours": ["10:00-11:00"]]],
            "exceptions": [["disable": ["hours": ["09:00-12:00"], "until": "2040-12-31"]]],
        ]
        #expect(try schedule(parameters).request().until == nil)
        #expect(try schedule(parameters, at: "2036-03-02T10:00:00Z").request().until != nil)
    }

    private func expect(_ parameters: Value, _ zone: String, closedAt time: String, until: String) throws {
        let test = try schedule(parameters, at: time, timeZone: zone)
        let denied = try test.request()
        #expect(denied.until?.description == until)
        let opening = try #require(denied.until)
        try test.move(to: opening - .milliseconds(1))
        #expect(try test.request().until == opening)
        try test.move(to: opening)
        #expect(try test.request() == .created)
    }
}
