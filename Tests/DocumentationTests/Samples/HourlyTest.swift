import BelfryTesting
import Testing

@Test func `what version 1 stored still counts`() throws {
    let test = try StrategyTest(Hourly.self, at: "2026-03-02T09:00:00Z")
    try test.begin(with: ["last": .integer(1_772_440_200)])
    try test.follow("09:00 request -> denied (hourly) until 09:30")
    #expect(test.stateLines == ["hourly.last = 1772440200"])
}
