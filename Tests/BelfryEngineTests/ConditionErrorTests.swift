import BelfryEngine
import BelfryModel
import Testing

/// A condition with one fault, and how it is reported.
struct FaultyCondition: Sendable, CustomTestStringConvertible {
    let condition: Value
    let path: [String]
    let found: String
    let expected: String
    var fix: String?

    var testDescription: String { condition.json }
}

@Suite struct ConditionErrorTests {
    @Test(arguments: [
        FaultyCondition(
            condition: "x", path: [], found: "text", expected: "a mapping from properties to values or operators"),
        FaultyCondition(
            condition: ["$and": ["a": 1]], path: ["$and"], found: "a mapping", expected: "a list of conditions"),
        FaultyCondition(
            condition: ["$or": [["a": 1], 5]], path: ["$or", "1"], found: "a whole number",
            expected: "a mapping from properties to values or operators"),
        FaultyCondition(
            condition: ["a": ["$in": "x"]], path: ["a", "$in"], found: "text", expected: "a list of values"),
        FaultyCondition(
            condition: ["a": ["$alli": 1.5]], path: ["a", "$alli"], found: "a number", expected: "a list of values"),
        FaultyCondition(
            condition: ["a": ["$gt": .null]], path: ["a", "$gt"], found: "null",
            expected: "a number or text to compare with"),
        FaultyCondition(
            condition: ["a": ["$vgt": true]], path: ["a", "$vgt"], found: "a boolean",
            expected: "a version as text, as \"1.2.3\""),
        FaultyCondition(
            condition: ["a": ["$exists": "yes"]], path: ["a", "$exists"], found: "text", expected: "true or false"),
        FaultyCondition(
            condition: ["a": ["$size": "3"]], path: ["a", "$size"], found: "text",
            expected: "a whole number, or operators on it"),
        FaultyCondition(
            condition: ["a": ["$elemMatch": "x"]], path: ["a", "$elemMatch"], found: "text",
            expected: "operators, or a condition on the element's properties"),
        FaultyCondition(
            condition: ["a": ["$regex": 5]], path: ["a", "$regex"], found: "a whole number",
            expected: "a regular expression as text"),
        FaultyCondition(
            condition: ["a": ["$notRegexi": "(x"]], path: ["a", "$notRegexi"], found: "the pattern '(x'",
            expected: "a regular expression that compiles (expected ')')"),
        // Sound in ECMAScript, but the engine here has none.
        FaultyCondition(
            condition: ["a": ["$regex": "(?<=x)y"]], path: ["a", "$regex"], found: "the pattern '(?<=x)y'",
            expected: "a regular expression that compiles (lookbehind is not currently supported)"),
        FaultyCondition(
            condition: ["a": ["$type": "strng"]], path: ["a", "$type"], found: "the unknown type 'strng'",
            expected: "one of string, number, boolean, array, object, null", fix: "did you mean 'string'?"),
    ])
    func `a wrong operand is an error`(_ example: FaultyCondition) {
        check(example)
    }

    @Test(arguments: [
        FaultyCondition(
            condition: ["$nto": ["a": 1]], path: ["$nto"], found: "the unknown operator '$nto'",
            expected: "one of $or, $nor, $and, $not", fix: "did you mean '$not'?"),
        FaultyCondition(
            condition: ["$xor": [["a": 1]]], path: ["$xor"], found: "the unknown operator '$xor'",
            expected: "one of $or, $nor, $and, $not", fix: "did you mean '$or'?"),
        FaultyCondition(
            condition: ["$gt": 5], path: ["$gt"], found: "the operator '$gt' where a property stands",
            expected: "a property, $or, $nor, $and or $not",
            fix: "write it below the property it is about, as { age: { $gt: … } }"),
        FaultyCondition(
            condition: ["$gte": ["$eq": 5]], path: ["$gte"], found: "the operator '$gte' where a property stands",
            expected: "a property, $or, $nor, $and or $not",
            fix: "write it below the property it is about, as { age: { $gte: … } }"),
        FaultyCondition(
            condition: ["a": ["$or": [1, 2]]], path: ["a", "$or"], found: "the operator '$or' below a property",
            expected: "an operator on a single value",
            fix: "put it beside the properties, as { $or: [ { property: … } ] }"),
        FaultyCondition(
            condition: ["a": ["$gt": 1, "b": 2]], path: ["a"], found: "operators and other keys in one mapping",
            expected: "either operators or the value to be equal to",
            fix: "to compare with the whole mapping, write it below $eq"),
        FaultyCondition(
            condition: ["a": ["b": [["$gt": 1]]]], path: ["a", "b", "0", "$gt"],
            found: "the operator '$gt' inside a value that is compared as a whole", expected: "a plain value",
            fix: "name an inner property by its dotted path, as 'address.city', or compare literally with $eq"),
    ])
    func `an operator in a wrong place is an error`(_ example: FaultyCondition) {
        check(example)
    }

    @Test func `an unknown operator is an error with the nearest one`() throws {
        let error = try #require(throws: ConditionError.self) { try Condition(["name": ["$regx": "x"]]) }
        let problem = try #require(error.problems.first)
        #expect(problem.path == ["name", "$regx"])
        #expect(problem.found == "the unknown operator '$regx'")
        #expect(problem.expected.hasPrefix("one of $eq, $ne, $gt, "))
        #expect(problem.fix == "did you mean '$regex'?")
    }

    @Test func `all errors are reported at once, in their order`() throws {
        let error = try #require(throws: ConditionError.self) {
            try Condition([
                "a": ["$in": 1, "$foo": 2, "$not": ["$regex": "("]],
                "$or": [["b": ["$elemMatch": ["c": ["$size": .null]]]], 1],
            ])
        }
        #expect(
            error.problems.map { $0.path.joined(separator: " ") } == [
                "a $in", "a $foo", "a $not $regex", "$or 0 b $elemMatch c $size", "$or 1",
            ])
    }

    private func check(_ example: FaultyCondition, sourceLocation: SourceLocation = #_sourceLocation) {
        let wanted = ConfigurationProblem(
            path: example.path, found: example.found, expected: example.expected, fix: example.fix)
        do throws(ConditionError) {
            _ = try Condition(example.condition)
            Issue.record("\(example.condition.json) was accepted", sourceLocation: sourceLocation)
        } catch {
            #expect(error.problems == [wanted], sourceLocation: sourceLocation)
        }
    }
}
