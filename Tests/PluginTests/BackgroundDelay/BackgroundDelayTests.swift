import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct BackgroundDelayTests {
    private func test(_ period: Value = "10m") throws -> StrategyTest {
        let test = try StrategyTest(BackgroundDelay.self, parameters: ["period": period], at: "2026-03-02T09:00:00Z")
        test.savesAfterEveryStep = true
        return test
    }

    @Test func `before the first sign of the app there is no limit`() throws {
        #expect(try test().request() == .created)
    }

    @Test func `in the foreground nothing is created`() throws {
        let test = try test()
        try test.foreground()
        try test.advance(by: .days(1))
        #expect(try test.request().description == "denied (background-delay): the app is in the foreground")
    }

    @Test func `after each move into the background nothing is created for the period`() throws {
        let test = try test()
        for start in ["2026-03-02T09:00:00Z", "2026-03-02T12:00:00Z"] {
            try test.move(to: start)
            try test.foreground()
            try test.advance(by: .minutes(1))
            try test.background()
            let end = test.now + .minutes(10)
            #expect(
                try test.request().description
                    == "denied (background-delay) until \(end): the app went to the background less than 10m ago")
            try test.move(to: end - .milliseconds(1))
            #expect(try test.request().until == end)
            try test.advance(by: .milliseconds(1))
            #expect(try test.request() == .created)
        }
    }

    @Test func `a second sign from the background does not start the period again`() throws {
        let test = try test()
        try test.background()
        try test.advance(by: .minutes(6))
        try test.background()
        #expect(try test.request().until?.description == "2026-03-02T09:10:00Z")
    }

    @Test func `a period of zero leaves only the foreground`() throws {
        let test = try test("0s")
        try test.foreground()
        #expect(try !test.request().isCreated)
        try test.background()
        #expect(try test.request() == .created)
    }

    @Test func `without a period it is not asked`() throws {
        #expect(try StrategyTest(BackgroundDelay.self).request() == .notAsked)
    }
}
