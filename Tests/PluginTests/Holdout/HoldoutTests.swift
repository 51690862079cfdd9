import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct HoldoutTests {
    private func isHeldOut(
        share: Double, seed: String, attributes: KeyValuePairs<String, Value> = [:], by attribute: String? = nil
    )
        throws -> Bool
    {
        var parameters: Fields = Fields([("share", .number(share)), ("seed", .text(seed))])
        parameters["attribute"] = attribute.map { .text($0) }
        let test = try StrategyTest(Holdout.self, parameters: .map(parameters))
        try test.set(user: attributes)
        return try !test.request().isCreated
    }

    /// GrowthBook's own cases of hash version 2.
    @Test(arguments: [
        ("seed", "a", 0.0505), ("seed", "b", 0.2696), ("foo", "ab", 0.2575), ("foo", "def", 0.2019),
        ("89123klj", "8952klfjas09ujkasdf", 0.124), ("90850943850283058242805", "123", 0.7516),
        ("()**(%$##$%#$#", #"___)((*":&"#, 0.0128), ("experiment", "1", 0.4413), ("holdout", "1", 0.8043),
    ])
    func `who is held out follows from GrowthBook's hash`(seed: String, value: String, hash: Double) throws {
        #expect(
            try !isHeldOut(share: hash, seed: seed, attributes: ["key": .text(value)], by: "key"), "not less than it")
        #expect(try isHeldOut(share: hash + 0.00001, seed: seed, attributes: ["key": .text(value)], by: "key"))
    }

    @Test func `a share of 0 is nobody and one of 1 is everybody`() throws {
        for seed in ["a", "b", "c", "d", "e"] {
            #expect(try !isHeldOut(share: 0, seed: seed))
            #expect(try isHeldOut(share: 1, seed: seed))
        }
    }

    /// The hash of `s` and the subject `ana` is 0.1161.
    @Test func `without an attribute the subject is hashed`() throws {
        #expect(try isHeldOut(share: 0.1162, seed: "s"))
        #expect(try !isHeldOut(share: 0.1161, seed: "s"))
        #expect(try isHeldOut(share: 0.1162, seed: "s", attributes: ["name": "ana"], by: "user.name"))
    }

    @Test(arguments: [nil, .null, "", ["a"], ["a": 1]] as [Value?])
    func `without a value of the attribute nobody is held out`(value: Value?) throws {
        let test = try StrategyTest(Holdout.self, parameters: ["share": 1, "seed": "s", "attribute": "household"])
        if let value { try test.set(user: ["household": value]) }
        #expect(try test.request() == .created)
        #expect(test.verdict == .abstain)
    }

    /// As JSON writes them.
    @Test(arguments: [(42, "42"), (2.5, "2.5"), (true, "true"), (42.0, "42")] as [(Value, String)])
    func `a number or boolean is hashed as its text`(value: Value, text: String) throws {
        for share in stride(from: 0.05, through: 0.95, by: 0.05) {
            #expect(
                try isHeldOut(share: share, seed: "s", attributes: ["key": value], by: "key")
                    == isHeldOut(share: share, seed: "s", attributes: ["key": .text(text)], by: "key"))
        }
    }

    @Test func `a denial says it, for ever`() throws {
        let test = try StrategyTest(Holdout.self, parameters: ["share": 1, "seed": "s"])
        #expect(try test.request().description == "denied (holdout): held out: one of a share of 1.0")
        #expect(test.stateLines == [])
    }

    @Test(
        arguments: [
            (["share": 0.1], "seed"), (["seed": "s"], "share"), (["share": 1.5, "seed": "s"], "0 to 1"),
            (["share": -0.1, "seed": "s"], "0 to 1"), (["share": 0.1, "seed": ""], "seed"),
            (["share": 0.1, "seed": 7], "text"),
        ] as [(Value, String)])
    func `wrong parameters are refused with a sentence`(parameters: Value, part: String) {
        let failure = #expect(throws: StrategyTest.Failure.self) {
            try StrategyTest(Holdout.self, parameters: parameters)
        }
        #expect(failure?.description.contains(part) == true, "\(failure?.description ?? "")")
    }
}
