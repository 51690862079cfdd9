import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct SegmentationTests {
    private func test(_ condition: Value, campaigns: [String] = ["sale"]) throws -> StrategyTest {
        let test = try StrategyTest(Segmentation.self, parameters: condition, campaigns: campaigns)
        test.savesAfterEveryStep = true
        return test
    }

    @Test func `whoever is in the segment is notified`() throws {
        let test = try test(["premium": true])
        #expect(
            try test.request().description == "denied (segmentation): the segment does not match: premium is not true")
        try test.set(user: ["premium": true])
        #expect(try test.request() == .created)
        #expect(test.verdict == .allow)
    }

    @Test func `a bare property is the channel's, else the user's`() throws {
        let test = try test(["tier": "gold"])
        try test.set(user: ["tier": "gold"])
        #expect(try test.request() == .created)
        try test.set(channel: ["tier": "silver"])
        #expect(try !test.request().isCreated)
        test.channel = "tablet"
        #expect(try test.request() == .created, "the tablet says nothing of it")
    }

    @Test func `user and channel choose`() throws {
        let test = try test(["user.tier": "gold", "channel.tier": "silver"])
        try test.set(user: ["tier": "gold"])
        try test.set(channel: ["tier": "silver"])
        #expect(try test.request() == .created)
        try test.set(user: ["tier": "silver"])
        #expect(try test.request().message == "the segment does not match: user.tier is not \"gold\"")
    }

    @Test func `an automatic attribute wins over a set one`() throws {
        let test = try test(["osVersion": ["$vgte": "17.0"]])
        try test.set(channel: ["osVersion": "16.4"])
        #expect(try !test.request().isCreated)
        try test.register(["osVersion": "17.2"])
        #expect(try test.request() == .created)
    }

    @Test func `history counts what was created`() throws {
        let test = try test(["history.welcome.count": ["$lt": 2]], campaigns: ["welcome"])
        #expect(try test.request() == .created)
        #expect(try test.request() == .created)
        #expect(
            try test.request().description
                == #"denied (segmentation): the segment does not match: history.welcome.count does not match {"$lt":2}"#
        )
    }

    @Test func `the first property that does not hold is named`() throws {
        let test = try test(["a": 1, "b": 2, "c": 3])
        try test.set(user: ["a": 1, "b": 0, "c": 0])
        #expect(try test.request().message == "the segment does not match: b is not 2")
    }

    @Test func `a group that does not hold is shown as it is written`() throws {
        let test = try test(["$or": [["a": 1], ["b": .null]]])
        try test.set(user: ["b": 1])
        #expect(
            try test.request().message == #"the segment does not match: $or of [{"a":1},{"b":null}] does not hold"#)
    }

    @Test func `nothing is remembered`() throws {
        let test = try test(["premium": .null])
        #expect(try test.request() == .created)
        #expect(test.stateLines == [])
    }

    @Test func `without a condition it is not asked`() throws {
        let test = try StrategyTest(Segmentation.self)
        #expect(try test.request() == .notAsked)
        #expect(test.verdict == nil)
    }

    @Test(
        arguments: [
            (["tier": ["$foo": 1]], "$foo"), (["tier": ["$in": "gold"]], "$in"), (["name": ["$regex": "("]], "$regex"),
        ] as [(Value, String)])
    func `a wrong condition is refused with a sentence`(condition: Value, part: String) {
        let failure = #expect(throws: StrategyTest.Failure.self) { try test(condition) }
        #expect(failure?.description.contains(part) == true, "\(failure?.description ?? "")")
    }
}
