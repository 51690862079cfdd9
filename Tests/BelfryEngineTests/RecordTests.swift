@testable import BelfryEngine
import BelfryModel
import BelfryPlugin
import Testing

/// How a subject is stored: never guessed at, never lost.
@Suite struct RecordTests {
    @Test func `a rich life is read back as it was written`() throws {
        let record = try Town.rich().record()
        #expect(record.timers.count == 5)
        let bytes = record.stored()
        let copy = try SubjectRecord(subject: "ana", reading: bytes)
        #expect(copy.stored() == bytes)
        #expect(copy.value == record.value)
        #expect(copy.timers == record.timers)
        #expect(copy.current == record.current)
        #expect(copy.notifications == record.notifications)
        #expect(copy.geotriggers == record.geotriggers)
        #expect(copy.channels == record.channels)
        #expect(copy.presence == record.presence)
        #expect(copy.tallies == record.tallies)
        #expect(copy.states == record.states)
    }

    @Test func `the same life gives the same bytes`() throws {
        #expect(try Town.rich().record().stored() == Town.rich().record().stored())
    }

    @Test func `a new subject can be stored`() throws {
        let bytes = SubjectRecord(subject: "ana").stored()
        #expect(try SubjectRecord(subject: "ana", reading: bytes).stored() == bytes)
    }

    @Test(arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func `a changed byte anywhere is damage`(flip: UInt8) throws {
        let bytes = try Town.rich().record().stored()
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= flip
            #expect(reasonOfDamage(damaged) != nil, "byte \(index)")
        }
    }

    @Test func `a record cut short anywhere is damage, and so is one with more`() throws {
        let bytes = try Town.rich().record().stored()
        for length in bytes.indices { #expect(reasonOfDamage(bytes.prefix(length)) != nil, "\(length) bytes") }
        #expect(reasonOfDamage(bytes + [0]) != nil)
    }

    @Test func `the record of another subject is damage`() throws {
        let bytes = SubjectRecord(subject: "ben").stored()
        #expect(reasonOfDamage(bytes) == "it is the record of 'ben'")
    }

    @Test func `damage says what is wrong`() throws {
        let bytes = SubjectRecord(subject: "ana").stored()
        #expect(reasonOfDamage([]) == "it does not begin like a record of Belfry")
        #expect(reasonOfDamage(Array("SQLite format 3".utf8)) == "it does not begin like a record of Belfry")
        #expect(reasonOfDamage(bytes.dropLast()) == "its checksum does not match: the bytes have changed")
    }

    @Test func `a newer format is refused by its version`() throws {
        var bytes = SubjectRecord(subject: "ana").stored()
        bytes[4] += 1
        #expect(reasonOfDamage(bytes) == "it has format version 2; this belfry knows version 1")
    }

    @Test func `the JSON of a record has everything that is stored`() throws {
        #expect(
            try Town.rich().record().value.map?.keys.map { $0 } == [
                "subject", "latest", "enabled", "app", "user", "channels", "lastChannel", "position", "presence",
                "near", "watched", "timers", "timersArmed", "decisions", "current", "notifications", "geotriggers",
                "campaigns", "processedSignals", "requestKeys", "state",
            ])
    }
}
