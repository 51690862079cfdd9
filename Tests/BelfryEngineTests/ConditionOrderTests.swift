import BelfryEngine
import BelfryModel
import Testing

/// How `$gt`, `$vgt` and their kin order values.
@Suite struct ConditionOrderTests {
    /// The two are told apart by all four operators, in both directions.
    @Test(
        arguments: [
            (1, 2), (1.5, 2), ("8", 10), (8, "10"), (9_007_199_254_740_992, 9_007_199_254_740_993),
            (" 8 ", 8.5), ("", 1), ("0x0F", 16), (5, "1e1"), ("-Infinity", -5), (false, 1), (0, true),
            ("10", "9"), ("Zebra", "alphabet"), ("zebra", "é"), ("a", "aa"), ("", "a"),
            // By UTF-16 code unit a surrogate pair comes before U+FF5E, by code point after it.
            ("\u{1F514}", "\u{FF5E}"),
            ("2026-03-02T10:00:00+02:00", "2026-03-02T09:00:00Z"),
            ("2026-03-02T09:00:00Z", "2026-03-02T09:00:00.001Z"),
            ("2026-03-02", "2026-03-02T09:00:00Z"),
        ] as [(Value, Value)])
    func `numbers, texts and instants are ordered`(smaller: Value, larger: Value) throws {
        for (operation, whenSmaller, whenLarger) in [
            ("$lt", true, false), ("$lte", true, false), ("$gt", false, true), ("$gte", false, true),
        ] {
            try check(smaller, operation, larger, whenSmaller)
            try check(larger, operation, smaller, whenLarger)
        }
    }

    @Test(
        arguments: [
            (1, 1.0), ("8", 8), (8, " 8"), (true, 1), ("x", "x"), ("2026-03-02T10:00:00+01:00", "2026-03-02T09:00:00Z"),
        ] as [(Value, Value)])
    func `what converts to the same is neither less nor greater`(left: Value, right: Value) throws {
        for (operation, holds) in [("$lt", false), ("$gt", false), ("$lte", true), ("$gte", true)] {
            try check(right, operation, left, holds)
        }
    }

    @Test(
        arguments: [
            ("x", 1), (1, "x"), (.null, 1), ([5], 1), (["x": 1], 1), ([], "x"), (true, "true"), (1, "1_0"), (1, "nan"),
            (5, "2026-03-02T09:00:00Z"),
        ] as [(Value, Value)])
    func `what cannot be compared satisfies no ordering, and every negation of one`(value: Value, bound: Value) throws {
        for operation in ["$lt", "$lte", "$gt", "$gte"] {
            try ConditionCase.unmet(["a": [operation: bound]], by: ["a": value]).check()
            try ConditionCase.met(["a": ["$not": [operation: bound]]], by: ["a": value]).check()
        }
    }

    @Test(
        arguments: [
            ("0.9.99", "1.0.0"), ("9.9.9", "10.0.0"), ("1.2.3-alpha", "1.2.3"), ("1.2.3-rc.2", "1.2.3-rc.10"),
            ("1.2.3-9", "1.2.3-a"), ("v1.2.3", "1.2.4"), ("1.2.3+b9", "v1.2.4+b1"), (9, "10"), (1.5, "1.10"),
            ("1.2.3-RC", "1.2.3-rc"), ("1.2.3", "a"),
        ] as [(Value, Value)])
    func `versions are ordered part by part`(older: Value, newer: Value) throws {
        for (operation, whenOlder, whenNewer) in [
            ("$vlt", true, false), ("$vlte", true, false), ("$veq", false, false), ("$vne", true, true),
            ("$vgt", false, true), ("$vgte", false, true),
        ] {
            try check(older, operation, newer, whenOlder)
            try check(newer, operation, older, whenNewer)
        }
    }

    @Test(
        arguments: [
            ("1.2.3", "v1.2.3"), ("1.2.3+build", "1.2.3+other"), ("1-2-3", "1.2.3"), ("1.2.3.4", "1.2.3-4"), (2, "2"),
            (2.0, "2"), ("", "0"),
        ] as [(Value, Value)])
    func `a leading v, the build and the separators make no other version`(left: Value, right: Value) throws {
        for (operation, holds) in [("$veq", true), ("$vne", false), ("$vgte", true), ("$vlte", true), ("$vlt", false)] {
            try check(right, operation, left, holds)
        }
    }

    @Test(arguments: [true, [1], ["x": 1]] as [Value])
    func `what is neither text nor number is no version`(value: Value) throws {
        try ConditionCase.unmet(["a": ["$vgte": "0"]], by: ["a": value]).check()
        try ConditionCase.unmet(["a": ["$vlt": "9"]], by: ["a": value]).check()
        try ConditionCase.met(["a": ["$vne": "0"]], by: ["a": value]).check()
    }

    private func check(
        _ value: Value, _ operation: String, _ operand: Value, _ holds: Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try ConditionCase(condition: ["a": [operation: operand]], properties: ["a": value], holds: holds)
            .check(sourceLocation: sourceLocation)
    }
}
