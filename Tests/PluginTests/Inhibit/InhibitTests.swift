import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct InhibitTests {
    private func test(_ parameters: Value) throws -> StrategyTest {
        try StrategyTest(Inhibit.self, parameters: parameters, campaigns: ["outage", "symptom", "news"]) {
            $0.campaigns[0].tags = ["alarm"]
        }
    }

    @Test func `nothing while such a one is current`() throws {
        let test = try test(["by": ["campaign": "outage"]])
        #expect(try test.request("symptom") == .created)
        try test.request("outage")
        #expect(try test.request("symptom").description == "denied (inhibit): 'outage/1' is current and mutes it")
        #expect(try test.delete("outage") == [.deleted])
        #expect(try test.request("symptom") == .created)
        #expect(test.stateLines == [])
    }

    @Test func `like does not mute like`() throws {
        let test = try test(["by": ["campaign": "outage"]])
        #expect(try test.request("outage") == .created)
        #expect(try test.request("outage") == .created)
        #expect(test.verdict == .allow)
    }

    @Test func `what has to be the same is`() throws {
        let test = try test(["by": ["campaign": "outage"], "equal": ["data.incident"]])
        try test.request("outage", data: ["incident": 7])
        #expect(try test.request("symptom", data: ["incident": 8]) == .created)
        #expect(try test.request("symptom", data: ["incident": 7]) != .created)
        #expect(try test.request("symptom", data: ["incident": 7.0]) != .created, "1 and 1.0 are one number")
        #expect(try test.request("symptom") == .created)
        try test.request("outage")
        #expect(try test.request("symptom").message == "'outage/2' is current and mutes it", "both lack it")
        #expect(try test.request("symptom", data: ["incident": .null]) != .created, "null is missing")
    }

    @Test(
        arguments: [
            ["tags": ["$elemMatch": ["$eq": "alarm"]]], ["data.level": ["$gt": 3]],
            ["createdAt": ["$lte": "2026-03-02T09:00:00Z"], "campaign": "outage"], ["$or": [["campaign": "outage"]]],
            ["$and": [["$nor": [["campaign": "news"]]], ["$not": ["data.level": .null]]]],
        ] as [Value])
    func `a condition looks at campaign, tags, data and time`(by: Value) throws {
        let test = try test(["by": by])
        try test.request("news")
        #expect(try test.request("symptom") == .created)
        try test.request("outage", data: ["level": 5])
        try test.advance(by: .minutes(1))
        #expect(try test.request("symptom") != .created)
    }

    @Test func `deletions are not its affair`() throws {
        let test = try test(["by": ["campaign": "outage"]])
        try test.request("symptom")
        try test.request("outage")
        #expect(try test.delete("symptom") == [.deleted])
    }

    @Test(
        arguments: [
            (["equal": []], "by"), (["by": [:]], "empty condition"),
            (["by": ["campaign": "x"], "equal": ["incident"]], "'incident' is nothing"),
            (["by": ["campaign": ["$foo": 1]]], "$foo"),
            (
                ["by": ["severity": ["$gte": 3], "campain": "outage"]],
                "by: 'severity' and 'campain' (did you mean 'campaign'?) are nothing"
            ),
            (
                ["by": ["$or": [["campaign": "x"], ["$not": ["tag.x": 1]]]]],
                "by: 'tag.x' (did you mean 'tags'?) is nothing"
            ),
            (
                ["by": ["campaign": "x"], "equal": ["date.incident"]],
                "equal: 'date.incident' (did you mean 'data'?) is nothing"
            ),
        ] as [(Value, String)])
    func `wrong parameters are refused with a sentence`(parameters: Value, part: String) {
        let failure = #expect(throws: StrategyTest.Failure.self) { try self.test(parameters) }
        #expect(failure?.description.contains(part) == true, "\(failure?.description ?? "")")
    }
}
