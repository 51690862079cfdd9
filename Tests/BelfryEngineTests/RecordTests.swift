import BelfryEngine
import BelfryModel
import BelfryPlugin
import Testing

/// How a subject is stored: never guessed at, never lost.
@Suite struct RecordTests {
    /// A subject who has something of everything.
    private func richTown() throws -> Town {
        let town = try Town {
            $0.chain = [
                .entry("a", per: .campaign), .entry("b", .defer, until: ["20:00"]), .editor("f", ["append": "!"]),
            ]
            for campaign in ["sale", "stay", "view"] {
                $0[campaign: campaign] = .campaign(campaign) { $0.with["b"] = .off }
            }
            $0[campaign: "stay"].triggers[0].on = .dwell(.hours(2))
            $0[campaign: "view"].kind = .geotrigger
            $0.campaigns.append(.campaign("later", on: .request))
            $0[campaign: "sale"].data = ["n": 1, "x": [1.5, true, .null, "ü"]]
            $0[campaign: "sale"].presentation = ["image": "a.png"]
        }
        town.send(
            .user(["tier": "gold", "visits": -7, "tags": ["a", ["b": 1e300]]]), at: "08:00", id: "s-1", source: "crm")
        town.send(.deviceRegistered(["timeZone": "Europe/Amsterdam"]), at: "08:01", channel: "phone")
        town.send(.foregrounded, at: "08:02")
        town.send(.position(52), at: "09:00", channel: "phone")
        town.send(.open("sale/1"), at: "09:01")
        town.send(.request("later", data: ["order": 7], key: "k"), at: "09:02")
        let category = Signal.Category(id: "offer", buttons: [["id": "b", "title": "B", "action": ["type": "dial"]]])
        town.send(.requested(Signal.Request(campaign: "later", title: "T", category: category)), at: "09:02")
        town.send(.requested(Signal.Request(campaign: "later", category: .init(id: "plain"))), at: "09:02")
        town.send(.enabled, at: "09:03")
        town.send(.exit("station"), at: "09:04")
        return town
    }

    @Test func `a rich life is read back as it was written`() throws {
        let record = try richTown().record()
        #expect(record.timers.count == 4)
        let bytes = record.encoded(by: "1.0")
        let copy = try SubjectRecord(subject: "ana", decoding: bytes)
        #expect(copy.encoded(by: "1.0") == bytes)
        #expect(copy.value == record.value)
        #expect(copy.timers == record.timers)
        #expect(copy.current == record.current)
        #expect(copy.notifications == record.notifications)
        #expect(copy.geotriggers == record.geotriggers)
        #expect(copy.channels == record.channels)
        #expect(copy.presence == record.presence)
        #expect(copy.tallies == record.tallies)
        #expect(copy.slots.map(\.saved) == record.usedSlots.map(\.saved))
    }

    @Test func `the same life gives the same bytes`() throws {
        #expect(try richTown().record().encoded(by: "1.0") == richTown().record().encoded(by: "1.0"))
    }

    @Test func `a new subject can be stored`() throws {
        let bytes = SubjectRecord(subject: "ana").encoded(by: "1.0")
        #expect(try SubjectRecord(subject: "ana", decoding: bytes).encoded(by: "1.0") == bytes)
    }

    @Test(arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func `a changed byte anywhere is damage`(flip: UInt8) throws {
        let bytes = try richTown().record().encoded(by: "1.0")
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= flip
            #expect(throws: RecordDamage.self, "byte \(index)") { try SubjectRecord(subject: "ana", decoding: damaged) }
        }
    }

    @Test func `a record cut short anywhere is damage, and so is one with more`() throws {
        let bytes = try richTown().record().encoded(by: "1.0")
        for length in bytes.indices {
            #expect(throws: RecordDamage.self, "\(length) bytes") {
                try SubjectRecord(subject: "ana", decoding: Array(bytes.prefix(length)))
            }
        }
        #expect(throws: RecordDamage.self) { try SubjectRecord(subject: "ana", decoding: bytes + [0]) }
    }

    /// Somebody of whom much is known, so that the body of the record is a part.
    private func largeTown() throws -> Town {
        let town = try richTown()
        town.send(.user(["story": .text(String(repeating: "long ", count: 500))]), at: "09:30")
        return town
    }

    /// What a store has of ana, who is written into it again and again.
    private struct Stored {
        private var parts: [Int: [UInt8]] = [:]
        private var rest: [UInt8] = []
        private(set) var written: [Int] = []

        var bytes: [UInt8] { parts.keys.sorted().flatMap { parts[$0]! } + rest }

        mutating func take(_ record: SubjectRecord) {
            var bytes = ByteWriter()
            let change = record.change(by: "1.0", in: &bytes)
            if !change.keepsParts { parts = [:] }
            for part in change.parts { parts[part.number] = part.bytes.isEmpty ? nil : part.bytes }
            written += change.parts.map(\.number)
            rest = change.bytes
        }
    }

    @Test func `what is written in parts is what is written in one piece`() throws {
        let town = try largeTown()
        var stored = Stored()
        for id in 0..<600 {
            town.send(.foregrounded, at: "10:00", id: "busy-\(id)")
            if id % 75 == 0 { stored.take(town.record()) }
        }
        stored.take(town.record())
        let whole = stored.bytes
        #expect(stored.written == [0, 2, 3, 4, 5] && whole == town.record().encoded(by: "1.0"))
        let copy = try SubjectRecord(subject: "ana", decoding: whole)
        #expect(copy.encoded(by: "1.0") == whole && copy.rememberedIDs == town.record().rememberedIDs)
        #expect(copy.value == town.record().value && copy.partNumbers == [0, 2, 3, 4, 5])
        #expect(try SubjectRecord.writer(of: whole) == "1.0")
    }

    private static let events: [Signal.Event] = {
        let story = Value.text(String(repeating: "longer ", count: 500))
        return [
            .enter("station"), .open("sale/1"), .user(["story": story]), .delete("sale"),
            .deviceRegistered(["os": "x"]),
            .attributesUpdated(.user, ["tier": "basic"]), .request("later"), .exit("station"),
            .historyCleared(.notifications),
            .historyCleared(.geotriggers), .disabled, .backgrounded, .reset, .user(["story": story]), .user([:]),
        ]
    }()

    /// What was not touched is copied from what was written before.
    @Test func `what is written again and again is what is written once`() throws {
        let again = try richTown()
        for (minute, event) in Self.events.enumerated() {
            again.send(event, at: "10:\(10 + minute)", channel: "phone-\(minute % 2)")
            let once = try richTown()
            for (minute, event) in Self.events[...minute].enumerated() {
                once.send(event, at: "10:\(10 + minute)", channel: "phone-\(minute % 2)")
            }
            #expect(again.record().encoded(by: "1.0") == once.record().encoded(by: "1.0"), "\(event)")
            if minute == 7 { again.record().freeze() }
        }
    }

    @Test func `whatever changes is written`() throws {
        let town = try largeTown()
        var stored = Stored()
        stored.take(town.record())
        for (minute, event) in Self.events.enumerated() {
            town.send(event, at: "10:\(10 + minute)", channel: "phone-\(minute % 2)")
            stored.take(town.record())
            #expect(stored.bytes == town.record().encoded(by: "1.0"), "\(event)")
            if event == .reset || event == .user([:]) { #expect(town.record().partNumbers.isEmpty) }
        }
        #expect(stored.written.filter { $0 == 0 }.count > 8)
    }

    @Test func `a part that is damaged, missing or too many is damage`() throws {
        let town = try largeTown()
        for id in 0..<300 { town.send(.foregrounded, at: "10:00", id: "busy-\(id)") }
        var bytes = ByteWriter()
        let change = town.record().change(by: "1.0", in: &bytes)
        let parts = change.parts.map(\.bytes) + [change.bytes]
        #expect(parts.count == 4 && reason(parts.joined()) == nil)
        for index in parts.indices {
            var others = parts
            others.remove(at: index)
            #expect(reason(others.joined()) != nil, "without part \(index)")
            if index < 3 { #expect(reason((parts[...index] + parts[index...]).joined()) != nil, "part \(index) twice") }
        }
        let whole = Array(parts.joined())
        for place in stride(from: 0, to: whole.count, by: 97) {
            var damaged = whole
            damaged[place] ^= 1
            #expect(reason(damaged) != nil, "byte \(place)")
            #expect(reason(whole[..<place]) != nil, "\(place) bytes")
        }
    }

    /// Written before requests could bring a category along.
    @Test func `a deferral stored by an earlier belfry is read`() throws {
        let hex =
            "424c465201005d515b7f225a63a680a8c7dd95670000000000000000000180a4ecdf9567000131000473616c6500000101"
            + "07466f7220796f7500010701056f72646572030e010701056f72646572030e0100000000000000"
        let digits = Array(hex)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        let timer = try #require(SubjectRecord(subject: "ana", decoding: bytes).timers.first)
        guard case .deferral(let asked) = timer.purpose else {
            Issue.record("it is no deferral")
            return
        }
        #expect(asked.title == "For you" && asked.data == ["order": 7] && asked.eventData == ["order": 7])
        #expect(asked.category == nil)
    }

    @Test func `damage says what is wrong`() throws {
        let bytes = SubjectRecord(subject: "ana").encoded(by: "1.0")
        #expect(reason([]) == "it does not begin like a record of Belfry")
        #expect(reason(Array("SQLite format 3".utf8)) == "it does not begin like a record of Belfry")
        #expect(reason(bytes.dropLast()) == "its checksum does not match: the bytes have changed")
    }

    @Test func `a newer format is refused by its version`() throws {
        var bytes = SubjectRecord(subject: "ana").encoded(by: "1.0")
        bytes[4] += 1
        #expect(reason(bytes) == "it has format version \(bytes[4]); this belfry knows versions up to \(bytes[4] - 1)")
    }

    private func reason(_ bytes: some Sequence<UInt8>) -> String? {
        do throws(RecordDamage) {
            _ = try SubjectRecord(subject: "ana", decoding: Array(bytes))
            return nil
        } catch {
            return error.reason
        }
    }
}

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
        #expect(town.record().slots.map(\.strategy) == ["scripted", "tally"])
        #expect(
            town.record().slots.map { $0.saved.values.map(\.value) } == [[.text("10:00 created sale")], [.integer(1)]])
    }

    @Test func `an older state is loaded as what it is`() throws {
        let town = try Town(townsfolk(and: Tally.self)) { $0.chain = [.init(strategy: "tally")] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure(townsfolk(and: TallyOfTens.self)) { _ in }
        town.send(.request("sale"), at: "10:01")
        #expect(town.record().slots.map(\.saved.version) == [2])
        #expect(town.record().slots.map { $0.saved.values.map(\.value) } == [[.integer(20)]])
    }

    @Test func `a state newer than the plugin is a fault, and stays untouched`() throws {
        let town = try Town(townsfolk(and: TallyOfTens.self)) { $0.chain = [.init(strategy: "tally")] }
        town.send(.enter("store"), at: "10:00")
        let saved = town.record().slots.map(\.saved)
        try town.reconfigure(townsfolk(and: Tally.self)) { _ in }
        #expect(
            town.send(.request("sale"), at: "10:01") == [
                "faulted tally: its stored state has version 2, newer than the version 1 this plugin knows",
                "suppressed sale: tally/fault",
            ])
        #expect(town.send(.exit("store"), at: "10:02").last == "kept sale/1: tally/fault")
        town.send(.open("sale/1"), at: "10:03")
        town.send(.backgrounded, at: "10:04")
        #expect(town.record().slots.map(\.saved) == saved)
    }

    @Test func `a state that the plugin cannot load is a fault with its sentence, and stays untouched`() throws {
        let town = try Town(townsfolk(and: Tally.self)) { $0.chain = [.init(strategy: "tally")] }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure(townsfolk(and: Forgetful.self)) { _ in }
        #expect(
            town.send(.request("sale"), at: "10:01").first
                == "faulted tally: it cannot load its stored state: nothing before version 3 makes sense")
        #expect(town.record().slots.map { $0.saved.values.map(\.value) } == [[.integer(1)]])
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

    struct State: StrategyState {
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

    struct State: StrategyState {
        static let version: UInt32 = 2
        var count: Int64 = 0

        init() {}
        mutating func load(from reader: StateReader) { count = reader.integer("count") ?? 0 }
        mutating func load(from reader: StateReader, version: UInt32) {
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

    struct State: StrategyState {
        static let version: UInt32 = 3
        var count: Int64 = 0

        init() {}
        mutating func load(from reader: StateReader) {}
        mutating func load(from reader: StateReader, version: UInt32) throws(StrategyError) {
            if version < 3 { throw StrategyError("nothing before version 3 makes sense") }
        }
        func save(to writer: StateWriter) { writer.set("count", count) }
    }

    init(_ parameters: NoParameters, host: Host) {}
    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict { .abstain }
}
