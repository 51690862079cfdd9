import BelfryTesting
import Testing

@testable import MyPlugin

@Suite struct MyPluginTests {
    /// Each test runs on the Swift type, and on the file that is shipped.
    static let both: [StrategySource] = [.type(MyPlugin.self), .plugin("libMyPlugin.so")]

    @Test(arguments: both) func `after a notification there is a pause`(source: StrategySource) throws {
        let test = try StrategyTest(source, parameters: ["pause": "1h"])
        try test.follow(
            """
            09:00  request        -> created
            09:30  save and load
            09:59  request        -> denied (my-plugin) until 10:00
            10:00  request        -> created
            """)
        #expect(test.stateLines == ["my-plugin.createdAt = 2026-03-02T10:00:00Z"])
    }

    @Test func `what others refuse begins no pause`() throws {
        try StrategyTest(MyPlugin.self).follow([
            .next.others(deny: true), .at("09:00").request().denied("others"),
            .next.others(deny: false), .at("09:01").request().created(),
        ])
    }

    @Test(arguments: both) func `it survives anything`(source: StrategySource) throws {
        try StrategyTest(source).checkProperties()
    }
}
