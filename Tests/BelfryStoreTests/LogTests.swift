import BelfryModel
import BelfryStoreTesting
import Foundation
import GRDB
import Testing

@testable import BelfryStore

/// What waits in the log is seen by everybody, survives everything, and becomes rows.
@Suite struct LogTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("x.db")
    }

    // MARK: The contract

    @Test(arguments: RecordStoreContract.clauses, [Int.max, 0])
    func `a store with a log keeps the contract`(clause: RecordStoreContract.Clause, bytes: Int) throws {
        let files = FileNames()
        let contract = RecordStoreContract(
            make: { try Self.store(folder.path(files.next()), bytes: bytes) },
            reopen: { _ in try Self.store(folder.path(files.last)) })
        try contract.check(clause)
    }

    @Test(arguments: RecordStoreContract.clauses)
    func `a store whose log stays keeps the contract`(clause: RecordStoreContract.Clause) throws {
        let files = FileNames()
        let contract = RecordStoreContract(
            make: { try Self.store(folder.path(files.next()), lasting: -1) },
            reopen: { _ in try Self.store(folder.path(files.last), lasting: -1) })
        try contract.check(clause)
    }

    @Test(arguments: RecordStoreContract.clauses, [Int.max, 0])
    func `somebody who reads along sees a store that keeps the contract`(
        clause: RecordStoreContract.Clause, bytes: Int
    ) throws {
        let files = FileNames()
        let contract = RecordStoreContract(make: {
            let path = folder.path(files.next())
            let writer = try Self.store(path, bytes: bytes)
            return ReadAlong(writer: writer, reader: try SQLiteStore(path: path, readOnly: true))
        })
        try contract.check(clause)
    }

    // MARK: Becoming rows

    @Test func `a commit goes to the log, and becomes rows when the store is closed`() throws {
        let store = try SQLiteStore(path: path)
        try store.commit(StoreBatch(records: (0..<100).map { change("s\($0)", 1) }, meta: ["position": [4]]))
        try store.commit(StoreBatch(records: [change("s7", 2)]))
        #expect(try rows("records") == 0)
        #expect(try store.records(for: ["s7", "joe", "s8"]) == [[2], nil, [1]])
        store.close()
        #expect(try rows("records") == 100 && folder.contents == ["x.db"])
        let reader = try SQLiteStore(path: path, readOnly: true)
        #expect(try reader.record(for: "s7") == [2] && reader.meta("position") == [4])
    }

    @Test func `records and values of any size are read back`() throws {
        let store = try Self.store(path, lasting: -1)
        let sizes = [0, 1, 31, 32, 33, 100_000, 9_000_000]
        let changes = sizes.map { RecordChange(subject: "s\($0)", bytes: [UInt8](repeating: 7, count: $0)) }
        let queue = QueueChange(queue: "q", appended: changes.compactMap(\.bytes))
        try store.commit(StoreBatch(records: changes, queues: [queue]))
        for again in 0..<2 {
            let store = again == 0 ? store : try Self.store(path, lasting: -1)
            for change in changes { #expect(try store.record(for: change.subject)?.count == change.bytes?.count) }
            #expect(try store.items(in: "q", after: nil, limit: 9).map(\.bytes.count) == sizes)
            store.close()
        }
    }

    @Test func `where rows cannot be written, the log stays, and a commit says so`() throws {
        let store = try Self.store(path, bytes: 0)
        try store.commit(StoreBatch(records: [change("ana", 1)]))
        let queue = try DatabaseQueue(path: path)
        try queue.write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER refusal BEFORE INSERT ON records BEGIN SELECT raise(ABORT, 'refused'); END
                    """)
        }
        #expect(throws: StoreError.self) { try store.commit(StoreBatch(records: [change("bob", 1)])) }
        #expect(try store.record(for: "ana") == [1] && store.record(for: "bob") == nil)
        store.close()
        #expect(try rows("records") == 0)
        try queue.write { try $0.execute(sql: "DROP TRIGGER refusal") }
        let again = try SQLiteStore(path: path)
        #expect(try again.subjects(after: nil, limit: 9) == ["ana"])
    }

    @Test func `a commit that no log can be begun for leaves nothing, and the next one is made`() throws {
        let store = try SQLiteStore(path: path)
        try FileManager.default.createDirectory(at: folder.url("x.db-log"), withIntermediateDirectories: false)
        let error = #expect(throws: StoreError.self) {
            try store.commit(StoreBatch(records: [change("ana", 1)], meta: ["position": [1]]))
        }
        #expect(
            error?.message == """
                cannot write to store '\(path)'
                  why: the system reports for '\(path)-log': File exists
                  fix: check the disk and the file; everything committed before is kept
                """)
        #expect(try store.record(for: "ana") == nil && store.meta("position") == nil)
        try FileManager.default.removeItem(at: folder.url("x.db-log"))
        try store.commit(StoreBatch(records: [change("bob", 1)]))
        #expect(try store.records(for: ["ana", "bob"]) == [nil, [1]])
    }

    @Test func `no number of an item is given twice, whether it became a row or not`() throws {
        for round in 1...3 {
            let store = try Self.store(path)
            let appended = QueueChange(queue: "q", removedThrough: .max, appended: [[1], [2]])
            try store.commit(StoreBatch(queues: [appended]))
            let numbers = try store.items(in: "q", after: nil, limit: 9).map(\.number)
            #expect(numbers == [UInt64(round) * 2 - 1, UInt64(round) * 2])
            try store.commit(StoreBatch(queues: [QueueChange(queue: "q", removedThrough: .max)]))
            store.close()
        }
    }

    // MARK: Staying

    @Test func `a large log stays when the store is closed, and is known when it is opened again`() throws {
        let store = try Self.store(path, lasting: 100)
        try store.commit(StoreBatch(records: (0..<300).map { change("s\($0)", 1, due: $0 % 2 == 0 ? $0 : nil) }))
        try store.commit(
            StoreBatch(records: [
                change("s4", 2), change("s5", 2, due: 3), RecordChange(subject: "s6", bytes: nil),
                change("eve", 2, due: 0),
            ]))
        store.close()
        #expect(try rows("records") == 0 && folder.contents == ["x.db", "x.db-log"])
        let again = try Self.store(path, lasting: 100)
        #expect(try rows("records") == 0)
        #expect(try again.records(for: ["s4", "s5", "s6", "s7", "joe"]) == [[2], [2], nil, [1], nil])
        let first = try again.timers().prefix(5)
        #expect(first.map(\.subject) == ["eve", "s0", "s2", "s5", "s8"])
        #expect(first.map(\.due.milliseconds) == [0, 0, 2, 3, 8])
        try again.commit(StoreBatch(records: [change("s4", 3), change("s7", 3)]))
        let reader = try SQLiteStore(path: path, readOnly: true)
        for store in [reader, again] {
            #expect(try store.record(for: "s4") == [3] && store.record(for: "s5") == [2])
            #expect(try store.record(for: "s6") == nil && store.record(for: "s7") == [3])
            #expect(try store.count() == 300)
        }
        #expect(try rows("records") == 300)  // who asked for all of them made them rows
    }

    @Test func `timers of rows are those of their subjects who are not in the log`() throws {
        let store = try Self.store(path, lasting: -1)
        try store.commit(
            StoreBatch(records: [change("ana", 1, due: 5), change("bob", 1, due: 6), change("eve", 1, due: 7)]))
        #expect(try store.count() == 3 && rows("records") == 3)
        try store.commit(StoreBatch(records: [change("ana", 2, due: 9), change("bob", 2)]))
        #expect(try store.timers().map(\.subject) == ["eve", "ana"])
    }

    @Test func `the more rows there are, the longer the log may become`() throws {
        var limits = SQLiteStore.LogLimits()
        (limits.bytes, limits.lasting, limits.share) = (1000, -1, 0.5)
        let store = try SQLiteStore(path: path, limits: limits)
        let large = [UInt8](repeating: 7, count: 40_000)
        try store.commit(StoreBatch(records: (0..<10).map { RecordChange(subject: "s\($0)", bytes: large) }))
        #expect(try store.count() == 10 && folder.contents.contains("x.db-log") == false)  // 400,000 bytes of rows
        for _ in 0..<5 { try store.commit(StoreBatch(records: [RecordChange(subject: "s1", bytes: large)])) }
        #expect(try size(of: "x.db-log") > 200_000)
        for _ in 0..<3 { try store.commit(StoreBatch(records: [RecordChange(subject: "s1", bytes: large)])) }
        #expect(try size(of: "x.db-log") < 160_000)
    }

    @Test func `an index has the last place of each of many subjects`() {
        var table = PlaceTable()
        for round in 1...3 {
            for number in 0..<5000 where number % round == 0 {
                table.note(LogPlace(offset: round * 5000 + number, size: 7), of: SubjectHash("s\(number)"))
            }
        }
        table.note(LogPlace(offset: 6, size: 7, hasDue: true), of: SubjectHash("s6"))  // an older one
        #expect(table.count == 5000 && table[SubjectHash("s5000")] == nil)
        #expect(table[SubjectHash("s6")] == LogPlace(offset: 15_006, size: 7))
        #expect(table[SubjectHash("s4")] == LogPlace(offset: 10_004, size: 7))
        #expect(table[SubjectHash("s4999")]?.offset == 9999 && table[SubjectHash("s4999")]?.size == 7)
    }

    private static func store(_ path: String, bytes: Int = .max, lasting: Int = 8 << 20) throws -> SQLiteStore {
        var limits = SQLiteStore.LogLimits()
        (limits.bytes, limits.share, limits.lasting) = (bytes, 0, lasting)
        return try SQLiteStore(path: path, limits: limits)
    }

    private func change(_ subject: String, _ byte: UInt8, due: Int? = nil) -> RecordChange {
        RecordChange(subject: subject, bytes: [byte], nextDue: due.map { Instant(milliseconds: Int64($0)) })
    }

    private func rows(_ table: String) throws -> Int? {
        try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
    }

    private func size(of name: String) throws -> Int { try Data(contentsOf: folder.url(name)).count }
}

/// Writes by one store and reads by another one of the same file.
private final class ReadAlong: RecordStore {
    private let writer: SQLiteStore
    private let reader: SQLiteStore

    init(writer: SQLiteStore, reader: SQLiteStore) { (self.writer, self.reader) = (writer, reader) }

    func record(for subject: String) throws(StoreError) -> [UInt8]? { try reader.record(for: subject) }
    func parts(of subject: String) throws(StoreError) -> [Int] { try reader.parts(of: subject) }
    func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        try reader.subjects(after: after, limit: limit)
    }
    func timers() throws(StoreError) -> [(subject: String, due: Instant)] { try reader.timers() }
    func meta(_ key: String) throws(StoreError) -> [UInt8]? { try reader.meta(key) }
    func items(in queue: String, after: UInt64?, limit: Int) throws(StoreError) -> [QueueItem] {
        try reader.items(in: queue, after: after, limit: limit)
    }
    func commit(_ batch: StoreBatch) throws(StoreError) { try writer.commit(batch) }
    func count() throws(StoreError) -> Int { try reader.count() }
    func faults() throws(StoreError) -> [String] { try reader.faults() }
    func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError) { try reader.forEachRow(body) }

    /// Rows are those of the writer, who has another mind about where they lie.
    func setAside(_ rows: [(row: StoreRow.ID, reason: String)]) throws(StoreError) {
        var subjects: [StoreRow.ID: String] = [:]
        try reader.forEachRow { subjects[$0.id] = $0.subject }
        var own: [(row: StoreRow.ID, reason: String)] = []
        try writer.forEachRow { row in
            for other in rows where subjects[other.row] == row.subject { own.append((row.id, other.reason)) }
        }
        try writer.setAside(own)
    }

    func countOfSetAside() throws(StoreError) -> Int { try reader.countOfSetAside() }
    func setAside(of subject: String) throws(StoreError) -> [SetAsideRecord] { try reader.setAside(of: subject) }
    func erase(_ subject: String) throws(StoreError) { try writer.erase(subject) }

    func close() {
        reader.close()
        writer.close()
    }
}
