import BelfryPlugin
import BelfryTesting
import Testing

func schedule(
    _ parameters: Value?, at time: String = "2026-03-02T09:00:00Z", timeZone: String = "UTC"
) throws -> StrategyTest {
    try StrategyTest(Schedule.self, parameters: parameters, timeZone: timeZone, at: time)
}

/// Whether a schedule of one period is open at a time.
func isOpen(_ period: Value, at time: String, timeZone: String = "UTC") throws -> Bool {
    try schedule(["periods": [period]], at: time, timeZone: timeZone).request().isCreated
}

@Suite struct PeriodTests {
    /// 2 March 2026 is a Monday.
    @Test(
        arguments: [
            ([:], "2026-03-02T09:00:00Z", true),
            // Dates: both are in it.
            (["from": "2026-03-02", "until": "2026-03-03"], "2026-03-01T23:59:59.999Z", false),
            (["from": "2026-03-02", "until": "2026-03-03"], "2026-03-02T00:00:00Z", true),
            (["from": "2026-03-02", "until": "2026-03-03"], "2026-03-03T23:59:59.999Z", true),
            (["from": "2026-03-02", "until": "2026-03-03"], "2026-03-04T00:00:00Z", false),
            (["from": "2026-03-02", "until": "2026-03-02"], "2026-03-02T12:00:00Z", true),
            // Times: the end is not in it.
            (["from": "2026-03-02T10:00:00+01:00"], "2026-03-02T08:59:59.999Z", false),
            (["from": "2026-03-02T10:00:00+01:00"], "2026-03-02T09:00:00Z", true),
            (["until": "2026-03-02T10:00:00+01:00"], "2026-03-02T08:59:59.999Z", true),
            (["until": "2026-03-02T10:00:00+01:00"], "2026-03-02T09:00:00Z", false),
            (["from": "2026-03-02", "until": "2026-03-02T08:00:00Z"], "2026-03-02T07:59:00Z", true),
            (["from": "2026-03-02", "until": "2026-03-02T08:00:00Z"], "2026-03-02T08:00:00Z", false),
            // Days of the week.
            (["weekdays": ["mon"]], "2026-03-02T00:00:00Z", true),
            (["weekdays": ["tue", "sun"]], "2026-03-02T00:00:00Z", false),
            (["weekdays": ["tue", "sun"]], "2026-03-08T23:59:59Z", true),
            // Days of the month, from both ends.
            (["daysOfMonth": [4, 5, 6], "months": [4], "years": [2020]], "2020-04-06T23:05:00Z", true),
            (["daysOfMonth": [4, 5, 6], "months": [4], "years": [2020]], "2020-04-07T00:00:00Z", false),
            (["daysOfMonth": [4, 5, 6], "months": [4], "years": [2020]], "2020-06-04T23:59:00Z", false),
            (["daysOfMonth": [4, 5, 6], "months": [4], "years": [2020]], "2019-04-06T23:59:00Z", false),
            (["daysOfMonth": [-3, -2, -1]], "2020-02-29T23:05:00Z", true),
            (["daysOfMonth": [-3, -2, -1]], "2020-02-26T23:05:00Z", false),
            (["daysOfMonth": [-3, -2, -1]], "2026-02-26T00:00:00Z", true),
            (["daysOfMonth": [-1]], "2020-06-30T00:00:00Z", true),
            (["daysOfMonth": [-31]], "2026-03-01T12:00:00Z", true),
            (["daysOfMonth": [-31]], "2026-02-01T12:00:00Z", false),
            (["daysOfMonth": [1, -1]], "2026-04-30T12:00:00Z", true),
            // A day that the month lacks is not another one.
            (["daysOfMonth": [30, 31], "months": [2]], "2021-02-28T13:00:00Z", false),
            (["daysOfMonth": [29], "months": [2]], "2024-02-29T13:00:00Z", true),
            // All that is given must hold.
            (["weekdays": ["mon"], "daysOfMonth": [2], "hours": ["09:00-10:00"]], "2026-03-02T09:00:00Z", true),
            (["weekdays": ["tue"], "daysOfMonth": [2], "hours": ["09:00-10:00"]], "2026-03-02T09:00:00Z", false),
        ] as [(Value, String, Bool)])
    func `a period has the days that all of its tests hold for`(period: Value, time: String, open: Bool) throws {
        #expect(try isOpen(period, at: time) == open)
    }

    @Test(
        arguments: [
            (["09:00-17:00"], "2026-03-02T08:59:59.999Z", false),
            (["09:00-17:00"], "2026-03-02T09:00:00Z", true),
            (["09:00-17:00"], "2026-03-02T16:59:59.999Z", true),
            (["09:00-17:00"], "2026-03-02T17:00:00Z", false),
            (["00:00-24:00"], "2026-03-02T00:00:00Z", true),
            (["23:59-24:00"], "2026-03-02T23:59:59.999Z", true),
            (["23:59-24:00"], "2026-03-03T00:00:00Z", false),
            (["22:00-00:00"], "2026-03-03T00:00:00Z", false),
            (["09:00-12:00", "13:00-17:00"], "2026-03-02T12:30:00Z", false),
            (["13:00-17:00", "09:00-12:00"], "2026-03-02T11:30:00Z", true),
            (["09:00-12:00", "10:00-11:00"], "2026-03-02T11:30:00Z", true),
            (["22:00-02:00"], "2026-03-02T01:59:59Z", true),
            (["22:00-02:00"], "2026-03-02T02:00:00Z", false),
            (["22:00-02:00"], "2026-03-02T22:00:00Z", true),
        ] as [(Value, String, Bool)])
    func `hours have their start in them and their end not`(hours: Value, time: String, open: Bool) throws {
        #expect(try isOpen(["hours": hours], at: time) == open)
    }

    /// 2026-03-06 is a Friday.
    @Test(
        arguments: [
            (["weekdays": ["fri"]], "2026-03-06T01:00:00Z", false),
            (["weekdays": ["fri"]], "2026-03-06T23:00:00Z", true),
            (["weekdays": ["fri"]], "2026-03-07T01:00:00Z", true),
            (["weekdays": ["fri"]], "2026-03-07T02:00:00Z", false),
            (["weekdays": ["fri"]], "2026-03-07T22:00:00Z", false),
            (["until": "2026-03-06"], "2026-03-07T01:00:00Z", true),
            (["from": "2026-03-07"], "2026-03-07T01:00:00Z", false),
            (["daysOfMonth": [-1]], "2026-04-01T01:00:00Z", true),
            (["months": [3]], "2026-04-01T01:00:00Z", true),
            (["years": [2026]], "2027-01-01T01:00:00Z", true),
            (["until": "2026-03-07T01:00:00Z"], "2026-03-07T01:00:00Z", false),
        ] as [(Value, String, Bool)])
    func `hours after midnight belong to the day they started on`(days: Value, time: String, open: Bool) throws {
        var period = try #require(days.map)
        period["hours"] = ["22:00-02:00"]
        #expect(try isOpen(.map(period), at: time) == open)
    }

    @Test(arguments: [
        ("Australia/Sydney", "2021-04-06T03:00:00Z", true), ("Australia/Sydney", "2021-04-06T13:00:00Z", false),
        ("Australia/Sydney", "2021-10-31T22:00:00Z", true), ("Australia/Sydney", "2021-10-31T21:00:00Z", false),
        ("Asia/Kathmandu", "2026-03-02T03:15:00Z", true), ("Asia/Kathmandu", "2026-03-02T03:14:59Z", false),
    ])
    func `a period is in its own zone, else in the subject's`(zone: String, time: String, open: Bool) throws {
        let period: Value = ["weekdays": ["mon", "tue", "wed", "thu", "fri"], "hours": ["09:00-17:00"]]
        #expect(try isOpen(period, at: time, timeZone: zone) == open)
        var own = try #require(period.map)
        own["timeZone"] = .text(zone)
        #expect(try isOpen(.map(own), at: time, timeZone: "America/Los_Angeles") == open)
        let subject = try schedule(["periods": [period]], at: time, timeZone: "America/Los_Angeles")
        try subject.register(timeZone: zone)
        #expect(try subject.request().isCreated == open)
    }
}

@Suite struct ScheduleTests {
    @Test(arguments: [nil, [:], ["periods": []], ["exceptions": []], ["periods": [[:]]]] as [Value?])
    func `without periods it is always open`(parameters: Value?) throws {
        let test = try schedule(parameters)
        #expect(try test.request() == .created)
        #expect(test.verdict == .allow)
    }

    @Test func `any period opens it`() throws {
        let test = try schedule(["periods": [["weekdays": ["mon"], "hours": ["09:00-10:00"]], ["weekdays": ["tue"]]]])
        #expect(try test.request() == .created)
        try test.advance(by: .hours(1))
        #expect(
            try test.request().description
                == "denied (schedule) until 2026-03-03T00:00:00Z: no period of the schedule is open")
        try test.advance(by: .hours(14))
        #expect(try test.request() == .created)
    }

    @Test func `a disabling exception wins over everything`() throws {
        let test = try schedule([
            "periods": [["hours": ["09:00-17:00"]]],
            "exceptions": [
                ["disable": ["from": "2026-03-02", "until": "2026-03-03"]], ["enable": ["from": "2026-03-03"]],
            ],
        ])
        #expect(
            try test.request().description
                == "denied (schedule) until 2026-03-04T00:00:00Z: an exception closes the schedule")
        try test.move(to: "2026-03-04T00:00:00Z")
        #expect(try test.request() == .created, "the enabling exception works outside the hours")
    }

    @Test func `an exception closes what is always open`() throws {
        let test = try schedule(["exceptions": [["disable": ["hours": ["22:00-07:00"]]]]], at: "2026-03-02T23:00:00Z")
        #expect(try test.request().until?.description == "2026-03-03T07:00:00Z")
        try test.move(to: "2026-03-03T07:00:00Z")
        #expect(try test.request() == .created)
    }

    @Test func `an enabling exception takes nothing away from what is always open`() throws {
        let test = try schedule(["exceptions": [["enable": ["years": [1999]]]]])
        #expect(try test.request() == .created)
    }

    @Test func `outside, a deferred one is asked about again when it opens`() throws {
        let test = try schedule(["periods": [["hours": ["10:00-12:00"]]], "outside": "defer"])
        #expect(
            try test.request().description
                == "deferred (schedule) until 2026-03-02T10:00:00Z: no period of the schedule is open")
        #expect(try test.advance(by: .minutes(59)) == [])
        #expect(try test.advance(by: .minutes(1)) == [.created])
    }

    @Test func `what never opens again cannot be deferred to`() throws {
        let test = try schedule(["periods": [["until": "2026-03-01"]], "outside": "defer"])
        #expect(
            try test.request().description
                == "denied (schedule): no period of the schedule is open, and none is known to open again")
    }

    @Test func `what an exception closes for ever says so`() throws {
        let test = try schedule(["exceptions": [["disable": ["from": "2026-03-02"]]]])
        #expect(
            try test.request().description
                == "denied (schedule): an exception closes the schedule, and it is not known to open again")
    }

    @Test(arguments: [("creation", false, true), ("deletion", true, false), ("both", false, false)])
    func `it judges what it is told to`(judges: String, creates: Bool, deletes: Bool) throws {
        let test = try schedule(
            ["periods": [["hours": ["10:00-12:00"]]], "judges": .text(judges), "outside": "defer"],
            at: "2026-03-02T11:00:00Z")
        #expect(try test.enter() == [.created])
        try test.advance(by: .hours(1))
        #expect(try test.request().isCreated == creates)
        let deletion = try #require(try test.exit().first)
        #expect(deletion.isDeleted == deletes)
        guard case .kept(let reason) = deletion else { return }
        #expect(reason.until?.description == "2026-03-03T10:00:00Z")
        #expect(test.verdict == .deny(reason.message, until: reason.until), "a deletion is not deferred")
    }

    @Test func `it has no opinion on what it does not judge`() throws {
        let test = try schedule(["judges": "deletion"])
        #expect(try test.request() == .created)
        #expect(test.verdict == .abstain)
    }
}
