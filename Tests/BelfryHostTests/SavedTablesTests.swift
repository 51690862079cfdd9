import BelfryModel
import Testing

@testable import BelfryCore
@testable import BelfryEngine
@testable import BelfryRuntime

/// Of a large table only what was written is saved, and yet all of it is there.
@Suite struct SavedTablesTests {
    /// Gives each record its own slot.
    private struct Source: RecordSource {
        func records(for subjects: [String]) throws -> [StoredRecord?] { subjects.map { _ in nil } }
        func beginning(of subject: String) throws -> (lastDecision: UInt64, place: UInt32) {
            (0, UInt32(subject.dropFirst())! + 1)
        }
    }

    private let shared: SharedRecords

    init() throws { shared = try .make() }

    @Test(arguments: [false, true], 1...4 as ClosedRange<UInt64>)
    func `what was saved is the record, whatever happens to it`(tellsChanges: Bool, seed: UInt64) throws {
        let cache = RecordCache(Source(), StateDirectory(), tellsChanges: tellsChanges, savesRecords: true)
        var random = SplitMix64(seed: seed)
        var (now, ranges, whole): (Int64, Int, Int) = (0, 0, 0)
        for save in 1...60 as ClosedRange<UInt32> {
            for _ in 0..<Int.random(in: 1...900, using: &random) {
                let place = try cache.place(of: "s\(Int.random(in: 0..<3, using: &random))")
                now += .random(in: 0..<100, using: &random)
                // By and by all is forgotten.
                if random.next(upperBound: 20_000 as UInt64) == 0 { now += 500_000 }
                cache.change(place) { change(&$0, now, &random) }
            }
            var changes = GrowingBuffer(capacity: 64)
            cache.collectChanges(&changes)
            try cache.collectChanged({ _ in }) { record, changed in
                if changed != nil { ranges += 1 } else if record.hasLargeTables { whole += 1 }
                let slot = Int(record.storePlace) - 1
                try record.withBlock { try shared.write($0, changed, to: slot, save) }
                let saved = try shared.withBytes(slot, upTo: save) { Array($0) }
                #expect(saved == record.withBlock { Array($0) })
            }
        }
        #expect(ranges > 20 && whole > 5, "\(ranges), \(whole)")
    }

    private func change(_ record: inout SubjectRecord, _ now: Int64, _ random: inout SplitMix64) {
        let (at, memory) = (Instant(milliseconds: now), DuplicateMemory(Duration(milliseconds: 400_000)))
        switch random.next(upperBound: 2000 as UInt64) {
        case 0: record.reset()
        case 1...100: record.remember(random.next(), in: .requestKeys, memory, at: at)
        case 101...140: record.decisions += 1
        default: record.remember(random.next(), in: .ids, memory, at: at)
        }
    }
}
