import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct CooldownTests {
    private func test(_ parameters: Value, per: String? = nil, campaigns: [String] = ["sale"]) throws -> StrategyTest {
        let test = try StrategyTest(
            Cooldown.self, parameters: parameters, per: per, at: "2026-03-02T09:00:00Z", campaigns: campaigns)
        test.savesAfterEveryStep = true
        return test
    }

    /// The sample of `StrategyTest`'s documentation.
    @Test func `nothing more for an hour`() throws {
        let test = try StrategyTest(Cooldown.self, parameters: ["period": "1h"], at: "2026-03-02T09:00:00Z")
        #expect(try test.request() == .created)
        try test.advance(by: .minutes(59))
        #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
        try test.saveAndLoad()
        try test.advance(by: .minutes(1))
        #expect(try test.request() == .created)
    }

    @Test func `nothing more is created until the period is over`() throws {
        let test = try test(["period": "1h"])
        #expect(try test.request() == .created)
        try test.move(to: "2026-03-02T09:59:59.999Z")
        #expect(
            try test.request().description
                == "denied (cooldown) until 2026-03-02T10:00:00Z: the last one was created less than 1h ago")
        try test.advance(by: .milliseconds(1))
        #expect(try test.request() == .created)
    }

    @Test func `a closed period has its end in it`() throws {
        let test = try test(["period": "1h", "boundary": "closed"])
        try test.request()
        try test.advance(by: .hours(1))
        #expect(
            try test.request().description
                == "denied (cooldown) until 2026-03-02T10:00:00.001Z: the last one was created no more than 1h ago")
        try test.advance(by: .milliseconds(1))
        #expect(try test.request() == .created)
    }

    @Test(arguments: ["open", "closed"])
    func `at the instant that a denial names it is allowed`(boundary: String) throws {
        let test = try test(["period": "90s", "boundary": .text(boundary)])
        try test.request()
        let until = try #require(try test.request().until)
        try test.move(to: until - .milliseconds(1))
        #expect(try test.request().until == until)
        try test.move(to: until)
        #expect(try test.request() == .created)
    }

    @Test(arguments: ["open", "closed"])
    func `a period of zero is no limit`(boundary: String) throws {
        let test = try test(["period": "0s", "boundary": .text(boundary)])
        for _ in 1...3 { #expect(try test.request() == .created) }
    }

    @Test func `a refused one does not start the period again`() throws {
        let test = try test(["period": "1h"])
        try test.request()
        try test.advance(by: .minutes(50))
        #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
        try test.advance(by: .minutes(10))
        #expect(try test.request() == .created)
    }

    @Test func `one that others refuse does not start the period`() throws {
        let test = try test(["period": "1h"])
        test.othersDeny = true
        try test.request()
        test.othersDeny = false
        #expect(try test.request() == .created)
    }

    @Test func `a period from deletion waits for a deletion`() throws {
        let test = try test(["period": "1h", "from": "deletion"])
        #expect(try test.request() == .created)
        #expect(try test.request() == .created)
        try test.advance(by: .minutes(10))
        #expect(try test.delete() == [.deleted, .deleted])
        #expect(
            try test.request().description
                == "denied (cooldown) until 2026-03-02T10:10:00Z: the last one was deleted less than 1h ago")
        try test.advance(by: .hours(1))
        #expect(try test.request() == .created)
    }

    @Test func `leaving the region deletes, and so starts the period`() throws {
        let test = try test(["period": "1h", "from": "deletion"])
        #expect(try test.enter() == [.created])
        try test.advance(by: .minutes(5))
        #expect(try test.exit() == [.deleted])
        #expect(try test.enter().map(\.until?.description) == ["2026-03-02T10:05:00Z"])
    }

    @Test func `a period from opening starts again with each opening`() throws {
        let test = try test(["period": "1h", "from": "opening"])
        try test.request()
        #expect(try test.request() == .created, "nothing was opened yet")
        try test.open("sale/1")
        try test.advance(by: .minutes(30))
        try test.open("sale/1")
        #expect(
            try test.request().description
                == "denied (cooldown) until 2026-03-02T10:30:00Z: the last one was opened less than 1h ago")
    }

    @Test func `campaigns have cooldowns of their own per campaign`() throws {
        let test = try test(["period": "1h"], per: "campaign", campaigns: ["sale", "welcome"])
        #expect(try test.request("sale") == .created)
        #expect(try test.request("welcome") == .created)
        #expect(try !test.request("sale").isCreated)
        #expect(
            test.stateLines == [
                "cooldown[sale].createdAt = 2026-03-02T09:00:00Z", "cooldown[welcome].createdAt = 2026-03-02T09:00:00Z",
            ])
    }

    @Test func `campaigns that share a counter are each judged by their own period`() throws {
        let test = try StrategyTest(Cooldown.self, campaigns: ["short", "long"]) {
            $0.campaigns[0].with = ["cooldown": .on(["period": "10m"])]
            $0.campaigns[1].with = ["cooldown": .on(["period": "1h"])]
        }
        try test.request("short")
        try test.advance(by: .minutes(10))
        #expect(try test.request("long").until?.description == "2026-03-02T10:00:00Z")
        #expect(try test.request("short") == .created)
    }

    @Test func `a changed period holds for what was created before`() throws {
        let test = try test(["period": "1h"])
        try test.request()
        try test.change(parameters: ["period": "2h"])
        #expect(try test.request().until?.description == "2026-03-02T11:00:00Z")
    }

    @Test func `a clock that goes back does not shorten the period`() throws {
        let test = try test(["period": "1h"])
        try test.request()
        try test.move(to: "2026-03-02T08:00:00Z")
        #expect(try test.request().until?.description == "2026-03-02T10:00:00Z")
        try test.move(to: "2026-03-02T10:00:00Z")
        #expect(try test.request() == .created)
    }

    @Test func `an earlier creation never replaces a later one`() {
        var state = Cooldown.State()
        state[.creation] = Instant(milliseconds: 2_000)
        state[.creation] = Instant(milliseconds: 1_000)
        #expect(state[.creation] == Instant(milliseconds: 2_000))
    }

    @Test func `what is remembered can be read`() throws {
        let test = try test(["period": "1h", "from": "deletion"])
        #expect(test.state().isEmpty)
        try test.request()
        try test.advance(by: .minutes(1))
        try test.open()
        try test.advance(by: .minutes(1))
        try test.delete()
        #expect(
            test.stateLines == [
                "cooldown.createdAt = 2026-03-02T09:00:00Z", "cooldown.deletedAt = 2026-03-02T09:02:00Z",
                "cooldown.openedAt = 2026-03-02T09:01:00Z",
            ])
    }

    @Test(
        arguments: [
            (["period": 60], "parameters.period: found 60, expected a duration with its unit"),
            (["period": "1h", "from": "creatoin"], "did you mean 'creation'?"),
            (["boundary": "closed"], "period"),
        ] as [(Value, String)])
    func `wrong parameters are refused with a sentence`(parameters: Value, sentence: String) {
        let failure = #expect(throws: StrategyTest.Failure.self) { try test(parameters) }
        #expect(failure?.code == .configuration)
        #expect(failure?.description.contains(sentence) == true, "\(failure?.description ?? "")")
    }
}

/// AdTag's tutorial strategy: a gap between notifications, counted from an approved deletion only, with a strict comparison,
/// saved and restored by hand there.
@Suite struct AdTagTutorialTests {
    private func test() throws -> StrategyTest {
        try StrategyTest(
            Cooldown.self, parameters: ["period": "5m", "from": "deletion", "boundary": "closed"],
            at: "2026-03-02T09:00:00Z"
        ) {
            $0.currentLimit = 1
        }
    }

    @Test func `the gap counts from an approved deletion only`() throws {
        let test = try test()
        #expect(try test.enter() == [.created])
        try test.advance(by: .minutes(1))
        #expect(try test.enter("store") == [], "still inside")
        #expect(try test.request().description.hasPrefix("denied (slot-taken)"))
        test.othersDeny = true
        #expect(try test.exit().map(\.isDeleted) == [false])
        #expect(test.state()["deletedAt"] == nil)
        test.othersDeny = false
        try test.advance(by: .minutes(1))
        try test.delete()
        #expect(test.state()["deletedAt"] == "2026-03-02T09:02:00Z")
    }

    @Test func `exactly the gap is not enough, a millisecond more is`() throws {
        let test = try test()
        try test.enter()
        try test.exit()
        try test.advance(by: .minutes(5))
        #expect(try test.enter().map(\.until?.description) == ["2026-03-02T09:05:00.001Z"])
        try test.exit()
        try test.advance(by: .milliseconds(1))
        #expect(try test.enter() == [.created])
    }

    @Test func `the gap survives the end of the process`() throws {
        let test = try test()
        try test.enter()
        try test.exit()
        try test.saveAndLoad()
        try test.advance(by: .minutes(4))
        #expect(try test.enter().map(\.isCreated) == [false])
        try test.exit()
        try test.saveAndLoad()
        try test.move(to: "2026-03-02T09:05:00.001Z")
        #expect(try test.enter() == [.created])
    }
}
