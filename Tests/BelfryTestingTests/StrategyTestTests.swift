import BelfryPlugin
import BelfryTesting
import Testing

/// Allows so many, and remembers what it was told.
private struct Counting: RegionMonitoring {
    struct Parameters: ParameterList {
        var max = 0
        static var parameters: [Parameter<Self>] { [.required("max", \.max, "how many", range: .atLeast(0))] }
    }

    struct State: SelfSavingState {
        var count: Int64 = 0
        var events: [Int64] = []
        var regions: [String] = []
        mutating func load(from reader: StateReader) {
            count = reader.integer("count") ?? 0
            events = reader.integers("events") ?? []
            regions = reader.text("regions")?.split(separator: " ").map(String.init) ?? []
        }
        func save(to writer: StateWriter) {
            writer.set("count", count)
            writer.set("events", events)
            if !regions.isEmpty { writer.set("regions", regions.joined(separator: " ")) }
        }
    }

    static let name = "counting"
    static let summary = "Allows so many."
    let max: Int

    init(_ parameters: Parameters, host: Host) { max = parameters.max }

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        state.count < max ? .allow : .deny("\(max) is enough", code: "enough", until: context.now + .hours(1))
    }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.count += 1 }
    }
    func shouldDelete(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        state.count > 1 ? .deny("two are there") : .abstain
    }
    func onBackground(state: inout State, context: Context) { state.events.append(1) }
    func onForeground(state: inout State, context: Context) { state.events.append(2) }
    func updateParameters(state: inout State, context: Context) { state.events.append(3) }
    func onOpened(_ candidate: Candidate, state: inout State, context: Context) { state.events.append(4) }
    func onStartMonitoring(region: String, state: inout State, context: Context) { state.regions += [region] }
}

/// Defers to the next full hour.
private struct Hourly: Strategy {
    static let name = "hourly"
    static let summary = "Defers to the next full hour."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        let late = context.now.milliseconds % 3_600_000
        return late == 0 ? .allow : .defer("not a full hour", until: context.now + .milliseconds(3_600_000 - late))
    }
}

/// Forgets that a check only looks.
private struct Careless: Strategy {
    // Unsafe: a test calls from one thread.
    final class Notes: Sendable { nonisolated(unsafe) var count: Int64 = 0 }

    struct State: SelfSavingState {
        let notes = Notes()
        mutating func load(from reader: StateReader) { notes.count = reader.integer("count") ?? 0 }
        func save(to writer: StateWriter) { writer.set("count", notes.count) }
    }

    static let name = "careless"
    static let summary = "Counts in a check."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        state.notes.count += 1
        return .allow
    }
}

/// Answers yes and no in turns, from outside its state.
private struct Moody: Strategy {
    // Unsafe: a test calls from one thread.
    final class Mood: Sendable { nonisolated(unsafe) var isGood = false }

    static let name = "moody"
    static let summary = "Answers yes and no in turns."
    private let mood = Mood()
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        mood.isGood.toggle()
        return mood.isGood ? .allow : .deny("not today")
    }
}

/// Counts what it is told.
private struct Told<Outcomes: OutcomesOfTest>: Strategy {
    struct State: StrategyState {
        var created = 0
        var refused = 0
        static var fields: [StateField<Self>] {
            [StateField("created", \.created, "created"), StateField("refused", \.refused, "refused")]
        }
    }

    static var name: String { "told" }
    static var summary: String { "Counts what it is told." }
    static var outcomes: ToldOutcomes { Outcomes.outcomes }
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        state.created == 0 ? .allow : .deny("one is enough")
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.created += 1 } else { state.refused += 1 }
    }
}

private protocol OutcomesOfTest { static var outcomes: ToldOutcomes { get } }
private enum All: OutcomesOfTest { static let outcomes = ToldOutcomes.all }
private enum Happened: OutcomesOfTest { static let outcomes = ToldOutcomes.happened }
private enum Nothing: OutcomesOfTest { static let outcomes = ToldOutcomes.none }

private struct Failing: Strategy {
    static let name = "failing"
    static let summary = "Fails."
    init(_ parameters: NoParameters, host: Host) {}
    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict { .fault("it is broken") }
}

@Suite struct StrategyTestTests {
    /// The sample of the documentation, in the words of a strategy that is here.
    @Test func `the clock moves by hand only`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 1], at: "2026-03-02T09:00:00Z")
        #expect(try test.request() == .created)
        try test.advance(by: .minutes(59))
        #expect(try test.request().until?.description == "2026-03-02T10:59:00Z")
        try test.saveAndLoad()
        #expect(try test.request().description == "denied (enough) until 2026-03-02T10:59:00Z: 1 is enough")
        #expect(test.now.description == "2026-03-02T09:59:00Z")
    }

    @Test func `what is remembered survives saving and loading`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 9])
        try test.request()
        let before = test.stateLines
        try test.saveAndLoad()
        #expect(test.stateLines == before)
        #expect(before == ["counting.count = 1", "counting.events = []", "counting.regions = store"])
        #expect(test.state()["count"] == 1)
    }

    @Test func `a strategy is told of the outcomes that it makes something of`() throws {
        #expect(try told(Told<All>.self) == [1, 1])
        #expect(try told(Told<Happened>.self) == [1, 0])
        #expect(try told(Told<Nothing>.self) == [0, 0])
    }

    /// What a strategy has counted after two requests, of which it wants to refuse the second.
    private func told(_ strategy: any Strategy.Type) throws -> [Int64] {
        let test = try StrategyTest(strategy)
        for _ in 1...2 { try test.request() }
        return ["created", "refused"].map { if case .integer(let count) = test.state()[$0] { count } else { 0 } }
    }

    @Test func `deletions are asked about one by one`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 9])
        #expect(try test.delete() == [])
        try test.request()
        try test.request()
        #expect(
            try test.delete().map(\.description) == [
                "kept (counting): two are there", "kept (counting): two are there",
            ])
        #expect(test.verdict == .deny("two are there"))
    }

    @Test func `the app's moves and openings are told`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 9])
        try test.background()
        try test.foreground()
        try test.request()
        try test.open()
        try test.open("sale/1")
        #expect(test.state()["events"] == [1, 2, 4, 4])
    }

    @Test func `the watched regions are told with the first signal`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 9], regions: ["store", "park"])
        #expect(test.state()["regions"] == nil)
        try test.foreground()
        try test.background()
        #expect(test.state()["regions"] == "store park")
    }

    @Test func `changed parameters are told, and hold from then on`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 1])
        try test.request()
        #expect(try !test.request().isCreated)
        try test.change(parameters: ["max": 2])
        #expect(try test.request() == .created)
        #expect(test.state()["events"] == [3])
    }

    @Test func `a deferred one is asked about again when it is due`() throws {
        let test = try StrategyTest(Hourly.self, at: "2026-03-02T09:10:00Z")
        #expect(
            try test.request().description == "deferred (hourly) until 2026-03-02T10:00:00Z: not a full hour")
        #expect(try test.move(to: "2026-03-02T09:59:59.999Z") == [])
        try test.saveAndLoad()
        #expect(try test.advance(by: .hours(1)) == [.created])
        #expect(test.decisions.map(\.time.description) == ["2026-03-02T09:10:00Z", "2026-03-02T10:00:00Z"])
    }

    @Test func `what the others deny does not happen`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 9])
        try test.request()
        test.othersDeny = true
        #expect(try test.request().description == "denied (others): the others are against it")
        #expect(test.verdict == .allow)
        #expect(try test.delete().map(\.description) == ["kept (others): the others are against it"])
        #expect(test.state()["count"] == 1)
        test.othersDeny = false
        #expect(try test.delete() == [.deleted])
    }

    @Test func `a fault is no denial`() throws {
        let test = try StrategyTest(Failing.self)
        #expect(try test.request() == .faulted("it is broken"))
    }

    @Test func `a region is entered and left by name`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 9], per: "region", regions: ["store", "park"])
        #expect(try test.request() == .notAsked, "a request has no region")
        #expect(try test.enter("park") == [.created])
        #expect(try test.enter("park") == [], "it is inside")
        #expect(try test.exit("park") == [.deleted])
        #expect(test.stateLines == ["counting[park].count = 1", "counting[park].events = []"])
    }

    @Test func `a custom event triggers what was configured`() throws {
        let test = try StrategyTest(Counting.self, parameters: ["max": 1]) {
            $0.campaigns[0].triggers.append(.init(id: "bought", on: .signal("order.placed")))
        }
        #expect(try test.send("order.placed") == [.created])
        #expect(try test.send("order.cancelled") == [])
    }
}

@Suite struct StrategyTestFailureTests {
    private func failure(_ body: () throws -> Void) -> String {
        #expect(throws: StrategyTest.Failure.self, performing: body)?.description ?? ""
    }

    @Test func `a check that changes the state is reported`() throws {
        let test = try StrategyTest(Careless.self)
        #expect(
            failure { try test.request() } == """
                strategy 'careless' has a check that is not pure
                  why: shouldCreate changed the state from count = 0 to count = 2
                  fix: decide from parameters, state and context alone, and change the state in didCreate and didDelete only
                """)
    }

    @Test func `a check that answers differently is reported`() throws {
        let test = try StrategyTest(Moody.self)
        #expect(
            failure { try test.request() }.contains(
                "shouldCreate answered 'allow', and asked again 'deny (): not today'"))
    }

    @Test func `wrong parameters are reported, all at once`() {
        #expect(
            failure { _ = try StrategyTest(Counting.self, parameters: ["max": -1, "mx": 1]) } == """
                strategy 'counting' cannot be configured like this
                  why: parameters.max: found -1, expected a whole number, at least 0
                  why: parameters.mx: found the unknown parameter 'mx', expected one of max; did you mean 'max'?
                """)
    }

    @Test func `what the test names must be there`() throws {
        let test = try StrategyTest(Hourly.self, campaigns: ["sale"])
        #expect(
            failure { try test.request("sales") } == """
                this test cannot send that: the configuration has no campaign 'sales'; did you mean 'sale'?
                  fix: declare it in 'campaigns', 'regions' or 'configure' of the test
                """)
        #expect(failure { try test.open() }.contains("no notification was created yet"))
        #expect(
            failure { try test.move(to: "9 o'clock") }
                == "'9 o'clock' is no time\n  fix: write it as 2026-03-02T09:00:00Z, 09:00 or +30m")
        #expect(failure { _ = try StrategyTest(Hourly.self, per: "moon") }.hasPrefix("'moon' is nothing to count by"))
        #expect(failure { _ = try StrategyTest(Hourly.self, timeZone: "Mars/Olympus") }.contains("Mars/Olympus"))
    }
}

/// Remembers when the last one was: in version 1 as a whole number of seconds, since version 2 as an instant.
private struct Migrated: Strategy {
    struct State: SelfSavingState {
        static let version = 2
        var last: Instant?
        mutating func load(from reader: StateReader) { last = reader.instant("last") }
        func save(to writer: StateWriter) { writer.set("last", last) }
        mutating func load(from reader: StateReader, version: Int, now: Instant) throws(StrategyError) {
            guard version == 1 else { throw StrategyError("there was no version \(version)") }
            last = reader.integer("last").map { Instant(milliseconds: $0 * 1_000) }
        }
    }

    static let name = "migrated"
    static let summary = "Leaves an hour after each."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        guard let end = state.last.map({ $0 + .hours(1) }), context.now < end else { return .allow }
        return .deny("too early", until: end)
    }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        if created { state.last = context.now }
    }
}

/// The same of fields that are declared: `last` keeps its value under every version that has it, `count` is new.
private struct Declared: Strategy {
    struct State: StrategyState {
        var last: Instant?
        var count = 5

        static var fields: [StateField<Self>] {
            [StateField("last", \.last, "the last one"), StateField("count", \.count, "how many more there may be")]
        }
    }

    static let name = "declared"
    static let summary = "Leaves an hour after each."
    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        guard let end = state.last.map({ $0 + .hours(1) }), context.now < end else { return .allow }
        return .deny("too early", until: end)
    }
    func didCreate(
        _ candidate: Candidate, created: Bool, state: inout State, context: Context
    ) throws(StrategyError) {
        guard created else { return }
        state.last = context.now
        state.count -= 1
        if state.count == 3 { throw StrategyError("three are unlucky") }
    }
}

@Suite struct DeclaredStateTests {
    @Test func `fields of the same name and type are taken over, others begin anew`() throws {
        let test = try StrategyTest(Declared.self, at: "2026-03-02T09:00:00Z")
        let last = Instant(rfc3339: "2026-03-02T08:30:00Z")!
        try test.begin(with: ["last": .instant(last), "count": .text("many"), "other": .bool(true)])
        try test.follow(
            """
            09:00  request      -> denied (declared) until 09:30
            09:30  request      -> created
            """)
        #expect(test.stateLines == ["declared.last = 2026-03-02T09:30:00Z", "declared.count = 4"])
    }

    @Test func `a hook that fails leaves no trace, and is reported`() throws {
        let test = try StrategyTest(Declared.self, at: "2026-03-02T09:00:00Z")
        try test.request()
        #expect(test.faults.isEmpty)
        try test.advance(by: .hours(1))
        #expect(try test.request() == .created)
        #expect(test.faults.map(\.message) == ["three are unlucky"] && test.faults.map(\.hook) == ["did_create"])
        #expect(test.stateLines == ["declared.last = 2026-03-02T09:00:00Z", "declared.count = 4"])
    }

    @Test func `a hook that changes the state without saying so is reported`() throws {
        var table = strategyTable(Declared.self).pointee
        table.did_create = { _, state, _, _, _, _ in
            state?.storeBytes(of: 7, toByteOffset: 16, as: Int64.self)
            return BELFRY_TOLD_UNCHANGED
        }
        let place = UnsafeMutablePointer<belfry_strategy>.allocate(capacity: 1)  // for ever, as a plugin's tables are
        place.initialize(to: table)
        let test = try StrategyTest(table: place)
        let failure = #expect(throws: StrategyTest.Failure.self) { try test.request() }
        #expect(failure?.code == .untruthful)
        #expect(failure?.description.contains("didCreate said that it changed nothing, and the state was") == true)
    }
}

@Suite struct MigrationTests {
    @Test func `a test begins with what an earlier version saved, for each subject`() throws {
        let test = try StrategyTest(Migrated.self, at: "2026-03-02T09:00:00Z")
        try test.begin(with: ["last": .integer(1_772_440_200)], version: 1)
        test.savesAfterEveryStep = true
        try test.follow(
            """
            09:00  request      -> denied (migrated) until 09:30
            09:30  request      -> created
            09:31  request      -> denied until 10:30
                   subject ben
                   request      -> created
            """)
        #expect(test.stateLines == ["migrated.last = 2026-03-02T09:31:00Z"])
    }

    @Test func `a state that saves itself does not begin without a version`() throws {
        let test = try StrategyTest(Migrated.self)
        let failure = #expect(throws: StrategyTest.Failure.self) { try test.begin(with: [:]) }
        #expect(
            failure?.description == """
                this test does not say which version stored that
                  why: the state of strategy 'migrated' saves itself, and is read by its version
                  fix: begin(with: …, version: 1)
                """)
    }

    @Test func `what cannot be migrated is told`() throws {
        let test = try StrategyTest(Migrated.self)
        try test.begin(with: [:], version: 0)
        let failure = #expect(throws: StrategyTest.Failure.self) { try test.request() }
        #expect(
            failure?.description == """
                strategy 'migrated' cannot load what its earlier version saved
                  why: there was no version 0
                  fix: read that version in load(from:version:now:)
                """)
    }
}
