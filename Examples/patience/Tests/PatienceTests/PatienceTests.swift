import BelfryTesting
import Testing

@testable import Patience

@Test func `after one that was not opened there is no other`() throws {
    let test = try StrategyTest(Patience.self, parameters: ["limit": 1], at: "2026-03-02T09:00:00Z")
    #expect(try test.request() == .created)
    #expect(try test.request().message == "the last 1 were not opened")
    try test.saveAndLoad()
    try test.open()
    #expect(try test.request() == .created)
    #expect(test.stateLines == ["patience.unopened = 1"])
}
