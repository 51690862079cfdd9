import BelfryEngine
import BelfryModel
import BelfryPlugin
import Testing

/// What strategies remember, over changes of configuration and plugins.
@Suite struct StoredStateTests {
    @Test func `the state of an entry that was taken out waits for its return`() throws {
        let town = try Town { $0.chain = [.entry("a")] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure { $0.chain = [] }
        town.send(.request("sale"), at: "10:01")
        try town.reconfigure { $0.chain = [.entry("a")] }
        town.send(.request("sale"), at: "10:02")
        #expect(town.told("a") == ["10:00 created sale", "10:02 created sale"])
    }

    @Test func `state stays where its strategy is not loaded at the moment`() throws {
        let town = try Town { $0.chain = [.entry("a")] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure([Echo.self]) { $0.chain = [] }
        town.send(.request("sale"), at: "10:01")
        #expect(town.told("a") == ["10:00 created sale"])
    }

    @Test func `state is never given to another strategy under the same id`() throws {
        let town = try Town(townsfolk(and: Tally.self)) { $0.chain = [.entry("a")] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure(townsfolk(and: Tally.self)) { $0.chain = [.init(strategy: "tally", id: "a")] }
        town.send(.request("sale"), at: "10:01")
        #expect(town.states().map(\.strategy) == ["scripted", "tally"])
        #expect(
            town.states().map { $0.values.map(\.value) } == [[.text("10:00 created sale")], [.integer(1)]])
    }

    @Test func `an older state is loaded as what it is`() throws {
        let town = try Town(townsfolk(and: Tally.self)) { $0.chain = [.init(strategy: "tally")] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure(townsfolk(and: TallyOfTens.self)) { _ in }
        town.send(.request("sale"), at: "10:01")
        #expect(town.states().map(\.version) == [2])
        #expect(town.states().map { $0.values.map(\.value) } == [[.integer(20)]])
    }

    @Test func `a state newer than the plugin is a fault, and stays untouched`() throws {
        let town = try Town(townsfolk(and: TallyOfTens.self)) { $0.chain = [.init(strategy: "tally")] }
        town.send(.enter("store"), at: "10:00")
        let states = town.states()
        try town.reconfigure(townsfolk(and: Tally.self)) { _ in }
        #expect(
            town.send(.request("sale"), at: "10:01") == [
                "faulted tally: its stored state has version 2, newer than the version 1 this plugin knows",
                "suppressed sale: tally/fault",
            ])
        #expect(town.send(.exit("store"), at: "10:02").last == "kept sale/1: tally/fault")
        town.send(.open("sale/1"), at: "10:03")
        town.send(.backgrounded, at: "10:04")
        #expect(town.states() == states)
    }

    @Test func `a state that the plugin cannot load is a fault with its sentence, and stays untouched`() throws {
        let town = try Town(townsfolk(and: Tally.self)) { $0.chain = [.init(strategy: "tally")] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure(townsfolk(and: Forgetful.self)) { _ in }
        #expect(
            town.send(.request("sale"), at: "10:01").first
                == "faulted tally: it cannot load its stored state: nothing before version 3 makes sense")
        #expect(town.states().map { $0.values.map(\.value) } == [[.integer(1)]])
    }

    /// The first value was the one that counted, without a word.
    @Test(arguments: [false, true])
    func `a state that saves a key twice is a fault, and stays as it was saved last`(hasManyKeys: Bool) throws {
        let town = try Town(townsfolk(and: Tally.self)) { $0.chain = [.init(strategy: "tally")] }
        town.send(.request("sale"), at: "10:00")
        let states = town.states()
        let next: any Strategy.Type = hasManyKeys ? Doubled<Many>.self : Doubled<None>.self
        try town.reconfigure(townsfolk(and: next)) { _ in }
        #expect(
            town.send(.request("sale"), at: "10:01") == [
                "created sale/2", "faulted tally: it saved 'count' twice; a state has each key once, so write it once",
            ])
        if case .faulted(let fault)? = town.decisions.last?.body {
            #expect(fault.hook == "state_save" && fault.cause == .nonsense)
        }
        #expect(town.states() == states)
    }

    @Test func `new parameters of the entry are told once, before anything else`() throws {
        let town = try Town { $0.chain = [.entry("a", .abstain)] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure { $0.chain = [.entry("a", .allow)] }
        town.send(.request("sale"), at: "10:01")
        town.send(.request("sale"), at: "10:02")
        try town.reconfigure { _ in }
        town.send(.request("sale"), at: "10:03")
        #expect(
            town.told("a") == [
                "10:00 created sale", "10:01 updated to allow", "10:01 created sale", "10:02 created sale",
                "10:03 created sale",
            ])
    }

    @Test func `parameters of a campaign are no parameters of the entry`() throws {
        let town = try Town { $0.chain = [.entry("a", .abstain)] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure { $0[campaign: "sale"].with["a"] = .on(says(.allow)) }
        town.send(.request("sale"), at: "10:01")
        #expect(town.told("a") == ["10:00 created sale", "10:01 created sale"])
    }
}

/// The strategies of the town, and one more.
private func townsfolk(and strategy: any Strategy.Type) -> [any Strategy.Type] { town + [strategy] }

/// Counts what was created.
private struct Tally: Strategy {
    static let name = "tally"
    static let summary = "counts"

    struct State: SelfSavingState {
        var count: Int64 = 0

        init() {}
        mutating func load(from reader: StateReader) { count = reader.integer("count") ?? 0 }
        func save(to writer: StateWriter) { writer.set("count", count == 0 ? nil : count) }
    }

    init(_ parameters: NoParameters, host: Host) {}
    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict { .abstain }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) { state.count += 1 }
}

/// The next version of it counts in tens.
private struct TallyOfTens: Strategy {
    static let name = "tally"
    static let summary = "counts in tens"

    struct State: SelfSavingState {
        static let version = 2
        var count: Int64 = 0

        init() {}
        mutating func load(from reader: StateReader) { count = reader.integer("count") ?? 0 }
        mutating func load(from reader: StateReader, version: Int, now: Instant) {
            load(from: reader)
            if version == 1 { count *= 10 }
        }
        func save(to writer: StateWriter) { writer.set("count", count == 0 ? nil : count) }
    }

    init(_ parameters: NoParameters, host: Host) {}
    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict { .abstain }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) { state.count += 10 }
}

/// A version that cannot read the ones before it.
private struct Forgetful: Strategy {
    static let name = "tally"
    static let summary = "starts again"

    struct State: SelfSavingState {
        static let version = 3
        var count: Int64 = 0

        init() {}
        mutating func load(from reader: StateReader) {}
        mutating func load(from reader: StateReader, version: Int, now: Instant) throws(StrategyError) {
            if version < 3 { throw StrategyError("nothing before version 3 makes sense") }
        }
        func save(to writer: StateWriter) { writer.set("count", count) }
    }

    init(_ parameters: NoParameters, host: Host) {}
    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict { .abstain }
}

private protocol OtherKeys: Sendable { static var count: Int64 { get } }
private enum None: OtherKeys { static let count: Int64 = 0 }
private enum Many: OtherKeys { static let count: Int64 = 40 }

/// A version that saves its count twice, with other keys between.
private struct Doubled<Others: OtherKeys>: Strategy {
    static var name: String { "tally" }
    static var summary: String { "counts, and is not sure" }

    struct State: SelfSavingState {
        var count: Int64 = 0

        init() {}
        mutating func load(from reader: StateReader) { count = reader.integer("count") ?? 0 }
        func save(to writer: StateWriter) {
            writer.set("count", count)
            for other in 0..<Others.count { writer.set("other \(other)", other) }
            writer.set("count", count + 1)
        }
    }

    init(_ parameters: NoParameters, host: Host) {}
    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict { .abstain }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) { state.count += 1 }
}
