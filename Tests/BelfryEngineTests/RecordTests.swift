import BelfryEngine
import BelfryModel
import BelfryPlugin
import Testing

/// How a subject is stored: never guessed at, never lost.
@Suite struct RecordTests {
    @Test func `a rich life is read back as it was written`() throws {
        let record = try Town.rich().record()
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
        #expect(try Town.rich().record().encoded(by: "1.0") == Town.rich().record().encoded(by: "1.0"))
    }

    @Test func `a new subject can be stored`() throws {
        let bytes = SubjectRecord(subject: "ana").encoded(by: "1.0")
        #expect(try SubjectRecord(subject: "ana", decoding: bytes).encoded(by: "1.0") == bytes)
    }

    @Test(arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func `a changed byte anywhere is damage`(flip: UInt8) throws {
        let bytes = try Town.rich().record().encoded(by: "1.0")
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= flip
            #expect(throws: RecordDamage.self, "byte \(index)") { try SubjectRecord(subject: "ana", decoding: damaged) }
        }
    }

    @Test func `a record cut short anywhere is damage, and so is one with more`() throws {
        let bytes = try Town.rich().record().encoded(by: "1.0")
        for length in bytes.indices {
            #expect(throws: RecordDamage.self, "\(length) bytes") {
                try SubjectRecord(subject: "ana", decoding: Array(bytes.prefix(length)))
            }
        }
        #expect(throws: RecordDamage.self) { try SubjectRecord(subject: "ana", decoding: bytes + [0]) }
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
        #expect(reasonOfDamage([]) == "it does not begin like a record of Belfry")
        #expect(reasonOfDamage(Array("SQLite format 3".utf8)) == "it does not begin like a record of Belfry")
        #expect(reasonOfDamage(bytes.dropLast()) == "its checksum does not match: the bytes have changed")
    }

    @Test func `a newer format is refused by its version`() throws {
        var bytes = SubjectRecord(subject: "ana").encoded(by: "1.0")
        bytes[4] += 1
        #expect(
            reasonOfDamage(bytes)
                == "it has format version \(bytes[4]); this belfry knows versions up to \(bytes[4] - 1)")
    }
}
