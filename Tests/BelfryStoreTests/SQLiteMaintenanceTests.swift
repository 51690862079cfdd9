import BelfryModel
import Foundation
import GRDB
import Testing

@testable import BelfryStore

/// Files that were tampered with or damaged: nothing hangs, nothing is hidden, no other record is lost.
@Suite struct SQLiteMaintenanceTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("x.db")
    }

    // MARK: Rows that SQLite lets in and that cannot be asked for

    private static let strays = [
        ("x'616e61', x'01', NULL", "ana: its subject is stored as blob and not as text, so it is never found"),
        ("CAST(x'ff' AS TEXT), x'01', 5", "\u{FFFD}: its subject is no UTF-8, so it is never found"),
        ("CAST(x'61ff62' AS TEXT), x'01', 5", "a\u{FFFD}b: its subject is no UTF-8, so it is never found"),
        ("'text', 'hello', NULL", "text: its record is stored as text and not as bytes"),
        ("'number', 7, NULL", "number: its record is stored as integer and not as bytes"),
    ]

    @Test func `a stray row is shown with what is wrong with it`() throws {
        try fill(["ana", "bob"])
        for (values, _) in Self.strays { try sql("INSERT INTO records (subject, record, next_due) VALUES (\(values))") }
        let store = try SQLiteStore(path: path, readOnly: true)
        #expect(try faults(of: store) == Self.strays.map(\.1))
        #expect(try store.count() == 7)
    }

    @Test(arguments: [1, 2, 3, 1000])
    func `a subject that is no text is no end of the list`(limit: Int) throws {
        try fill(["ana", "bob"])
        for (values, _) in Self.strays[..<3] {
            try sql("INSERT INTO records (subject, record, next_due) VALUES (\(values))")
        }
        let store = try SQLiteStore(path: path, readOnly: true)
        var (subjects, pages) = ([String](), 0)
        while pages < 10 {
            let page = try store.subjects(after: subjects.last, limit: limit)
            if page.isEmpty { break }
            subjects += page
            pages += 1
        }
        #expect(subjects == ["ana", "bob"])
    }

    @Test func `a timer of a subject that is no text, or a due time that is none, is no timer`() throws {
        try fill(["ana"])
        try sql(
            "INSERT INTO records (subject, record, next_due) VALUES (x'616e61', x'01', 5), (CAST(x'ff' AS TEXT), x'01', 5)"
        )
        try sql("INSERT INTO records (subject, record, next_due) VALUES ('bob', x'01', 'soon'), ('eve', x'01', 6)")
        let store = try SQLiteStore(path: path, readOnly: true)
        #expect(try store.timers().map(\.subject) == ["eve"])
        var dues: [String: Instant] = [:]
        try store.forEachRow { dues[$0.subject] = $0.nextDue }
        #expect(dues["bob"] == nil && dues["eve"] == Instant(milliseconds: 6))
    }

    @Test func `rows are shown beyond a thousand, and whatever their numbers`() throws {
        try fill((0..<2500).map(String.init))
        try sql("UPDATE records SET rowid = -5 WHERE subject = '7'")
        try sql("UPDATE records SET rowid = \(Int64.max) WHERE subject = '8'")
        let store = try SQLiteStore(path: path, readOnly: true)
        var seen: Set<String> = []
        try store.forEachRow { seen.insert($0.subject) }
        #expect(seen.count == 2500)
    }

    @Test func `strays come into quarantine as they are, and no other is touched`() throws {
        try fill(["ana", "bob"])
        for (values, _) in Self.strays { try sql("INSERT INTO records (subject, record, next_due) VALUES (\(values))") }
        let store = try SQLiteStore(path: path)
        var strays: [(row: StoreRow.ID, reason: String)] = []
        try store.forEachRow { row in if let fault = row.fault { strays.append((row.id, fault)) } }
        try store.quarantine(strays)
        #expect(try store.count() == 2 && store.quarantinedCount() == 5)
        #expect(try store.record(for: "ana") == Array("ana".utf8))
        store.close()
        let types = try DatabaseQueue(path: path).read {
            try String.fetchAll(
                $0, sql: "SELECT typeof(subject) || ' ' || typeof(record) FROM quarantine ORDER BY rowid")
        }
        #expect(types == ["blob blob", "text blob", "text blob", "text text", "text integer"])
    }

    @Test func `when one cannot be moved into quarantine, none is`() throws {
        try fill(["ana", "bob"])
        try sql(
            "CREATE TRIGGER refusal BEFORE DELETE ON records WHEN old.subject = 'bob' BEGIN SELECT raise(ABORT, 'no'); END"
        )
        let store = try SQLiteStore(path: path)
        #expect(throws: StoreError.self) { try store.quarantine([(1, "torn"), (2, "torn")]) }
        #expect(try store.subjects(after: nil, limit: 9) == ["ana", "bob"])
        #expect(try store.quarantinedCount() == 0)
    }

    // MARK: Erasing

    @Test func `what was erased is not in the files any more, also while they are open`() throws {
        let secret = Data("the secret of ana".utf8)
        let store = try SQLiteStore(path: path)
        let bytes = Array(repeating: Array(secret), count: 2000).flatMap { $0 }
        try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: bytes)]))
        try store.commit(StoreBatch(records: [RecordChange(subject: "bob", bytes: [1])]))
        try store.erase("ana", lastDecision: 7)
        for suffix in ["", "-wal"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + suffix)).range(of: secret) == nil, "\(suffix)")
        }
        store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: secret) == nil)
    }

    /// - Returns: a connection that reads the store as it is now, until its transaction ends, as a backup does.
    private func snapshot() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.writeWithoutTransaction { db in
            try db.beginTransaction(.deferred)
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM records")
        }
        return reader
    }

    /// - Returns: a store from which a subject was erased while another program read it, and that one.
    private func erasedBesideASnapshot(_ secret: String) throws -> (SQLiteStore, DatabaseQueue) {
        let store = try SQLiteStore(path: path)
        try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: Array(secret.utf8))]))
        let reader = try snapshot()
        let begin = ContinuousClock.now
        try store.erase("ana", lastDecision: 7)
        #expect(ContinuousClock.now - begin < .seconds(3), "it waited for the other program")
        #expect(try store.record(for: "ana") == nil && store.lastDecision(ofForgotten: "ana") == 7)
        #expect(
            store.unfinishedErasure == """
                everything is erased, and its former bytes are still in the files of store '\(path)'
                  why: another program reads the database as it was before, such as a backup or a shell of SQLite
                  fix: have it end; the next checkpoint of a run or service overwrites them then, as does 'belfry state verify --repair'
                """)
        return (store, reader)
    }

    private func files(have secret: String) throws -> Bool {
        try ["", "-wal"].contains { suffix in
            guard FileManager.default.fileExists(atPath: path + suffix) else { return false }
            return try Data(contentsOf: URL(filePath: path + suffix)).range(of: Data(secret.utf8)) != nil
        }
    }

    @Test func `an erasure beside a program that reads is finished by a commit after that has ended`() throws {
        let secret = "the secret of ana"
        let (store, reader) = try erasedBesideASnapshot(secret)
        try store.commit(StoreBatch(meta: ["position": [1]]))
        #expect(try store.unfinishedErasure != nil && files(have: secret))
        try reader.writeWithoutTransaction { try $0.commit() }
        try store.commit(StoreBatch(meta: ["position": [2]], waits: false))
        #expect(store.unfinishedErasure != nil, "a piece of a checkpoint has no time for it")
        try store.commit(StoreBatch(meta: ["position": [3]]))
        #expect(try store.unfinishedErasure == nil && !files(have: secret))
        withExtendedLifetime(reader) {}
    }

    @Test func `an erasure beside a program that reads is finished when the store is opened again`() throws {
        let secret = "the secret of ana"
        let (store, reader) = try erasedBesideASnapshot(secret)
        store.close()
        let second = try SQLiteStore(path: path)
        #expect(second.unfinishedErasure != nil)
        second.close()
        #expect(try files(have: secret))
        try reader.writeWithoutTransaction { try $0.commit() }
        let third = try SQLiteStore(path: path)
        #expect(try third.unfinishedErasure == nil && !files(have: secret))
        withExtendedLifetime(reader) {}
    }

    @Test func `what stays of an erased subject does not name it`() throws {
        let store = try SQLiteStore(path: path)
        try store.commit(StoreBatch(records: [RecordChange(subject: "ana@example.org", bytes: [1])]))
        try store.erase("ana@example.org", lastDecision: 7)
        #expect(try store.lastDecision(ofForgotten: "ana@example.org") == 7)
        store.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(file.range(of: Data("ana@example.org".utf8)) == nil)
    }

    @Test func `erasing does not depend on how SQLite was built`() throws {
        let pool = try SQLiteStore.open(StorePath(path), readOnly: false)
        #expect(try pool.write { try Int.fetchOne($0, sql: "PRAGMA secure_delete") } == 2)
    }

    @Test func `a record under a blob of the same name is erased with it`() throws {
        try fill(["ana"])
        try sql("INSERT INTO records (subject, record, next_due) VALUES (x'616e61', x'01', NULL)")
        let store = try SQLiteStore(path: path)
        try store.erase("ana", lastDecision: 7)
        #expect(try store.count() == 0)
    }

    // MARK: Damage to the file

    /// A record that goes on over several pages, one of which is written over.
    @Test func `a record that SQLite cannot read is named, and hides no other`() throws {
        try fill(["ana"])
        let store = try SQLiteStore(path: path)
        let long = (0..<30_000).map { UInt8(truncatingIfNeeded: $0 / 100) }
        try store.commit(StoreBatch(records: [RecordChange(subject: "long", bytes: long)]))
        try store.commit(StoreBatch(records: [RecordChange(subject: "zoe", bytes: [1])]))
        store.close()
        try overwriteLastPages()
        let reader = try SQLiteStore(path: path, readOnly: true)
        #expect(try faults(of: reader) == ["long: SQLite cannot read it: database disk image is malformed"])
        var others: [String] = []
        try reader.forEachRow { if $0.fault == nil { others.append($0.subject) } }
        #expect(others == ["ana", "zoe"])
    }

    @Test func `a damaged file is told in the words of SQLite`() throws {
        try fill((0..<2000).map(String.init))
        try overwriteLastPages()
        let reader = try SQLiteStore(path: path, readOnly: true)
        let found = try reader.faults()
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("SQLite finds the file damaged: ") })
        #expect(!found.contains { $0.contains("\n") || $0.contains("***") })
    }

    /// Points the last page's link to a page that does not exist: the first four bytes of an overflow page, or a broken tree.
    private func overwriteLastPages() throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size - 2 * 4096)
        try file.write(contentsOf: Data([0x7F, 0xFF, 0xFF, 0xFF]))
        try file.close()
    }

    private func fill(_ subjects: [String]) throws {
        let store = try SQLiteStore(path: path)
        try store.commit(
            StoreBatch(records: subjects.map { RecordChange(subject: $0, bytes: Array($0.utf8)) }))
        store.close()
    }

    private func sql(_ text: String) throws {
        try DatabaseQueue(path: path).write { try $0.execute(sql: text) }
    }

    private func faults(of store: SQLiteStore) throws -> [String] {
        var lines: [String] = []
        try store.forEachRow { row in
            if let fault = row.fault { lines.append("\(row.subject): \(fault)") }
        }
        return lines
    }
}
