import BelfryJournal
import BelfryModel
import BelfryStore
import Testing

@testable import BelfryRuntime

/// Requests that are to be done once, as the journal has them.
@Suite struct RequestLogTests {
    private static let beginning = Instant(rfc3339: "2026-03-02T08:00:00Z")!
    private let store: OpenStore

    init() throws { store = try OpenStore(inMemory: MemoryStore()) }

    private func add(_ key: String, body: String = "b", after minutes: Int64) throws {
        var entry = JournalEntry(writtenAt: Self.beginning + .minutes(minutes))
        let mark = RequestMark(key: key, body: body, isMinimal: false, count: 1)
        entry[.requests] = RequestPiece(mark: mark, first: 0, results: [.duplicate]).line
        try store.journal.append(entry)
    }

    private func find(_ key: String, in log: RequestLog, since minutes: Int64 = 0) throws -> RequestMark? {
        try log.find(key, since: Self.beginning + .minutes(minutes))?.mark
    }

    @Test func `keys of one hash are told apart, also when the first of them is too old`() throws {
        let log = RequestLog(store.journal) { _ in 7 }
        for (key, minutes) in [("a", 0), ("b", 30), ("c", 90)] as [(String, Int64)] { try add(key, after: minutes) }
        for key in ["a", "b", "c"] { #expect(try find(key, in: log)?.key == key) }
        #expect(try find("d", in: log) == nil)
        #expect(try find("a", in: log, since: 10) == nil)
        for key in ["b", "c"] { #expect(try find(key, in: log, since: 10)?.key == key) }
        #expect(try find("b", in: log, since: 60) == nil)
        #expect(try find("c", in: log, since: 60)?.key == "c")
    }

    @Test func `a key that comes again after its time is that of another request`() throws {
        let log = RequestLog(store.journal)
        try add("a", after: 0)
        #expect(try find("a", in: log)?.body == "b")
        try add("a", body: "other", after: 45)
        #expect(try find("a", in: log, since: 30)?.body == "other")
        try add("c", after: 100)
        #expect(try find("a", in: log, since: 40)?.body == "other")
        #expect(try find("a", in: log, since: 50) == nil)
    }
}
