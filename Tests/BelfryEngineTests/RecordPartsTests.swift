@testable import BelfryEngine
import BelfryModel
import Testing

/// How a record is stored again and again, in parts that are written when they change.
@Suite struct RecordPartsTests {
    /// Somebody of whom much is known, so that the body of the record is a part.
    private func largeTown() throws -> Town {
        let town = try Town.rich()
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
        let again = try Town.rich()
        for (minute, event) in Self.events.enumerated() {
            again.send(event, at: "10:\(10 + minute)", channel: "phone-\(minute % 2)")
            let once = try Town.rich()
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
        #expect(parts.count == 4 && reasonOfDamage(parts.joined()) == nil)
        for index in parts.indices {
            var others = parts
            others.remove(at: index)
            #expect(reasonOfDamage(others.joined()) != nil, "without part \(index)")
            if index < 3 {
                #expect(reasonOfDamage((parts[...index] + parts[index...]).joined()) != nil, "part \(index) twice")
            }
        }
        let whole = Array(parts.joined())
        for place in stride(from: 0, to: whole.count, by: 97) {
            var damaged = whole
            damaged[place] ^= 1
            #expect(reasonOfDamage(damaged) != nil, "byte \(place)")
            #expect(reasonOfDamage(whole[..<place]) != nil, "\(place) bytes")
        }
    }

    /// A second copy of it would take as much again.
    @Test(arguments: [10, 100, 1000])
    func `what was written of a large record is not kept`(counters: Int) throws {
        let record = SubjectRecord(subject: "ana")
        let saved = SavedState(version: 1, ["createdAt": .instant(.distantPast)])
        let owner = SlotOwner(strategy: "cooldown", entry: "cooldown", fingerprint: 7, table: nil).saving(saved)
        record.states = SlotTable((0..<counters).map { Slot(owner: owner, counter: "counter-\($0)") })
        let bytes = record.encoded(by: "1.0")
        #expect(record.encoded(by: "1.0") == bytes)
        #expect((record.written.states != nil) == (counters < 1000))
        let copy = try SubjectRecord(subject: "ana", decoding: bytes)
        #expect(copy.encoded(by: "1.0") == bytes && copy.slots.count == counters)
        // What was large may be small again.
        record.states = SlotTable([Slot(owner: owner, counter: "counter-0")])
        let small = record.encoded(by: "1.0")
        #expect(record.written.states != nil && record.encoded(by: "1.0") == small)
    }

    /// Only what lies in order may be copied when it is written again.
    @Test(arguments: [["x", "y", "z"], ["z", "x", "y"]])
    func `states that are read out of order are written in order`(counters: [String]) throws {
        let owner = SlotOwner(strategy: "s", entry: "e", fingerprint: 7, table: nil)
        func value(_ counter: String) -> SavedState { SavedState(version: 1, ["is": .text("of \(counter)")]) }
        var states = ByteWriter()
        states.unsigned(1)
        states.owner(owner)
        states.unsigned(1)
        states.unsigned(3)
        for counter in counters {
            states.unsigned(2)
            states.raw(Array(counter.utf8))
            states.list(value(counter).values) {
                $0.text($1.key)
                $0.state($1.value)
            }
        }
        // What nobody has ends with no states.
        let empty = try Seal.record.open(SubjectRecord(subject: "ana").encoded(by: "1.0")).content
        let bytes = Seal.record.close(empty.dropLast() + states.bytes, writer: "1.0")
        let record = try SubjectRecord(subject: "ana", decoding: bytes)
        record.states.append(Slot(owner: owner.saving(value("w")), counter: "w"))
        let again = try SubjectRecord(subject: "ana", decoding: record.encoded(by: "1.0"))
        #expect(again.slots.map(\.counter) == ["w", "x", "y", "z"])
        #expect(again.slots.allSatisfy { $0.saved == value($0.counter!) })
    }
}
