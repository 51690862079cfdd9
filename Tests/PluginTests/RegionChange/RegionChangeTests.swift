import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct RegionChangeTests {
    private func test(_ parameters: Value? = nil, fields: [String: [String: String]] = [:]) throws -> StrategyTest {
        let test = try StrategyTest(RegionChange.self, parameters: parameters, regions: ["a", "b", "c"]) {
            $0.fields = ["shopName"]
            for index in $0.regions.indices {
                $0.regions[index].fields = Fields((fields[$0.regions[index].id] ?? [:]).map { ($0, .text($1)) })
            }
        }
        test.savesAfterEveryStep = true
        return test
    }

    /// Enters the regions one after the other, and leaves each.
    private func visits(_ test: StrategyTest, _ regions: String...) throws -> [Bool] {
        try regions.map { region in
            let attempts = try test.enter(region)
            try test.exit(region)
            return try #require(attempts.first).isCreated
        }
    }

    @Test func `only another region than the last one is created`() throws {
        #expect(try visits(test(), "a", "a", "b", "b", "a") == [true, false, true, false, true])
    }

    @Test func `a denial names the region`() throws {
        let test = try test()
        _ = try visits(test, "a")
        #expect(
            try test.enter("a").map(\.description) == ["denied (region-change): the last one was for region 'a' too"])
    }

    @Test func `a region that was not notified about is no last one`() throws {
        let test = try StrategyTest(RegionChange.self, regions: ["a", "b"]) { $0.currentLimit = 1 }
        #expect(try test.enter("a").map(\.isCreated) == [true])
        #expect(try test.enter("b").compactMap(\.reason?.code) == ["slot-taken"])
        #expect(test.state()["region"] == "a")
    }

    @Test func `a candidate without a region is not judged`() throws {
        let test = try test()
        for _ in 1...2 {
            #expect(try test.request() == .created)
            #expect(test.verdict == .abstain)
        }
        #expect(test.stateLines == [])
    }

    @Test(arguments: ["shopName", "SHOPNAME"])
    func `with a field its value has to change`(name: String) throws {
        let test = try test(
            ["field": .text(name)],
            fields: ["a": ["shopName": "Alpha"], "b": ["shopname": "Alpha"], "c": ["shopName": "Gamma"]])
        #expect(try visits(test, "a", "b", "c", "c", "b") == [true, false, true, false, true])
        #expect(try test.enter("a").map(\.message) == ["the last one was for \(name) 'Alpha' too"])
    }

    @Test func `a region without the field is not judged`() throws {
        let test = try test(["field": "shopName"], fields: ["a": ["shopName": "Alpha"]])
        #expect(try visits(test, "a", "b", "b", "a") == [true, true, true, false])
    }

    @Test func `a field that was not looked at before makes any value another one`() throws {
        let test = try test(fields: ["a": ["shopName": "Alpha"]])
        _ = try visits(test, "a")
        try test.change(parameters: ["field": "shopName"])
        #expect(try visits(test, "a", "a") == [true, false])
        try test.change(parameters: nil)
        #expect(try visits(test, "a") == [false])
    }
}
