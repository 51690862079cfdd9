import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct OccurrencesTests {
    private func test(_ parameters: Value, per: String? = nil, campaigns: [String] = ["sale"]) throws -> StrategyTest {
        let test = try StrategyTest(
            Occurrences.self, parameters: parameters, per: per, at: "2026-03-02T09:00:00Z", campaigns: campaigns)
        test.savesAfterEveryStep = true
        return test
    }

    /// Requests at these seconds after nine; a letter says what came of each: `x` created, `.` refused.
    private func timeline(_ parameters: Value, _ seconds: [Int64]) throws -> String {
        let test = try test(parameters)
        let start = test.now
        return try seconds.map { second in
            try test.move(to: start + .seconds(second))
            return try test.request().isCreated ? "x" : "."
        }.joined()
    }

    /// Insiteo's three examples: the same events under other rules.
    @Test(
        arguments: [
            (["count": 3, "within": "4m"], "..x..x."),
            (["count": 3, "within": "4m", "ignoreWithin": "1m"], "...x..."),
            (["count": 3, "within": "3m", "ignoreWithin": "1m"], ".....x."),
        ] as [(Value, String)])
    func `the n-th occurrence within the period is created`(parameters: Value, expected: String) throws {
        #expect(try timeline(parameters, [0, 30, 90, 185, 200, 250, 300]) == expected)
    }

    @Test func `an occurrence that is exactly that old no longer counts`() throws {
        #expect(try timeline(["count": 2, "within": "1m"], [0, 60]) == "..")
        #expect(try timeline(["count": 2, "within": "1m"], [0, 59]) == ".x")
        #expect(try timeline(["count": 2, "within": "60001ms"], [0, 60]) == ".x")
    }

    @Test func `the stretch moves on with each occurrence`() throws {
        #expect(try timeline(["count": 3, "within": "1m"], [0, 40, 70, 90, 120]) == "...x.")
    }

    @Test func `exactly after ignoreWithin it counts again, from the last that counted`() throws {
        #expect(try timeline(["count": 2, "within": "10m", "ignoreWithin": "1m"], [0, 59, 60]) == "..x")
        #expect(try timeline(["count": 3, "within": "10m", "ignoreWithin": "1m"], [0, 50, 70, 110, 130]) == "....x")
    }

    @Test func `ignoreWithin goes on when the count is reached`() throws {
        #expect(try timeline(["count": 1, "within": "10m", "ignoreWithin": "1m"], [0, 30, 60]) == "x.x")
    }

    @Test func `a count of one is every occurrence`() throws {
        #expect(try timeline(["count": 1, "within": "1ms"], [0, 0, 1]) == "xxx")
    }

    @Test func `a denial says how many there were, and never until when`() throws {
        let test = try test(["count": 3, "within": "10m", "ignoreWithin": "5s"])
        #expect(try test.request().description == "denied (occurrences): 1 of 3 within 10m")
        #expect(
            try test.request().description
                == "denied (occurrences): not counted: the last counted one is less than 5s ago")
        try test.advance(by: .minutes(1))
        #expect(try test.request().description == "denied (occurrences): 2 of 3 within 10m")
    }

    /// Another entry: it denies when the slot is taken. The count is reached all the same, and starts again.
    @Test func `a refused one counts, and reaching the count starts it again`() throws {
        let test = try StrategyTest(Occurrences.self, parameters: ["count": 2, "within": "1h"]) {
            $0.currentLimit = 1
        }
        #expect(try [test.request(), test.request()].map(\.isCreated) == [false, true])
        #expect(try test.request().message == "1 of 2 within 1h")
        #expect(try test.request().reason?.code == "slot-taken")
        #expect(try test.request().message == "1 of 2 within 1h")
    }

    @Test func `a deferred one was counted before, and is not judged again`() {
        var state = Occurrences.State()
        #expect(occur(deferred: false, &state) == .deny("1 of 2 within 1h"))
        #expect([occur(deferred: true, &state), occur(deferred: true, &state)] == [.abstain, .abstain])
        #expect(occur(deferred: false, &state) == .allow)
    }

    /// It takes another entry to defer one, so the hooks are called here without an engine.
    private func occur(deferred: Bool, _ state: inout Occurrences.State) -> Verdict {
        var (candidate, context, bare) = (belfry_candidate(), belfry_context(), belfry_host())
        candidate.deferred = deferred ? 1 : 0
        bare.get_extension = { _, id in
            String(cString: id!) == BELFRY_EXTENSION_SCRATCH ? UnsafeRawPointer(scratch) : nil
        }
        return withUnsafePointer(to: &bare) { bare in
            var host = Host(bare)
            var parameters = Occurrences.Parameters()
            (parameters.count, parameters.within) = (2, .hours(1))
            let strategy = Occurrences(parameters, host: host)
            return withUnsafePointer(to: &host) { host in
                withUnsafePointer(to: &candidate) { candidate in
                    withUnsafePointer(to: &context) { context in
                        let (candidate, context) = (Candidate(candidate), Context(context, host: host))
                        let verdict = strategy.shouldCreate(candidate, state: state, context: context)
                        strategy.didCreate(candidate, created: false, state: &state, context: context)
                        return verdict
                    }
                }
            }
        }
    }

    @Test func `each trigger counts for itself, unless per says otherwise`() throws {
        let own = try test(["count": 2, "within": "1h"], campaigns: ["sale", "welcome"])
        #expect(try [own.request("sale"), own.request("welcome")].map(\.isCreated) == [false, false])
        #expect(
            own.stateLines.filter { $0.contains(".lastCountedAt") } == [
                "occurrences[sale/request].lastCountedAt = 2026-03-02T09:00:00Z",
                "occurrences[welcome/request].lastCountedAt = 2026-03-02T09:00:00Z",
            ])
        let common = try test(["count": 2, "within": "1h"], per: "subject", campaigns: ["sale", "welcome"])
        #expect(try [common.request("sale"), common.request("welcome")].map(\.isCreated) == [false, true])
    }

    @Test func `what is remembered can be read, and does not grow`() throws {
        let test = try test(["count": 3, "within": "2m"])
        for _ in 1...20 {
            try test.request()
            try test.advance(by: .minutes(1))
        }
        let state = test.state(counter: "sale/request")
        #expect(state["lastCountedAt"] == "2026-03-02T09:19:00Z")
        #expect(state["counted"]?.list?.count == 2)
    }

    @Test(
        arguments: [
            (["count": 3], "within"), (["within": "1m"], "count"), (["count": 0, "within": "1m"], "at least 1"),
            (["count": 3, "within": "0s"], "at least 1ms"), (["count": 3, "within": 60], "a duration"),
        ] as [(Value, String)])
    func `wrong parameters are refused with a sentence`(parameters: Value, part: String) {
        let failure = #expect(throws: StrategyTest.Failure.self) { try test(parameters) }
        #expect(failure?.description.contains(part) == true, "\(failure?.description ?? "")")
    }
}

/// Memory for lists, which this test never takes back.
nonisolated(unsafe) private let scratch: UnsafeMutablePointer<belfry_scratch> = {
    let table = UnsafeMutablePointer<belfry_scratch>.allocate(capacity: 1)
    table.initialize(to: belfry_scratch(allocate: { _, size in .allocate(byteCount: Int(size), alignment: 16) }))
    return table
}()
