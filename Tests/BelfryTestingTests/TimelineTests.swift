import BelfryPlugin
import BelfryTesting
import Foundation
import Testing

/// Leaves an hour after each, and denies deletion within it.
private struct Hour: Strategy {
    struct Parameters: ParameterList {
        var length = Duration.hours(1)
        static var parameters: [Parameter<Self>] { [.optional("length", \.length, "how long")] }
    }

    struct State: StrategyState {
        var at: Instant?
        static var fields: [StateField<Self>] { [StateField("at", \.at, "the last one")] }
    }

    static let name = "hour"
    static let summary = "Leaves an hour after each."
    private let length: Duration
    init(_ parameters: Parameters, host: BelfryPlugin.Host) { length = parameters.length }

    private func verdict(_ state: State, _ context: Context) -> Verdict {
        guard let end = state.at.map({ $0 + length }), context.now < end else { return .allow }
        return .deny("too early, wait", code: "early", until: end)
    }

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict { verdict(state, context) }
    func shouldDelete(_ candidate: Candidate, state: State, context: Context) -> Verdict { verdict(state, context) }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.at = context.now }
    }
}

/// Defers to the next full hour of the subject's tier.
private struct Later: Strategy {
    static let name = "later"
    static let summary = "Defers to the next full hour, except for gold."
    init(_ parameters: NoParameters, host: BelfryPlugin.Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        let late = context.now.milliseconds % 3_600_000
        if late == 0 || context.attribute("tier") == "gold" { return .allow }
        return .defer("not a full hour", until: context.now + .milliseconds(3_600_000 - late))
    }
}

@Suite struct TimelineTests {
    @Test func `a timeline is gone through as text`() throws {
        let test = try StrategyTest(Hour.self, campaigns: ["promo", "news"])
        try test.follow(
            """
            # an hour for everything
            09:00                 request promo          -> created
            09:30                 save and load
            09:59:59.999          request news tier=gold -> denied (early) until 10:00: too early, wait
                                  delete promo           -> kept (early) until 2026-03-02T10:00:00Z
            +1ms                  delete promo           -> deleted
                                  parameters length=2h
                                  request                -> denied until 11:00
            2026-03-03T00:00:00Z  request                -> created
            00:30                 subject ben
                                  request                -> created
                                  subject ana
                                  request                -> denied until 02:00
                                  reset
                                  request                -> created
            """)
    }

    @Test func `code says the same as text`() throws {
        let code: Timeline = [
            .at("09:00").request("promo").created(),
            .at("09:59").request("promo", data: ["tier": "gold"]).denied("early", until: "10:00"),
            .next.saveAndLoad(),
            .next.delete().kept("early", until: "never", message: "no"),
            .at("+1m").request().nothing(),
            .next.user(["name": "Ana B", "age": 7]), .next.zone("Asia/Tokyo"), .next.others(deny: true),
        ]
        let text: Timeline = """
            09:00  request promo  -> created
            09:59  request promo tier=gold -> denied (early) until 10:00
            save and load
            delete -> kept (early) until never: no
            +1m request -> nothing
            user name="Ana B" age=7
            zone Asia/Tokyo
            others deny
            """
        #expect(code == text)
        #expect(Timeline(stringLiteral: code.description) == code, "what it prints can be read")
    }

    @Test func `what was deferred comes when time moves on`() throws {
        try StrategyTest(Later.self).follow(
            """
            09:10  request             -> deferred (later) until 10:00
            09:20  user tier=gold
                   request             -> created
            09:30  user tier=none
            10:30  wait                -> created
                   request             -> deferred until 11:00
            11:00  request             -> created, created
            """)
    }

    @Test func `a step can be written without a timeline`() throws {
        let test = try StrategyTest(Hour.self)
        #expect(try test.at("10:00").request() == .created)
        #expect(try test.at("+59m").request().until == Instant(rfc3339: "2026-03-02T11:00:00Z"))
    }

    @Test func `a time of day is on the day where the clock stands, before 1970 too`() throws {
        let test = try StrategyTest(Hour.self, at: "1969-12-30T23:00:00Z")
        #expect(try test.at("01:30").now.description == "1969-12-30T01:30:00Z")
    }

    private func failure(_ test: StrategyTest, _ timeline: Timeline) -> String {
        #expect(throws: StrategyTest.Failure.self) { try test.follow(timeline) }?.description ?? ""
    }

    @Test func `a difference shows the timeline, what was expected and what is remembered`() throws {
        let found = failure(
            try StrategyTest(Hour.self),
            """
            09:00  request    -> created
            09:30  save and load
            09:59  request    -> denied until 10:30
            10:00  request    -> created
            """)
        #expect(
            found == """
                strategy 'hour' does something else than the timeline says
                    09:00  request        -> created
                    09:30  save and load
                  > 09:59  request        -> denied (early) until 2026-03-02T10:00:00Z: too early, wait
                                expected  -> denied until 10:30
                    10:00  request
                  it remembers:
                    hour.at = 2026-03-02T09:00:00Z
                """)
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/test-a-strategy.md")
        #expect(
            try String(contentsOf: page, encoding: .utf8).contains("```text\n\(found)\n```"),
            "it is what the guide shows")
    }

    @Test(arguments: [
        "09:00 request -> denied", "09:00 request -> created, created", "09:00 request -> nothing",
        "09:00 request -> created\n request -> denied (late)", "09:00 request -> created\n request -> denied: too late",
        "09:00 request -> created\n request -> denied until never", "09:00 request -> created\n request -> created",
    ])
    func `whatever is said is compared`(timeline: String) throws {
        #expect(failure(try StrategyTest(Hour.self), Timeline(stringLiteral: timeline)).contains("\n  > "))
    }

    @Test func `a step that cannot happen is shown in its timeline`() throws {
        #expect(
            failure(try StrategyTest(Hour.self), "09:00 request sale -> created\n09:30 request sales") == """
                this test cannot send that: the configuration has no campaign 'sales'; did you mean 'sale'?
                  fix: declare it in 'campaigns', 'regions' or 'configure' of the test
                  where:
                      09:00  request sale   -> created
                    > 09:30  request sales
                """)
    }

    @Test(arguments: [
        ("09:00 requset", "'requset' is neither a time nor anything that can happen; did you mean 'request'?"),
        ("09:00 zone", "'zone' is not how 'zone' is written"),
        ("25:00 request", "'25:00' is no time; write it as 2026-03-02T09:00:00Z, 09:00 or +30m"),
        ("9:00 request", "'9:00' is no time; write it as 2026-03-02T09:00:00Z, 09:00 or +30m"),
        ("09:00 request -> perhaps", "'perhaps' is nothing that can come of a step"),
        (
            "09:00 request -> denied until noon",
            "'noon' is no time; write it as 2026-03-02T09:00:00Z, 09:00 or +30m, or never"
        ),
        (
            "09:00 request -> denied until 9:30: not yet",
            "'9:30' is no time; write it as 2026-03-02T09:00:00Z, 09:00 or +30m, or never"
        ),
        ("09:00 request -> perhaps: shut until dawn", "'perhaps: shut until dawn' is nothing that can come of a step"),
        ("09:00 delete sale tier=gold", "'delete sale tier=gold' is not how 'delete' is written"),
    ])
    func `a line that cannot be read is told`(line: String, why: String) throws {
        let found = failure(try StrategyTest(Hour.self), Timeline(stringLiteral: line))
        #expect(found.hasPrefix("the timeline has a line that cannot be read: \(line)\n  why: \(why)"), "\(found)")
    }
}
