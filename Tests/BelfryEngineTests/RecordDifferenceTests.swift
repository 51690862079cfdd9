import BelfryModel
import Testing

@testable import BelfryEngine

/// What a journal says of a record that changed leads to the same bytes.
@Suite struct RecordDifferenceTests {
    /// What a record was, what it has become, and the difference.
    private struct Watched: ~Copyable {
        var record = SubjectRecord(subject: "ana")
        /// As a reader has it that hears only of differences.
        var known = SubjectRecord(subject: "ana").withContent { Array($0) }
        /// The bytes of all differences.
        var bytes = 0

        mutating func change(_ body: (inout SubjectRecord) -> Void) {
            let watch = RecordWatch()
            var difference = GrowingBuffer()
            watch.begin(record)
            body(&record)
            guard watch.end(record, to: &difference) else { return }
            bytes += difference.count
            if !RecordDifference.apply(difference.bytes.span.bytes, to: &known) { known = [] }
        }

        /// But for the end of the directory, which is no part of it.
        var isKnown: Bool {
            record.withContent {
                $0[..<60].elementsEqual(known.prefix(60)) && $0[64...].elementsEqual(known.dropFirst(64))
            }
        }
    }

    private static func remember(_ number: UInt64, _ day: Int64) -> (inout SubjectRecord) -> Void {
        { record in
            record.remember(
                number &* 0x9E37_79B9_7F4A_7C15, in: number % 7 == 0 ? .requestKeys : .ids, DuplicateMemory(.days(30)),
                at: Instant(milliseconds: day * 86_400_000))
        }
    }

    private static func notify(_ campaign: String, _ step: Int) -> (inout SubjectRecord) -> Void {
        { record in
            let now = Instant(milliseconds: Int64(step))
            let count = record.count(campaign, at: now)
            let title = String(repeating: "x", count: step % 5 == 0 ? step % 40 : 12)
            let snapshot = SubjectRecord.Snapshot(campaign: campaign, content: Decision.Content(title: title))
            record.add(
                StoredSnapshot(snapshot), number: count.number, campaign: count.campaign, at: now,
                marks: step % 3 == 0 ? [.current, .inHistory, .deletedOnExit] : [.current, .inHistory],
                keeping: SubjectRecord.Limits(history: 6, held: 4))
        }
    }

    @Test func `a notification in the place of the oldest is told by what it is`() {
        var watched = Watched()
        for step in 1...30 { watched.change(Self.notify("c", step * 5 + 1)) }
        let before = watched.bytes
        watched.change(Self.notify("c", 1001))
        let (isKnown, bytes) = (watched.isKnown, watched.bytes - before)
        #expect(isKnown && bytes < 100)
    }

    @Test func `any changes are told so that the same record comes of them`() {
        var dice = SplitMix64(seed: 5)
        var watched = Watched()
        for step in 0..<3000 {
            // Now and then so much time passes that all is forgotten, or a table becomes a list.
            let day = Int64(step / 20 + step / 250 * 25)
            watched.change { record in
                for _ in 0...(dice.next() % 4) {
                    switch dice.next() % 40 {
                    case 0: record.user = Fields([("a", .text(String(repeating: "x", count: Int(dice.next() % 90))))])
                    case 1: record.user = Fields([("a", .integer(Int64(dice.next() % 9))), ("b", .bool(true))])
                    case 2: record.latest = Instant(milliseconds: Int64(dice.next() % 100_000))
                    case 3: record.decisions += 1
                    case 4: record.app = .background(since: Instant(milliseconds: 4))
                    case 5 where dice.next() % 8 == 0: record.reset()
                    case 6...9: Self.notify("c-\(dice.next() % 3)", step)(&record)
                    case 10: record.delete("c-1/\(dice.next() % 200)")
                    case 11: _ = record.open("c-2/\(dice.next() % 200)", at: Instant(milliseconds: Int64(step)))
                    default: Self.remember(dice.next() % 5000, day)(&record)
                    }
                }
            }
            let isKnown = watched.isKnown
            #expect(isKnown, "step \(step)")
            if !isKnown { return }
        }
    }

    @Test func `one more id among thousands is a few bytes`() {
        var watched = Watched()
        watched.change { record in for number in 1...5000 { Self.remember(UInt64(number), 0)(&record) } }
        let before = watched.bytes
        watched.change(Self.remember(9001, 0))
        let (isKnown, bytes) = (watched.isKnown, watched.bytes - before)
        #expect(isKnown && bytes < 64)
    }

    @Test func `what does not change says nothing, and a difference fits one record only`() throws {
        var watched = Watched()
        watched.change(Self.remember(1, 0))
        let before = watched.bytes
        watched.change { _ in }
        let bytes = watched.bytes
        #expect(bytes == before)
        let watch = RecordWatch()
        var difference = GrowingBuffer()
        watch.begin(watched.record)
        watched.record.user = Fields([("tier", .text("gold"))])
        _ = watch.end(watched.record, to: &difference)
        var other = SubjectRecord(subject: "bo").withContent { Array($0) }
        let fitsOther = RecordDifference.apply(difference.bytes.span.bytes, to: &other)
        var known = watched.known
        let fits = RecordDifference.apply(difference.bytes.span.bytes, to: &known)
        #expect(!fitsOther && fits)
    }

    @Test func `bytes that are no difference are refused`() {
        var dice = SplitMix64(seed: 9)
        let record = SubjectRecord(subject: "ana").withContent { Array($0) }
        for _ in 0..<20_000 {
            let bytes = (0..<Int(dice.next() % 60)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
            var content = record
            let fits = RecordDifference.apply(bytes.span.bytes, to: &content)
            #expect(!fits)
        }
    }
}
