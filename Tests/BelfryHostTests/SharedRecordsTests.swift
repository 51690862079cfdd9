import Testing

@testable import BelfryRuntime

/// What a shard's process leaves behind.
@Suite struct SharedRecordsTests {
    private let records: SharedRecords

    init() throws { records = try .make() }

    @Test func `a save that was not completed changes nothing`() throws {
        try save("first", 1)
        try save("second", 2)
        #expect(try read(upTo: 2) == "second")
        // A process writes for the third one, and dies.
        try save("third", 3)
        #expect(try read(upTo: 2) == "second")
        records.forget(0, after: 2)
        #expect(try read(upTo: 3) == "second", "the next process saves under that number")
        try save("another third", 3)
        #expect(try read(upTo: 3) == "another third")
    }

    @Test func `a record that was never saved is not there`() throws {
        #expect(try read(upTo: 9) == nil)
        try save("first", 1)
        records.forget(0, after: 0)
        #expect(try read(upTo: 9) == nil)
    }

    @Test func `memory that a record has outgrown is used again`() throws {
        let long = String(repeating: "x", count: 3000)
        for number in 1...4 as ClosedRange<UInt32> { try save(number < 3 ? "short" : long, number) }
        #expect(try read(upTo: 4) == long)
        try save("where a short one was", 1, slot: 1)
        #expect(try read(upTo: 1, slot: 1) == "where a short one was")
        #expect(try read(upTo: 4) == long)
    }

    @Test func `another process with the same memory reads what was written`() throws {
        try save("first", 1)
        let other = try SharedRecords(records.descriptorToGive())
        #expect(try read(upTo: 1, from: other) == "first")
    }

    private func save(_ text: String, _ number: UInt32, slot: Int = 0) throws {
        try Array(text.utf8).withUnsafeBytes { try records.write($0, nil, to: slot, number) }
    }

    private func read(upTo number: UInt32, slot: Int = 0, from other: SharedRecords? = nil) throws -> String? {
        try (other ?? records).withBytes(slot, upTo: number) { String(decoding: $0, as: UTF8.self) }
    }
}
