import BelfryPlugin
import BelfryTesting
import Testing

/// Counts what was created, up to a limit, and saves as much of it as it is told.
private protocol Saving: Sendable {
    static var savesOpened: Bool { get }
}

private enum All: Saving { static let savesOpened = true }
private enum Half: Saving { static let savesOpened = false }

private struct Counted<Kept: Saving>: Strategy {
    struct State: SelfSavingState {
        var created: Int64 = 0
        var opened: Int64 = 0
        mutating func load(from reader: StateReader) {
            created = reader.integer("created") ?? 0
            opened = reader.integer("opened") ?? 0
        }
        func save(to writer: StateWriter) {
            writer.set("created", created)
            if Kept.savesOpened { writer.set("opened", opened) }
        }
    }

    static var name: String { "counted" }
    static var summary: String { "Allows two more than were opened." }
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        state.created < state.opened + 2 ? .allow : .deny("open one first")
    }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.created += 1 }
    }
    func onOpened(_ candidate: Candidate, state: inout State, context: Context) { state.opened += 1 }
}

/// Answers otherwise each time from the third on.
private struct Whim: Strategy {
    // Unsafe: a test calls from one thread.
    final class Mood: Sendable { nonisolated(unsafe) var asked = 0 }

    static let name = "whim"
    static let summary = "Is not pure."
    private let mood = Mood()
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        mood.asked += 1
        return mood.asked > 3 && mood.asked % 2 == 0 ? .deny("no") : .allow
    }
}

/// Leaves an hour after each, and is wrong about when that ends by what it is told.
private struct Approximate: Strategy {
    struct Parameters: ParameterList {
        var off = Duration.zero
        static var parameters: [Parameter<Self>] { [.optional("off", \.off, "by how much it is early")] }
    }

    struct State: StrategyState {
        var last: Instant?
        static var fields: [StateField<Self>] { [StateField("last", \.last, "the last one")] }
    }

    static let name = "approximate"
    static let summary = "Leaves an hour after each."
    private let off: Duration
    init(_ parameters: Parameters, host: Host) { off = parameters.off }

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        guard let end = state.last.map({ $0 + .hours(1) }), context.now < end else { return .allow }
        return .deny("too early", until: max(context.now + .milliseconds(1), end - off))
    }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.last = context.now }
    }
}

@Suite struct PropertyTests {
    @Test func `an until that is a millisecond early is found`() throws {
        try StrategyTest(Approximate.self).checkProperties()
        let failure = #expect(throws: StrategyTest.Failure.self) {
            try StrategyTest(Approximate.self, parameters: ["off": "1ms"]).checkProperties()
        }
        #expect(failure?.code == .inexact)
        #expect(failure?.description.contains("gives an 'until' that is not exact") == true)
    }

    @Test(arguments: 1...20) func `a random timeline can be followed, whatever was created`(seed: UInt64) throws {
        try StrategyTest(Approximate.self).follow(Timeline(seed: seed))
    }

    @Test func `a strategy that keeps the rules passes, and the test stays as it is`() throws {
        let test = try StrategyTest(Counted<All>.self)
        try test.checkProperties()
        #expect(test.decisions.isEmpty && test.stateLines.isEmpty)
    }

    @Test func `what is not saved is found, with the shortest timeline that shows it`() throws {
        let test = try StrategyTest(Counted<Half>.self)
        let failure = #expect(throws: StrategyTest.Failure.self) { try test.checkProperties(steps: 100) }
        #expect(failure?.code == .forgetful)
        let text = failure?.description ?? ""
        #expect(
            text.hasPrefix(
                """
                strategy 'counted' does not survive saving and loading
                  why: after onOpened shouldCreate answers 'deny (): open one first' then, and without 'allow'
                  fix: declare every part of the state as a field; or write it in save, and read it in load
                  where: at the end of this timeline, from seed 1

                """), "\(text)")
        let steps = text.split(separator: "\n").drop { !$0.contains("where:") }.dropFirst()
        #expect(steps.count == 3, "two are created, and one is opened: \(steps)")
        // Pasted into a test of its own, it says the same.
        let pasted = Timeline(stringLiteral: steps.joined(separator: "\n"))
        #expect(throws: StrategyTest.Failure.self) { try test.follow(pasted) }
    }

    @Test func `a check that is not pure is found`() throws {
        let failure = #expect(throws: StrategyTest.Failure.self) {
            try StrategyTest(Whim.self).checkProperties()
        }
        #expect(failure?.code == .impure)
        #expect(failure?.description.contains("from seed 1") == true, "\(failure?.description ?? "")")
    }

    @Test func `the same seed gives the same timeline, another another, and times go back`() {
        #expect(Timeline(seed: 7) == Timeline(seed: 7))
        #expect(Timeline(seed: 7) != Timeline(seed: 8))
        let text = Timeline(seed: 7, steps: 500).description
        #expect(text.contains("\n-"))
        #expect(Timeline(stringLiteral: text) == Timeline(seed: 7, steps: 500), "it can be pasted as text")
    }
}
