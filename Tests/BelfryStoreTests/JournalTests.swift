import BelfryModel
import BelfryStoreTesting
import Foundation
import GRDB
import Testing

@testable import BelfryStore

/// Records that wait in the journal are seen by everybody, survive everything, and become rows.
@Suite struct JournalTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("x.db")
    }

    // MARK: The contract

    @Test(arguments: RecordStoreContract.clauses, [Int.max, 0])
    func `a store with a journal keeps the contract`(clause: RecordStoreContract.Clause, bytes: Int) throws {
        let files = FileNames()
        let contract = RecordStoreContract(
            make: { try Self.store(folder.path(files.next()), bytes: bytes) },
            reopen: { _ in try Self.store(folder.path(files.last)) })
        try contract.check(clause)
    }

    @Test(arguments: RecordStoreContract.clauses)
    func `a store whose journal stays keeps the contract`(clause: RecordStoreContract.Clause) throws {
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

    @Test func `a large commit goes to the journal, and a small one after it does too`() throws {
        let store = try SQLiteStore(path: path)
        try store.commit(StoreBatch(records: [change("ana", 1)]))
        #expect(try rows("records") == 1 && rows("journal") == 0)
        try store.commit(StoreBatch(records: (0..<100).map { change("s\($0)", 1) }))
        try store.commit(StoreBatch(records: [change("s7", 2)]))
        #expect(try rows("records") == 1 && rows("journal") == 2)
        #expect(try store.record(for: "s7") == [2] && store.record(for: "ana") == [1])
        #expect(try store.records(for: ["s7", "joe", "ana", "s8"]) == [[2], nil, [1], [1]])
        store.close()
        #expect(try rows("records") == 101 && rows("journal") == 0)
        #expect(try SQLiteStore(path: path, readOnly: true).record(for: "s7") == [2])
    }

    @Test func `a row takes part of a batch, and a record of any size`() throws {
        let store = try Self.store(path)
        let large = [UInt8](repeating: 7, count: 100_000)
        let changes = (0..<50).map { RecordChange(subject: "s\($0)", bytes: $0 == 9 ? large : [UInt8](large[..<3000])) }
        try store.commit(StoreBatch(records: changes))
        #expect(try rows("journal") == 26)
        for change in changes { #expect(try store.record(for: change.subject) == change.bytes) }
    }

    @Test func `what a kill leaves in the journal is there for the next one`() throws {
        let store = try Self.store(path)
        try store.commit(StoreBatch(records: [change("ana", 1), change("bob", 1)], meta: ["position": [1]]))
        try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: nil), change("eve", 2)]))
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.path("copy.db") + suffix)
        }
        let copy = try SQLiteStore(path: folder.path("copy.db"))
        #expect(try copy.subjects(after: nil, limit: 9) == ["bob", "eve"] && copy.record(for: "eve") == [2])
        #expect(try rows("journal", in: "copy.db") == 0 && copy.meta("position") == [1])
        withExtendedLifetime(store) {}
    }

    @Test func `a batch that fails leaves nothing in the journal`() throws {
        let store = try Self.store(path)
        try store.commit(StoreBatch(records: [change("ana", 1)]))
        try DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER refusal BEFORE INSERT ON meta BEGIN SELECT raise(ABORT, 'refused'); END
                    """)
        }
        #expect(throws: StoreError.self) {
            try store.commit(StoreBatch(records: [change("ana", 2)], meta: ["position": [1]]))
        }
        #expect(try store.record(for: "ana") == [1])
        #expect(try rows("journal") == 1)
    }

    @Test func `where rows cannot be written, the journal stays, and a commit says so`() throws {
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
        #expect(try rows("journal") == 1)
        try queue.write { try $0.execute(sql: "DROP TRIGGER refusal") }
        let again = try SQLiteStore(path: path)
        #expect(try again.subjects(after: nil, limit: 9) == ["ana"])
    }

    // MARK: Staying

    @Test func `a large journal stays when the store is closed, and is known when it is opened again`() throws {
        let store = try Self.store(path, lasting: 100)
        try store.commit(StoreBatch(records: (0..<300).map { change("s\($0)", 1, due: $0 % 2 == 0 ? $0 : nil) }))
        try store.commit(
            StoreBatch(records: [
                change("s4", 2), change("s5", 2, due: 3), RecordChange(subject: "s6", bytes: nil),
                change("eve", 2, due: 0),
            ]))
        store.close()
        #expect(try rows("records") == 0)
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
        #expect(try rows("records") == 300 && rows("journal") == 0)  // who asked for all of them made them rows
    }

    @Test func `timers of rows are those of their subjects who are not in the journal`() throws {
        let store = try Self.store(path, lasting: -1)
        try store.commit(
            StoreBatch(records: [change("ana", 1, due: 5), change("bob", 1, due: 6), change("eve", 1, due: 7)]))
        #expect(try store.count() == 3 && rows("journal") == 0)
        try store.commit(StoreBatch(records: [change("ana", 2, due: 9), change("bob", 2)]))
        #expect(try store.timers().map(\.subject) == ["eve", "ana"])
        #expect(try rows("journal") == 1)
    }

    @Test func `the more rows there are, the longer the journal may become`() throws {
        var limits = SQLiteStore.JournalLimits()
        (limits.records, limits.bytes, limits.lasting, limits.share) = (0, 1000, -1, 0.5)
        let store = try SQLiteStore(path: path, limits: limits)
        let large = [UInt8](repeating: 7, count: 40_000)
        try store.commit(StoreBatch(records: (0..<10).map { RecordChange(subject: "s\($0)", bytes: large) }))
        #expect(try store.count() == 10 && rows("journal") == 0)  // 400,000 bytes of rows
        for _ in 0..<5 { try store.commit(StoreBatch(records: [RecordChange(subject: "s1", bytes: large)])) }
        #expect(try rows("journal") == 5)
        for _ in 0..<3 { try store.commit(StoreBatch(records: [RecordChange(subject: "s1", bytes: large)])) }
        #expect(try rows("journal") ?? 9 < 4)
    }

    @Test func `an index has the last place of each of many subjects`() {
        var table = PlaceTable()
        for round in 1...3 {
            for number in 0..<5000 where number % round == 0 {
                table.note(
                    JournalPlace(row: Int64(round), offset: number, hasDue: false), of: SubjectHash("s\(number)"))
            }
        }
        table.note(JournalPlace(row: 1, offset: 9999, hasDue: true), of: SubjectHash("s6"))  // an older one
        #expect(table.count == 5000 && table[SubjectHash("s5000")] == nil)
        #expect(table[SubjectHash("s6")] == JournalPlace(row: 3, offset: 6, hasDue: false))
        #expect(table[SubjectHash("s4")] == JournalPlace(row: 2, offset: 4, hasDue: false))
        #expect(table[SubjectHash("s4999")]?.offset == 4999 && table[SubjectHash("s4999")]?.row == 1)
    }

    // MARK: Care

    @Test func `what was erased is not in the file any more, in none of its versions`() throws {
        let secret = Array("the secret of ana".utf8)
        let store = try Self.store(path)
        for size in 1...50 {
            let bytes = Array(repeating: secret, count: size * 20).flatMap { $0 }
            try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: bytes), change("bob", 1)]))
        }
        try store.erase("ana")
        store.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(file.range(of: Data(secret)) == nil && file.count > 100_000)
        #expect(try SQLiteStore(path: path, readOnly: true).record(for: "bob") == [1])
    }

    @Test func `a journal that makes no sense is damage, and is left as it is`() throws {
        let store = try Self.store(path)
        try store.commit(StoreBatch(records: [change("ana", 1)]))
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.path("copy.db") + suffix)
        }
        try DatabaseQueue(path: folder.path("copy.db")).write {
            try $0.execute(sql: "UPDATE journal SET bytes = substr(bytes, 1, 15) || x'ff' || substr(bytes, 17)")
        }
        let writing = #expect(throws: StoreError.self) { try SQLiteStore(path: folder.path("copy.db")) }
        #expect(writing?.message.contains("its content is damaged: row 1 of its journal makes no sense") == true)
        let reader = try SQLiteStore(path: folder.path("copy.db"), readOnly: true)
        #expect(throws: StoreError.self) { try reader.record(for: "ana") }
        #expect(try rows("journal", in: "copy.db") == 1)
        withExtendedLifetime(store) {}
    }

    private static func store(_ path: String, bytes: Int = .max, lasting: Int = 8 << 20) throws -> SQLiteStore {
        var limits = SQLiteStore.JournalLimits()
        (limits.records, limits.bytes, limits.share, limits.lasting) = (0, bytes, 0, lasting)
        return try SQLiteStore(path: path, limits: limits)
    }

    private func change(_ subject: String, _ byte: UInt8, due: Int? = nil) -> RecordChange {
        RecordChange(subject: subject, bytes: [byte], nextDue: due.map { Instant(milliseconds: Int64($0)) })
    }

    private func rows(_ table: String, in name: String = "x.db") throws -> Int? {
        try DatabaseQueue(path: folder.path(name)).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
    }
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
