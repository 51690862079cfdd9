import BelfryEngine
import BelfryModel
import Testing

@testable import BelfryCore

/// Which records stay in memory.
@Suite struct RecordCacheTests {
    /// A source with a few records.
    private struct Source: RecordSource {
        var places: [String: UInt32] = [:]

        func records(for subjects: [String]) throws -> [StoredRecord?] {
            subjects.map { subject in
                places[subject].map {
                    StoredRecord(SubjectRecord(subject: subject).stored(StateDirectory()), place: $0)
                }
            }
        }
        func beginning(of subject: String) throws -> (lastDecision: UInt64, place: UInt32) { (0, 0) }
    }

    private let cache = RecordCache(Source(), StateDirectory(), capacity: 8)

    @Test(arguments: [1, .max - 1, .max] as [UInt32])
    func `records that are stored leave, also where all others were used before`(batch: UInt32) throws {
        // Also where the numbers of batches begin again.
        cache.batch = batch
        cache.didStore(batch &- 1)
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

    @Test func `records are stored in the order of their store, and behind them the new ones`() throws {
        let cache = RecordCache(Source(places: ["s0": 9, "s2": 3, "s3": 70_000]), StateDirectory())
        try change(0..<6, in: cache)
        cache.beginCheckpoint()
        #expect(collect(atMost: 2, of: cache) == ["s2", "s0"])
        try change(2..<3, in: cache)
        cache.beginCheckpoint()
        #expect(collect(atMost: 9, of: cache) == ["s2", "s3", "s1", "s4", "s5"])
    }

    private func change(_ numbers: Range<Int>, in cache: RecordCache? = nil) throws {
        let cache = cache ?? self.cache
        for number in numbers {
            let place = try cache.place(of: "s\(number)")
            cache.change(place) { $0.decisions += 1 }
        }
        var changes = GrowingBuffer(capacity: 64)
        cache.collectChanges(&changes)
    }

    private func collect(atMost limit: Int, of cache: RecordCache? = nil) -> [String] {
        var subjects: [String] = []
        (cache ?? self.cache).collectUnstored(atMost: limit, size: .max) { subject, _, _ in subjects.append(subject) }
        return subjects
    }
}
