import BelfryTesting
import Testing

@testable import Patience

@Suite struct PatienceTests {
    /// The Swift type, and the file that is shipped.
    static let both: [StrategySource] = [.type(Patience.self), .plugin("libPatience.so")]

    @Test(arguments: both) func `after two that were not opened there is no other`(source: StrategySource) throws {
        let test = try StrategyTest(source, parameters: ["limit": 2])
        try test.follow(
            """
            09:00  request        -> created
            09:10  request        -> created
            09:20  save and load
                   request        -> denied (patience): the last 2 were not opened
            10:00  open sale/1
                   request        -> created
            """)
        #expect(test.stateLines == ["patience.unopened = 1"])
    }

    @Test func `one that others refuse does not count`() throws {
        try StrategyTest(Patience.self, parameters: ["limit": 1]).follow([
            .next.others(deny: true), .at("09:00").request().denied("others"),
            .next.others(deny: false), .at("+10m").request().created(),
            .at("+10m").request().denied("patience", until: "never"),
        ])
    }

    @Test func `after one that was not opened there is no other`() throws {
        let test = try StrategyTest(Patience.self, parameters: ["limit": 1], at: "2026-03-02T09:00:00Z")
        #expect(try test.request() == .created)
        #expect(try test.at("09:10").request().message == "the last 1 were not opened")
        try test.saveAndLoad()
        try test.open()
        #expect(try test.request() == .created)
        #expect(test.stateLines == ["patience.unopened = 1"])
    }

    @Test(arguments: both) func `it survives anything`(source: StrategySource) throws {
        try StrategyTest(source, parameters: ["limit": 3]).checkProperties()
    }
}
