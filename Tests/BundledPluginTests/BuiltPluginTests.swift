import BelfryModel
import BelfryTesting
import Testing

/// What authors load their own plugins with.
@Suite struct BuiltPluginTests {
    @Test func `a strategy is tested in the file that was built`() throws {
        let source = StrategySource.plugin("libBelfryCooldown.so")
        try StrategyTest(source, parameters: ["period": "1h"]).follow(
            """
            09:00  request  -> created
            09:59  request  -> denied (cooldown) until 10:00
            """)
        #expect("\(source)" == "libBelfryCooldown.so")
    }

    @Test func `a filter, and actions`() throws {
        let plugin = try BuiltPlugin("libBelfryPersonalize.so")
        let test = try FilterTest(table: plugin.filter("personalize"), parameters: ["message": "{message}!"])
        #expect(try test.request(message: "Hello").message == "Hello!")
        #expect(ActionTest(tables: try BuiltPlugin("libBelfryActions.so").actions).types.contains("dial"))
    }

    struct Bundled: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var parameters: Value?
    }

    /// Those that remember something, or ask for the time.
    static let strategies = [
        Bundled(testDescription: "Cooldown", parameters: ["period": "1h"]),
        Bundled(testDescription: "MaxPerPeriod", parameters: ["max": 2, "calendar": "day"]),
        Bundled(testDescription: "Occurrences", parameters: ["count": 3, "within": "1d"]),
        Bundled(testDescription: "BackgroundDelay", parameters: ["period": "10m"]),
        Bundled(testDescription: "Schedule", parameters: ["periods": [["hours": ["08:00-22:00"]]]]),
        Bundled(testDescription: "RegionChange"), Bundled(testDescription: "Once"),
        Bundled(testDescription: "Digest", parameters: ["window": "10m"]),
    ]

    @Test(arguments: strategies) func `a bundled strategy survives anything`(plugin: Bundled) throws {
        let source = StrategySource.plugin("libBelfry\(plugin.testDescription).so")
        try StrategyTest(source, parameters: plugin.parameters).checkProperties(seeds: 1...3, steps: 150)
    }

    private func failure(_ body: () throws -> Void) -> String {
        #expect(throws: BuiltPlugin.Failure.self, performing: body)?.description ?? ""
    }

    @Test func `a file that is not there, and a strategy that it does not have`() {
        #expect(failure { _ = try BuiltPlugin("libNone.so") }.contains("libNone.so'\n  why: "))
        let other = failure { _ = try StrategyTest(.plugin("libBelfryCooldown.so", strategy: "warmup")) }
        #expect(
            other.contains(
                "has no strategy 'warmup'\n  why: it offers 'cooldown'\n  fix: name one of these: .plugin(\"libBelfryCooldown.so\", strategy: \"cooldown\")"
            ))
        let filter = failure { _ = try BuiltPlugin("libBelfryPersonalize.so").filter("impersonalize") }
        #expect(filter.hasSuffix("fix: name one of these: .filter(\"personalize\")"))
        #expect(
            failure { _ = try BuiltPlugin("libBelfryCooldown.so").filter() }.contains(
                "has no single filter\n  why: it offers none\n  fix: name a plugin that has one"))
    }
}
