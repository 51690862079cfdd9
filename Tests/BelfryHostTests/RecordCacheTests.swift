import BelfryEngine
import BelfryModel
import Testing

@testable import BelfryCore

/// Which records stay in memory.
@Suite struct RecordCacheTests {
    /// A source without records.
    private struct Empty: RecordSource {
        func record(for subject: String) throws -> [UInt8]? { nil }
        func records(for subjects: [String]) throws -> [[UInt8]?] { subjects.map { _ in nil } }
        func lastDecision(ofErased subject: String) throws -> UInt64 { 0 }
    }

    private let cache = RecordCache(Empty(), StateDirectory(), capacity: 8)

    @Test func `records that are stored leave, also where all others were used before`() throws {
        try change(0..<12)
        cache.beginCheckpoint()
        #expect(collect(atMost: 4) == ["s0", "s1", "s2", "s3"])
        cache.makeRoom()
        #expect(cache.count == 12, "what is collected is not stored yet")
        cache.didStore(cache.currentBatch)
        cache.makeRoom()
        #expect(cache.count == 8)
        // The others have other places now.
        #expect(collect(atMost: 3) == ["s4", "s5", "s6"])
        try change(6..<9)
        cache.beginCheckpoint()
        #expect(collect(atMost: 100).sorted() == ["s10", "s11", "s6", "s7", "s8", "s9"])
        #expect(cache.dirtyCount == 0)
    }

    private func change(_ numbers: Range<Int>) throws {
        for number in numbers {
            let place = try cache.place(of: "s\(number)")
            cache.change(place) { $0.decisions += 1 }
        }
        var changes = GrowingBuffer(capacity: 64)
        cache.collectChanges(&changes)
    }

    private func collect(atMost limit: Int) -> [String] {
        var subjects: [String] = []
        cache.collectUnstored(atMost: limit, size: .max) { subject, _, _ in subjects.append(subject) }
        return subjects
    }
}
