import Testing

@testable import BelfryModel

/// GrowthBook's own public cases (`cases.json` of its SDKs).
@Suite struct GrowthBookHashTests {
    @Test(arguments: [
        ("", "a", 0.22), ("", "b", 0.077), ("b", "a", 0.946), ("ef", "d", 0.652),
        ("asdf", "8952klfjas09ujk", 0.549), ("", "123", 0.011), ("", #"___)((*":&"#, 0.563),
    ])
    func `version 1`(seed: String, value: String, place: Double) {
        #expect(GrowthBookHash.placeV1(seed: seed.utf8, value: value.utf8) == place)
    }

    @Test(arguments: [
        ("seed", "a", 0.0505), ("seed", "b", 0.2696), ("foo", "ab", 0.2575), ("foo", "def", 0.2019),
        ("89123klj", "8952klfjas09ujkasdf", 0.124), ("90850943850283058242805", "123", 0.7516),
        ("()**(%$##$%#$#", #"___)((*":&"#, 0.0128),
    ])
    func `version 2`(seed: String, value: String, place: Double) {
        #expect(GrowthBookHash.place(seed: seed.utf8, value: value.utf8) == place)
    }

    struct Ranges: Sendable {
        let coverage: Double
        let weights: [Double]
        let expected: [Double]

        static let all: [Ranges] = [
            Ranges(coverage: 1, weights: [1, 1], expected: [0, 0.5, 0.5, 1]),
            Ranges(coverage: 0.5, weights: [1, 1], expected: [0, 0.25, 0.5, 0.75]),
            Ranges(coverage: 0, weights: [1, 1], expected: [0, 0, 0.5, 0.5]),
            Ranges(coverage: 1, weights: [1, 1, 1, 1], expected: [0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1]),
            Ranges(coverage: 1, weights: [0.4, 0.6], expected: [0, 0.4, 0.4, 1]),
            Ranges(coverage: 1, weights: [0.2, 0.3, 0.5], expected: [0, 0.2, 0.2, 0.5, 0.5, 1]),
            Ranges(coverage: 0.2, weights: [0.2, 0.3, 0.5], expected: [0, 0.04, 0.2, 0.26, 0.5, 0.6]),
            Ranges(coverage: 1, weights: [2, 3], expected: [0, 0.4, 0.4, 1]),
        ]
    }

    @Test(arguments: Ranges.all)
    func `bucket ranges`(ranges: Ranges) {
        let found = GrowthBookHash.ranges(weights: ranges.weights, coverage: ranges.coverage)
        let ends = found.flatMap { [$0.start, $0.end] }
        #expect(ends.count == ranges.expected.count)
        #expect(zip(ends, ranges.expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(ends)")
    }

    struct Case: Sendable {
        let user: String
        /// In which namespaces the user is in the first 0.4.
        let isInFirst: Bool
        let isInSecond: Bool
    }

    @Test(arguments: [
        Case(user: "1", isInFirst: false, isInSecond: false), Case(user: "2", isInFirst: false, isInSecond: false),
        Case(user: "3", isInFirst: false, isInSecond: true), Case(user: "4", isInFirst: false, isInSecond: true),
    ])
    func namespaces(user: Case) {
        #expect((GrowthBookHash.place(inNamespace: "namespace1", value: user.user.utf8) < 0.4) == user.isInFirst)
        #expect((GrowthBookHash.place(inNamespace: "namespace2", value: user.user.utf8) < 0.4) == user.isInSecond)
    }
}
