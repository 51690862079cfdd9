import BelfryPlugin
import BelfryTesting
import Testing

/// A test that saves and loads after every step.
func maxPerPeriod(
    _ parameters: Value, at time: String = "2026-03-02T09:00:00Z", timeZone: String = "UTC", per: String? = nil,
    campaigns: [String] = ["sale"]
) throws -> StrategyTest {
    let test = try StrategyTest(
        MaxPerPeriod.self, parameters: parameters, per: per, timeZone: timeZone, at: time, campaigns: campaigns)
    test.savesAfterEveryStep = true
    return test
}

extension StrategyTest {
    /// Requests at each of these times, and which of them were created.
    func requests(at times: String...) throws -> [Bool] {
        try times.map { time in
            try move(to: time)
            return try request().isCreated
        }
    }
}

@Suite struct RollingTests {
    /// OneSignal's example of a cap of 3 in 24 hours.
    @Test func `each expires exactly the period after it was created`() throws {
        let test = try maxPerPeriod(["max": 3, "period": "24h"])
        #expect(
            try test.requests(at: "2026-03-02T09:00:00Z", "2026-03-02T13:00:00Z", "2026-03-02T17:00:00Z")
                == [true, true, true])
        #expect(
            try test.requests(
                at: "2026-03-03T08:00:00Z", "2026-03-03T09:01:00Z", "2026-03-03T10:00:00Z", "2026-03-03T11:00:00Z",
                "2026-03-03T14:00:00Z") == [false, true, false, false, true])
    }

    @Test func `one that is aged exactly the period no longer counts`() throws {
        let test = try maxPerPeriod(["max": 1, "period": "1h"])
        try test.request()
        try test.move(to: "2026-03-02T09:59:59.999Z")
        #expect(
            try test.request().description
                == "denied (max-per-period) until 2026-03-02T10:00:00Z: 1 of 1 in 1h is used")
        try test.move(to: "2026-03-02T10:00:00Z")
        #expect(try test.request() == .created)
    }

    /// Insiteo's example: two of a group in 4 minutes.
    @Test func `a group rule counts all campaigns of the group`() throws {
        let test = try StrategyTest(MaxPerPeriod.self, per: "group", campaigns: ["coffee", "cake", "other"]) {
            $0.groups = [.init(id: "promo")]
            $0.groups[0].with = ["max-per-period": .on(["max": 2, "period": "4m"])]
            $0.campaigns[0].groups = ["promo"]
            $0.campaigns[1].groups = ["promo"]
        }
        test.savesAfterEveryStep = true
        #expect(try test.request("coffee") == .created)
        try test.advance(by: .minutes(1))
        #expect(try test.request("cake") == .created)
        try test.advance(by: .minutes(1))
        let denied = try test.request("coffee")
        #expect(denied.until?.description == "2026-03-02T09:04:00Z")
        #expect(denied.message == "2 of 2 in 4m are used")
        #expect(try test.request("other") == .notAsked, "it is in no group")
        try test.advance(by: .minutes(2))
        #expect(try test.request("coffee") == .created)
        #expect(try test.request("cake").until?.description == "2026-03-02T09:05:00Z")
    }

    @Test func `a refused one is not counted`() throws {
        let test = try maxPerPeriod(["max": 2, "period": "1h"])
        try test.request()
        try test.advance(by: .minutes(30))
        try test.request()
        for _ in 1...5 {
            try test.advance(by: .minutes(1))
            #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
        }
        try test.move(to: "2026-03-02T10:00:00Z")
        test.othersDeny = true
        try test.request()
        #expect(test.verdict == .allow)
        test.othersDeny = false
        #expect(try test.request() == .created)
        #expect(test.state()["creations"]?.list?.count == 3)
    }

    @Test func `a period of zero is no limit`() throws {
        let test = try maxPerPeriod(["max": 1, "period": "0s"])
        for _ in 1...3 { #expect(try test.request() == .created) }
    }

    @Test func `a maximum of zero is never, and knows no until`() throws {
        let test = try maxPerPeriod(["max": 0, "period": "1h"])
        #expect(try test.request().description == "denied (max-per-period): none is allowed: the maximum is 0")
        try test.advance(by: .days(1_000))
        #expect(try !test.request().isCreated)
    }

    @Test func `a maximum above what is kept by default is exact too`() throws {
        let test = try maxPerPeriod(["max": 40, "period": "1h"])
        for _ in 1...40 {
            #expect(try test.request() == .created)
            try test.advance(by: .seconds(1))
        }
        #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
        try test.move(to: "2026-03-02T10:00:01.999Z")
        #expect(try test.request() == .created)
        #expect(try test.request() == .created)
        #expect(try test.request().until?.description == "2026-03-02T10:00:02Z")
    }

    @Test func `a clock that goes back neither frees nor takes a place`() throws {
        let test = try maxPerPeriod(["max": 2, "period": "1h"])
        try test.request()
        try test.move(to: "2026-03-02T08:00:00Z")
        #expect(try test.request() == .created)
        #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
        try test.move(to: "2026-03-02T10:00:00Z")
        #expect(try test.request() == .created)
    }

    @Test func `a small maximum does not make a large one on its counter forget`() throws {
        let test = try StrategyTest(MaxPerPeriod.self, campaigns: ["large", "small"]) {
            $0.campaigns[0].with = ["max-per-period": .on(["max": 20, "period": "1h"])]
            $0.campaigns[1].with = ["max-per-period": .on(["max": 1, "period": "1s"])]
        }
        test.savesAfterEveryStep = true
        for _ in 1...19 { #expect(try test.request("large") == .created) }
        try test.advance(by: .seconds(1))
        #expect(try test.request("small") == .created)
        #expect(try test.request("large").until?.description == "2026-03-02T10:00:00Z")
    }

    @Test func `campaigns that share a counter are each judged by their own maximum`() throws {
        let test = try StrategyTest(MaxPerPeriod.self, campaigns: ["one", "three"]) {
            $0.campaigns[0].with = ["max-per-period": .on(["max": 1, "period": "1h"])]
            $0.campaigns[1].with = ["max-per-period": .on(["max": 3, "period": "1h"])]
        }
        #expect(try test.request("one") == .created)
        #expect(try !test.request("one").isCreated)
        #expect(try test.request("three") == .created)
        #expect(try test.request("three") == .created)
        #expect(try !test.request("three").isCreated)
    }
}

@Suite struct FixedWindowTests {
    @Test func `a window is opened by the first creation and takes so many`() throws {
        let test = try maxPerPeriod(["max": 2, "period": "1h", "algorithm": "fixed"])
        #expect(try test.requests(at: "2026-03-02T09:30:00Z", "2026-03-02T10:20:00Z") == [true, true])
        #expect(try test.request().until?.description == "2026-03-02T10:30:00Z")
        // Rolling would allow only one here: the one of 10:20 is not an hour old.
        #expect(
            try test.requests(at: "2026-03-02T10:29:59.999Z", "2026-03-02T10:30:00Z", "2026-03-02T10:31:00Z")
                == [false, true, true])
        #expect(try test.request().until?.description == "2026-03-02T11:30:00Z")
    }

    @Test func `a window of more than what is kept is counted in full`() throws {
        let test = try maxPerPeriod(["max": 20, "period": "1h", "algorithm": "fixed"])
        for _ in 1...20 {
            #expect(try test.request() == .created)
            try test.advance(by: .minutes(1))
        }
        #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
    }

    @Test func `the next window waits for a creation`() throws {
        let test = try maxPerPeriod(["max": 1, "period": "1h", "algorithm": "fixed"])
        #expect(try test.requests(at: "2026-03-02T09:00:00Z", "2026-03-02T12:45:00Z") == [true, true])
        #expect(try test.request().until?.description == "2026-03-02T13:45:00Z")
    }
}

@Suite struct RateTests {
    @Test func `without a burst they come at an even rate`() throws {
        let test = try maxPerPeriod(["max": 6, "period": "1h", "algorithm": "gcra"])
        #expect(try test.request() == .created)
        #expect(
            try test.request().description
                == "denied (max-per-period) until 2026-03-02T09:10:00Z: the rate of 6 in 1h is used up")
        #expect(try test.requests(at: "2026-03-02T09:09:59.999Z", "2026-03-02T09:10:00Z") == [false, true])
    }

    @Test func `a burst is what may come at once beyond one`() throws {
        let test = try maxPerPeriod(["max": 6, "period": "1h", "algorithm": "gcra", "burst": 2])
        for _ in 1...3 { #expect(try test.request() == .created) }
        #expect(try test.request().until?.description == "2026-03-02T09:10:00Z")
        try test.move(to: "2026-03-02T09:10:00Z")
        #expect(try test.request() == .created)
        #expect(try !test.request().isCreated)
        // After an idle hour the burst is whole again, and no larger.
        try test.move(to: "2026-03-02T12:00:00Z")
        for _ in 1...3 { #expect(try test.request() == .created) }
        #expect(try test.request().until?.description == "2026-03-02T12:10:00Z")
    }

    @Test func `a burst of more than what is kept is counted in full`() throws {
        let test = try maxPerPeriod(["max": 6, "period": "1h", "algorithm": "gcra", "burst": 20])
        for _ in 1...21 { #expect(try test.request() == .created) }
        #expect(try test.request().until?.description == "2026-03-02T09:10:00Z")
    }

    @Test func `a wait that is not whole milliseconds ends at the next one`() throws {
        let test = try maxPerPeriod(["max": 7, "period": "1m", "algorithm": "gcra"])
        var count = 0
        for _ in 0..<7 {
            guard let until = try test.request().until else {
                count += 1
                continue
            }
            try test.move(to: until)
        }
        #expect(count == 4)
        #expect(test.now.description == "2026-03-02T09:00:25.716Z", "three waits of 60 s / 7, each rounded up")
    }
}

@Suite struct LifetimeTests {
    @Test func `a lifetime never ends`() throws {
        let test = try maxPerPeriod(["max": 2, "lifetime": true])
        try test.request()
        try test.request()
        try test.advance(by: .days(10_000))
        #expect(try test.request().description == "denied (max-per-period): 2 of 2 in all are used")
    }

    @Test func `a lifetime maximum above what is kept is counted in full`() throws {
        let test = try maxPerPeriod(["max": 25, "lifetime": true])
        for _ in 1...25 { #expect(try test.request() == .created) }
        #expect(try !test.request().isCreated)
    }
}

@Suite struct SeveralLimitsTests {
    @Test func `all limits must agree, and the longest speaks`() throws {
        let limits: Value = ["limits": [["max": 1, "period": "10m"], ["max": 2, "period": "1h"]]]
        let test = try maxPerPeriod(limits)
        #expect(try test.request() == .created)
        #expect(
            try test.request().description
                == "denied (max-per-period) until 2026-03-02T09:10:00Z: 1 of 1 in 10m is used")
        try test.advance(by: .minutes(10))
        #expect(try test.request() == .created)
        #expect(
            try test.request().description
                == "denied (max-per-period) until 2026-03-02T10:00:00Z: 2 of 2 in 1h are used")
    }

    @Test func `a limit that never ends leaves no until`() throws {
        let test = try maxPerPeriod(["limits": [["max": 1, "period": "10m"], ["max": 1, "lifetime": true]]])
        try test.request()
        #expect(try test.request().description == "denied (max-per-period): 1 of 1 in all is used")
    }

    @Test(
        arguments: [
            (["max": 1], "'max' alone has no window; give one of 'period', 'calendar' and 'lifetime' with it"),
            (["period": "1h"], "'max' is missing"),
            (["max": -1, "period": "1h"], "parameters.max: found -1"),
            (["max": 1, "period": "1h", "calendar": "day"], "calendar"),
            (["limits": []], "limits"),
        ] as [(Value, String)])
    func `parameters that make no sense are refused with a sentence`(parameters: Value, sentence: String) {
        let failure = #expect(throws: StrategyTest.Failure.self) { try maxPerPeriod(parameters) }
        #expect(failure?.description.contains(sentence) == true, "\(failure?.description ?? "")")
    }
}

@Suite struct DeliveredTests {
    private func fail(_ notification: String, _ test: StrategyTest) throws {
        try test.send("notification.failed", data: ["notification": .text(notification), "sink": "push"])
    }

    @Test func `one that failed makes room for as long as it would have filled it`() throws {
        let test = try maxPerPeriod(["max": 2, "period": "1h", "counts": "delivered"])
        #expect(try test.requests(at: "2026-03-02T09:00:00Z", "2026-03-02T09:10:00Z") == [true, true])
        #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
        try fail("sale/1", test)
        try fail("sale/1", test)
        #expect(try test.requests(at: "2026-03-02T09:20:00Z") == [true])
        #expect(try test.request().until?.description == "2026-03-02T10:10:00Z")
    }

    @Test func `any number may fail, and as many that arrive are still counted`() throws {
        let test = try maxPerPeriod(["max": 3, "lifetime": true, "counts": "delivered"])
        test.savesAfterEveryStep = false
        for number in 1...300 {
            #expect(try test.request() == .created)
            try fail("sale/\(number)", test)
        }
        for _ in 1...3 { #expect(try test.request() == .created) }
        #expect(try test.request().message == "3 of 3 in all are used")
        try test.checkProperties()
    }
}
