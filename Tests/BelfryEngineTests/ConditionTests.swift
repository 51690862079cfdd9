@testable import BelfryEngine
import BelfryModel
import Testing

/// A condition, properties, and whether it holds for them.
struct ConditionCase: Sendable, CustomTestStringConvertible {
    let condition: Value
    let properties: Value
    let holds: Bool

    static func met(_ condition: Value, by properties: Value) -> Self {
        Self(condition: condition, properties: properties, holds: true)
    }

    static func unmet(_ condition: Value, by properties: Value) -> Self {
        Self(condition: condition, properties: properties, holds: false)
    }

    var testDescription: String { "\(condition.json) \(holds ? "holds" : "fails") for \(properties.json)" }

    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let result = try Condition(condition).holds(for: properties)
        #expect(result == holds, "\(testDescription)", sourceLocation: sourceLocation)
    }
}

/// docs/conditions.md and the first ruling of section 8.
@Suite struct ConditionTests {
    @Test(
        arguments: [
            .met([:], by: ["age": 1]),
            .met([:], by: [:]),
            .met(["age": 1, "city": "Delft"], by: ["age": 1, "city": "Delft"]),
            .unmet(["age": 1, "city": "Delft"], by: ["age": 1, "city": "Goes"]),
            .met(["$or": [["a": 1], ["b": 1]]], by: ["b": 1]),
            .unmet(["$or": [["a": 1], ["b": 1]], "c": 1], by: ["b": 1]),
            .met(["$or": []], by: [:]),
            .met(["$and": []], by: [:]),
            .unmet(["$nor": []], by: [:]),
            .unmet(["$and": [["a": 1], ["b": 1]]], by: ["b": 1]),
            .met(["$nor": [["a": 1], ["b": 1]]], by: ["c": 1]),
            .unmet(["$nor": [["a": 1], ["b": 1]]], by: ["b": 1]),
            .unmet(["$not": ["a": 1]], by: ["a": 1]),
            .met(["$not": ["a": 1, "b": 1]], by: ["a": 1]),
            // Of attributes case counts, also where they are named as the fields of a region.
            .met(["region.fields.A": 1], by: ["region": ["fields": ["A": 1]]]),
            .unmet(["region.fields.A": 1], by: ["region": ["fields": ["a": 1]]]),
        ] as [ConditionCase])
    func `all properties must hold, unless combinators say otherwise`(_ example: ConditionCase) throws {
        try example.check()
    }

    @Test(
        arguments: [
            .unmet(["a": true], by: ["a": "true"]),
            .unmet(["a": true], by: ["a": 1]),
            .unmet(["a": 1], by: ["a": true]),
            .unmet(["a": "1"], by: ["a": 1]),
            .unmet(["a": 0], by: ["a": ""]),
            .met(["a": 1], by: ["a": 1.0]),
            .met(["a": 1.0], by: ["a": 1]),
            .unmet(["a": 1.5], by: ["a": 1]),
            .met(["a": [1, ["b": 2.0]]], by: ["a": [1.0, ["b": 2]]]),
            .unmet(["a": [1, 2]], by: ["a": [2, 1]]),
            .unmet(["a": [1, 2]], by: ["a": [1]]),
            .unmet(["a": [1]], by: ["a": 1]),
            .met(["a": ["x": 1, "y": 2]], by: ["a": ["y": 2, "x": 1]]),
            .unmet(["a": ["x": 1]], by: ["a": ["x": 1, "y": 2]]),
            .unmet(["a": ["x": .null]], by: ["a": ["y": .null]]),
            .met(["a": ["$eq": ["$gt": 1]]], by: ["a": ["$gt": 1]]),
            .met(["a": ["$ne": "1"]], by: ["a": 1]),
            .unmet(["a": ["$ne": 1.0]], by: ["a": 1]),
        ] as [ConditionCase])
    func `a bare value compares by type`(_ example: ConditionCase) throws {
        try example.check()
    }

    @Test(
        arguments: [
            .null, ["$eq": .null], ["$exists": false], ["$type": "null"], ["$in": [1, .null]], ["$ini": [.null]],
        ] as [Value])
    func `a missing property equals null`(_ test: Value) throws {
        try ConditionCase.met(["a": test], by: [:]).check()
        try ConditionCase.met(["a": test], by: ["a": .null]).check()
    }

    /// Each is a test that a missing property fails, so that its complement holds.
    @Test(
        arguments: [
            1, "", false, [:], ["$eq": 0], ["$gt": -1], ["$gte": 0], ["$lt": 1], ["$lte": 0], ["$lt": "z"],
            ["$in": [0, ""]],
            ["$ini": ["null"]], ["$all": []], ["$alli": [.null]], ["$size": 0], ["$elemMatch": ["$ne": 1]],
            ["$elemMatch": [:]],
            ["$regex": "null"], ["$regexi": ""], ["$exists": true], ["$type": "object"],
            ["$vlt": "9.0.0"], ["$vlte": "0"], ["$veq": "0"], ["$vgte": "0"], ["$vgt": "0"],
        ] as [Value])
    func `a missing property satisfies nothing else, and every negation`(_ test: Value) throws {
        try ConditionCase.unmet(["a": test], by: [:]).check()
        try ConditionCase.unmet(["a": test], by: ["a": .null]).check()
        try ConditionCase.met(["a": ["$not": test]], by: [:]).check()
        try ConditionCase.met(["$not": ["a": test]], by: [:]).check()
    }

    @Test(
        arguments: [
            ["$ne": 1], ["$nin": [1]], ["$nini": ["x"]], ["$notRegex": "."], ["$notRegexi": "."], ["$vne": "0"],
        ] as [Value])
    func `a missing property satisfies the negated operators`(_ test: Value) throws {
        try ConditionCase.met(["a": test], by: [:]).check()
    }

    @Test(
        arguments: [
            .met(["a": ["$in": [1, "x"]]], by: ["a": 1.0]),
            .unmet(["a": ["$in": [1, "x"]]], by: ["a": "1"]),
            .unmet(["a": ["$in": []]], by: ["a": 1]),
            .met(["a": ["$in": ["x", "y"]]], by: ["a": ["z", "y"]]),
            .unmet(["a": ["$in": ["x", "y"]]], by: ["a": []]),
            .unmet(["a": ["$in": ["x"]]], by: ["a": "X"]),
            .unmet(["a": ["$in": ["e\u{301}"]]], by: ["a": "\u{E9}"]),
            .unmet(["a": ["$in": ["1", "2", "3", "4", "5", "6", "7", "8", "e\u{301}"]]], by: ["a": "\u{E9}"]),
            .met(["a": ["$in": ["1", "2", "3", "4", "5", "6", "7", "8", "\u{E9}"]]], by: ["a": "\u{E9}"]),
            .met(["a": ["$ini": ["Ünder", 1]]], by: ["a": "üNDER"]),
            .met(["a": ["$ini": ["x", 1]]], by: ["a": [1]]),
            .unmet(["a": ["$nin": ["x"]]], by: ["a": ["x", "y"]]),
            .met(["a": ["$nin": ["x"]]], by: ["a": "X"]),
            .unmet(["a": ["$nini": ["x"]]], by: ["a": "X"]),
            .met(["a": ["$all": ["x", ["$gt": 2]]]], by: ["a": [3, "x"]]),
            .unmet(["a": ["$all": ["x", "y"]]], by: ["a": ["x"]]),
            .unmet(["a": ["$all": ["x"]]], by: ["a": "x"]),
            .met(["a": ["$all": []]], by: ["a": []]),
            .unmet(["a": ["$all": ["x"]]], by: ["a": ["X"]]),
            .met(["a": ["$alli": ["x", 1]]], by: ["a": ["X", 1]]),
            .unmet(["a": ["$alli": ["1"]]], by: ["a": [1]]),
            .met(["a": ["$size": 2]], by: ["a": [1, 2]]),
            .met(["a": ["$size": ["$gte": 1, "$lt": 3]]], by: ["a": [1, 2]]),
            .unmet(["a": ["$size": 1]], by: ["a": "x"]),
        ] as [ConditionCase])
    func `lists are asked for what they contain`(_ example: ConditionCase) throws {
        try example.check()
    }

    @Test(
        arguments: [
            .met(["a": ["$elemMatch": ["$gt": 1, "$lt": 3]]], by: ["a": [0, 2]]),
            .unmet(["a": ["$elemMatch": ["$gt": 1, "$lt": 3]]], by: ["a": [0, 4]]),
            .met(["a": ["$elemMatch": ["$eq": 0]]], by: ["a": [0]]),
            .met(["a": ["$elemMatch": ["x.y": 1, "z": 2]]], by: ["a": [["z": 2], ["x": ["y": 1], "z": 2]]]),
            .unmet(["a": ["$elemMatch": ["x": 1, "z": 2]]], by: ["a": [["x": 1], ["z": 2]]]),
            .met(["a": ["$elemMatch": ["$or": [["x": 1], ["x": 2]]]]], by: ["a": [["x": 2]]]),
            .met(["a": ["$elemMatch": ["x": ["$elemMatch": ["y": 1]]]]], by: ["a": [["x": [["y": 1]]]]]),
            .unmet(["a": ["$elemMatch": ["x": 1]]], by: ["a": ["x": 1]]),
            .unmet(["a": ["$not": ["$elemMatch": ["$eq": "x"]]]], by: ["a": ["x"]]),
        ] as [ConditionCase])
    func `elemMatch is about one element, or its properties`(_ example: ConditionCase) throws {
        try example.check()
    }

    @Test(
        arguments: [
            .met(["a": ["$regex": "d"]], by: ["a": .text(String(repeating: "b", count: 1023) + "d")]),
            .unmet(["a": ["$regex": "d"]], by: ["a": .text(String(repeating: "b", count: 1024) + "d")]),
            .met(["a": ["$notRegex": "d"]], by: ["a": .text(String(repeating: "b", count: 1024) + "d")]),
            .met(["a": ["$regex": "^b.*d$"]], by: ["a": "bed"]),
            .unmet(["a": ["$regex": "^b.*d$"]], by: ["a": "a bed\n"]),
            .unmet(["a": ["$regex": "BED"]], by: ["a": "bed"]),
            .met(["a": ["$regexi": "BED"]], by: ["a": "a bed"]),
            .unmet(["a": ["$notRegex": "e"]], by: ["a": "bed"]),
            .met(["a": ["$notRegex": "E"]], by: ["a": "bed"]),
            .unmet(["a": ["$notRegexi": "E"]], by: ["a": "bed"]),
            .unmet(["a": ["$regex": "8"]], by: ["a": 8]),
            .met(["a": ["$notRegex": "8"]], by: ["a": 8]),
            .unmet(["a": ["$regex": "^\\d$"]], by: ["a": "٣"]),
            .met(["a": ["$regex": "\\bcan\\b"]], by: ["a": "can't"]),
            .unmet(["a": ["$regex": "^.$"]], by: ["a": "e\u{301}"]),
        ] as [ConditionCase])
    func `patterns match anywhere in a text, by Unicode scalar`(_ example: ConditionCase) throws {
        try example.check()
    }

    @Test(
        arguments: [
            ("string", "x"), ("number", 1), ("number", 1.5), ("boolean", true), ("array", [1]), ("object", ["x": 1]),
            ("null", .null),
        ] as [(Value, Value)])
    func `types have the names of JSON`(name: Value, value: Value) throws {
        try ConditionCase.met(["a": ["$type": name]], by: ["a": value]).check()
        try ConditionCase.unmet(["a": ["$type": name == "string" ? "number" : "string"]], by: ["a": value]).check()
    }

    @Test(
        arguments: [
            .met(["a.b.c": 1], by: ["a": ["b": ["c": 1]]]),
            .met(["a.1.b": 1], by: ["a": [.null, ["b": 1]]]),
            .unmet(["a.b": 1], by: ["a": 1]),
            .met(["a.b": .null], by: ["a": 1]),
            .met(["a.7": .null], by: ["a": [1]]),
            .met(["$groups": ["$elemMatch": ["$eq": "x"]]], by: ["$groups": ["x"]]),
        ] as [ConditionCase])
    func `paths lead through mappings and lists`(_ example: ConditionCase) throws {
        try example.check()
    }

    @Test func `it knows which properties it reads, without those of elements`() throws {
        let condition = try Condition([
            "user.city": "Delft",
            "$or": [["age": ["$gt": 1, "$lt": 9]], ["$not": ["user.city": "Goes"]]],
            "tags": ["$elemMatch": ["name": 1]],
        ])
        #expect(condition.paths == [["user", "city"], ["age"], ["tags"]])
    }

    @Test func `properties are asked for by their whole path`() throws {
        struct Recorder: ConditionProperties {
            func value(at path: [String]) -> Value? { .text(path.joined(separator: "/")) }
        }
        #expect(try Condition(["history.sale.count": "history/sale/count"]).holds(for: Recorder()))
    }

    @Test func `many tasks may share one`() async throws {
        let condition = try Condition(["a": ["$regexi": "(x|y)+z$"]])
        await withTaskGroup(of: Bool.self) { group in
            for length in 0..<64 {
                let text = String(repeating: "xY", count: length)
                group.addTask { condition.holds(for: ["a": .text(text + "Z")] as Value) == (length > 0) }
            }
            for await asExpected in group { #expect(asExpected) }
        }
    }
}
