@testable import BelfryEngine
import BelfryModel
import Testing

/// Which signals and requests a record remembers, beside a plain table that does the same.
@Suite struct RememberedIDTests {
    @Test(arguments: [nil, 50, 500, 5000], [5, 100, 3000])
    func `what came within the span is remembered, and nothing else`(span: Int?, kinds: Int) throws {
        let memory = DuplicateMemory(span.map { Duration(milliseconds: Int64($0)) })
        var record = SubjectRecord(subject: "ana")
        var came: [UInt64: Int64] = [:]
        var dice = SplitMix64(seed: UInt64(kinds))
        var now: Int64 = 0
        for round in 0..<4000 {
            now += Int64(dice.next() % 4)
            let fingerprint = dice.next() % UInt64(kinds) + 1
            let isKnown = came[fingerprint].map { span == nil || now - $0 < Int64(span!) } ?? false
            let found = record.remembers(fingerprint, in: .ids, memory, at: Instant(milliseconds: now))
            guard found == isKnown else {
                Issue.record("at \(now), \(fingerprint) is \(isKnown ? "" : "not ")known")
                return
            }
            if !isKnown {
                record.remember(fingerprint, in: .ids, memory, at: Instant(milliseconds: now))
                came[fingerprint] = now
            }
            if round % 97 == 0 { record = try SubjectRecord(subject: "ana", reading: record.stored()) }
        }
        #expect(record.rememberedIDs.requests == 0)
    }

    @Test func `a record stays as small as what it remembers`() {
        let memory = DuplicateMemory(.hours(1))
        var record = SubjectRecord(subject: "ana")
        var largest = 0
        for minute in 0..<100_000 {
            record.remember(UInt64(minute), in: .ids, memory, at: Instant(milliseconds: Int64(minute) * 60_000))
            if minute % 61 == 0 { largest = max(largest, record.stored().count) }
        }
        // 60 signals are remembered at a time, in 16 bytes each.
        #expect(largest < 8000)
        let end = Instant(milliseconds: 200_000 * 60_000)
        record.remember(1, in: .ids, memory, at: end)
        #expect(record.rememberedIDs.signals < 10)
    }
}
