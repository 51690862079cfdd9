import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryStore
import Testing

@testable import BelfryRuntime
@testable import BelfrySignals

/// What two journals say of the same signals.
@Suite struct ShadowComparisonTests {
    private static let time = Instant(rfc3339: "2026-03-02T09:00:00Z")!
    private let (a, b): (OpenStore, OpenStore)

    init() throws { (a, b) = (try OpenStore(inMemory: MemoryStore()), try OpenStore(inMemory: MemoryStore())) }

    private static func decision(of subject: String) -> String {
        #"{"specversion":"1.0","id":"\#(subject):1","source":"shop","type":"notification.created","subject":"\#(subject)","#
            + #""time":"\#(time)","cause":"s","data":{"notification":"hello/1","campaign":"hello","message":"Hello"}}"#
    }

    /// - Returns: the number of the entry.
    private func decide(about subjects: String...) throws -> UInt64 {
        var entry = JournalEntry(decisions: subjects.count, writtenAt: Self.time)
        entry[.lines] = Array(subjects.map { Self.decision(of: $0) + "\n" }.joined().utf8)
        return try a.journal.append(entry)
    }

    /// The shadow decides nothing, and has come to that entry.
    private func follow(to number: UInt64) throws {
        var (entry, position) = (JournalEntry(writtenAt: Self.time), try RunPosition(nil))
        position.input = InputPosition(
            name: "a", offset: 0, line: JournalPlace(entry: number, lines: 0).number, isFinished: false, fingerprint: 0)
        entry.values[RunPosition.key] = position.bytes
        try b.journal.append(entry)
    }

    @Test func `what is erased before it is compared is in no difference`() throws {
        try a.records.commit(
            StoreBatch(records: [
                RecordChange(subject: "ana", bytes: SubjectRecord(subject: "ana", lastDecision: 1).stored())
            ]))
        let record = ShadowRecord(entry: (0, 0), of: "b", fingerprint: "f", since: Self.time)
        var comparison = try ShadowComparison(record, of: a.journal, with: b.journal)
        try follow(to: try decide(about: "eva"))
        try comparison.advance()
        let last = try decide(about: "ana", "ben")
        #expect(try a.erase("ana"))
        try comparison.forget("ana")
        try follow(to: last)
        try comparison.advance()
        try comparison.save()
        #expect(comparison.record.compared == 2)
        let reader = try b.journal.reader()
        var differences = ""
        while let entry = try reader.next() { differences += String(decoding: entry[.differences], as: UTF8.self) }
        #expect(differences.contains(#""subject":"ben""#) && !differences.contains("ana"))
    }
}
