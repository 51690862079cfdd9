import BelfryCore
import BelfryJournal
import BelfryModel
import BelfryStore
import Testing

@testable import BelfryRuntime

/// A store whose journal has subjects that its rows do not have yet.
@Suite struct JournaledStoreTests {
    @Test(arguments: [1, 2, 3, 7, 1000])
    func `pages have the subjects of rows and of the journal, each once and in order`(limit: Int) throws {
        let store = try store(rows: ["a", "c", "d", "h"], journal: ["b", "c", "e", "f", "g", "i"])
        #expect(try pages(of: store, limit).flatMap(\.self) == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
        #expect(try store.subjects(after: nil, limit: 0).isEmpty)
    }

    @Test func `a subject whose row is newer than the journal stays in its place`() throws {
        let store = try store(rows: ["b"], journal: ["a", "b", "c"])
        #expect(try store.subjects(after: "a", limit: 9) == ["b", "c"])
        try store.commit(StoreBatch(records: [RecordChange(subject: "c", bytes: [1])]))
        try store.commit(StoreBatch(records: [RecordChange(subject: "b", bytes: nil)]))
        #expect(try store.subjects(after: "a", limit: 9) == ["c"])
    }

    /// Sorting all of them for each page would take many minutes.
    @Test func `many pages of a long journal take no longer than their subjects`() throws {
        let subjects = (100_000..<150_000).map(String.init)
        let store = try store(rows: [], journal: subjects)
        let began = processorTime
        #expect(try pages(of: store, 10).flatMap(\.self) == subjects)
        #expect(processorTime - began < .seconds(30))
    }

    private func store(rows: [String], journal subjects: [String]) throws -> JournaledStore {
        let (records, journal) = (MemoryStore(), try Journal(.memory, store: "x", checkpoint: 0))
        try records.commit(StoreBatch(records: rows.map { RecordChange(subject: $0, bytes: [1]) }))
        var entry = JournalEntry(writtenAt: .distantPast)
        var changes = GrowingBuffer()
        for subject in subjects { RecordChanges.append(subject, [1], to: &changes) }
        entry[.changes] = changes.bytes
        try journal.append(entry)
        return try JournaledStore(records, journal, after: 0)
    }

    private func pages(of store: JournaledStore, _ limit: Int) throws -> [[String]] {
        var pages: [[String]] = []
        repeat {
            pages.append(try store.subjects(after: pages.last?.last, limit: limit))
        } while !pages[pages.count - 1].isEmpty
        return pages
    }
}
