import BelfryPlugin
import BelfryTesting
import Testing

/// Defers by a little, for ever.
private struct Postponing: Strategy {
    static let name = "postponing"
    static let summary = "Defers by a little, for ever."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        .defer("soon", until: context.now + .milliseconds(1))
    }
}

@Suite struct EndlessDeferralTests {
    @Test func `a candidate is not deferred for ever`() throws {
        let test = try StrategyTest(Postponing.self)
        try test.follow(
            """
            09:00  request  -> deferred
            10:00  wait
            """)
        let types = test.decisions.map(\.type)
        #expect(types.count { $0 == "notification.deferred" } == 10_000)
        #expect(types.suffix(2) == ["strategy.faulted", "notification.suppressed"])
    }
}
