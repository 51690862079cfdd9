import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB
import Synchronization

/// Looking after a store. Nothing here trusts what is in the file: everything can be in it that SQLite lets in, and some of it
/// may be out of reach.
extension SQLiteStore {
    public func count() throws(StoreError) -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM records") ?? 0 }
    }

    /// By number and not by subject, since that is what SQLite gave them; one at a time, since each may be large, and one that SQLite
    /// cannot read must not hide the others.
    public func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError) {
        var last: Int64?
        while true {
            let page = try read { try numbers(of: $0, after: last) }
            for number in page { if let row = try read({ try row(number, of: $0) }) { body(row) } }
            guard let end = page.last else { return }
            last = end
        }
    }

    private func numbers(of db: Database, after last: Int64?) throws -> [Int64] {
        guard last != .max else { return [] }
        try db.unmap()
        // NOT INDEXED: in the table itself, for which no index need be whole.
        let sql = "SELECT rowid FROM records NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1000"
        return try Int64.fetchAll(db, sql: sql, arguments: [last.map { $0 + 1 } ?? .min])
    }

    /// Nil if it is gone meanwhile.
    private func row(_ number: Int64, of db: Database) throws -> StoreRow? {
        do {
            return try db.storeRow(number, Self.wholeRow)
        } catch let error as DatabaseError where error.isDamage {
            // The subject lies before the record, and may be legible where that is not.
            var row = (try? db.storeRow(number, Self.nameOnly)) ?? StoreRow(id: number)
            row.fault = "SQLite cannot read it: \(error.detail)"
            return row
        }
    }

    private static let wholeRow = """
        SELECT CAST(subject AS BLOB), typeof(subject), CAST(record AS BLOB), typeof(record), next_due, typeof(next_due)
        FROM records NOT INDEXED WHERE rowid = ?
        """
    private static let nameOnly = """
        SELECT CAST(subject AS BLOB), typeof(subject), x'', 'blob', NULL, 'null'
        FROM records NOT INDEXED WHERE rowid = ?
        """

    public func faults() throws(StoreError) -> [String] {
        let found = try read { db in
            do {
                try db.unmap()
                return try String.fetchAll(db, sql: "PRAGMA integrity_check(100)")
            } catch let error as DatabaseError where error.isDamage {
                return [error.detail]
            }
        }
        // It begins a list with a line that names the database.
        return found.flatMap { $0.split(separator: "\n") }.filter { $0 != "ok" && !$0.hasPrefix("***") }
            .map { "SQLite finds the file damaged: \($0)" }
    }

    public func quarantine(_ rows: [(row: StoreRow.ID, reason: String)]) throws(StoreError) {
        mayHaveForgotten.store(true, ordering: .releasing)
        try write { db in
            let keep = try db.cachedStatement(
                sql: """
                    INSERT INTO quarantine (subject, record, reason)
                    SELECT subject, record, ? FROM records WHERE rowid = ?
                    """)
            let remove = try db.cachedStatement(sql: "DELETE FROM records WHERE rowid = ?")
            for (number, reason) in rows {
                try keep.execute(arguments: [reason, number])
                try remove.execute(arguments: [number])
            }
        }
    }

    public func quarantinedCount() throws(StoreError) -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM quarantine") ?? 0 }
    }

    public func quarantined(of subject: String) throws(StoreError) -> [QuarantinedRecord] {
        try read { db in
            let sql = "SELECT record, reason FROM quarantine WHERE subject IN (CAST(?1 AS TEXT), ?1) ORDER BY rowid"
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [Data(subject.utf8)])
            return try Array(
                rows.map { QuarantinedRecord(bytes: try $0.bytes(at: 0), reason: try $0.text(at: 1) ?? "") })
        }
    }

    public func erase(_ subject: String, lastDecision: UInt64) throws(StoreError) {
        mayHaveForgotten.store(true, ordering: .releasing)
        try write { db in
            try db.deletingSecurely {
                // Also where the subject is a blob by mistake: it is of the same person.
                for table in ["records", "quarantine"] {
                    try db.execute(
                        sql: "DELETE FROM \(table) WHERE subject IN (CAST(?1 AS TEXT), ?1)",
                        arguments: [Data(subject.utf8)])
                }
                try db.note(ForgottenSubject(subject, lastDecision: lastDecision))
                try db.overwriteFreePages()
                try db.setMeta(Self.truncation, [1])
            }
        }
        owesTruncation.store(true, ordering: .releasing)
        try emptyLog()
    }

    /// The name of a value in the store: that `PATH-wal` has to be emptied, or nothing.
    static let truncation = "truncation"

    /// Former versions of pages are in `PATH-wal`, and in the database itself until that is copied there. Neither can be done while another
    /// process reads what was there before, for as long as it likes, such as a backup: then it is left for later.
    func emptyLog() throws(StoreError) {
        guard owesTruncation.load(ordering: .acquiring) else { return }
        try StoreError.translating(.erasing, path) {
            try database.writeWithoutTransaction { db in
                guard try db.emptyLog() else { return }
                try db.setMeta(Self.truncation, [])
                owesTruncation.store(false, ordering: .releasing)
            }
        }
    }

    public var unfinishedErasure: String? {
        owesTruncation.load(ordering: .acquiring) ? StoreError.unfinishedErasure(path) : nil
    }

    public func erasedCount() throws(StoreError) -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM erased") ?? 0 }
    }

    public func lastDecision(ofForgotten subject: String) throws(StoreError) -> UInt64 {
        if !mayHaveForgotten.load(ordering: .acquiring) { return 0 }
        return try read { db in
            let erased = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT last_decision FROM erased WHERE digest = ?"),
                arguments: [Data(SubjectDigest(subject).bytes)])
            let count = try Int64.fetchOne(
                db.cachedStatement(
                    sql: "SELECT count(*) FROM quarantine WHERE subject IN (CAST(?1 AS TEXT), ?1)"),
                arguments: [Data(subject.utf8)])
            return UInt64(clamping: erased ?? 0) + UInt64(clamping: count ?? 0) * QuarantinedRecord.decisions
        }
    }

    public func forgotten() throws(StoreError) -> [ForgottenSubject] {
        try read { db in
            let erased = try Row.fetchCursor(db, sql: "SELECT digest, last_decision FROM erased").map { row in
                ForgottenSubject(digest: try row.bytes(at: 0), lastDecision: UInt64(clamping: row[1] as Int64))
            }
            // Also where the subject is a blob by mistake, as `lastDecision(ofForgotten:)` counts it.
            let sql = """
                SELECT CAST(subject AS BLOB) AS id, count(*) FROM quarantine WHERE subject IS NOT NULL GROUP BY id
                """
            let quarantined = try Row.fetchCursor(db, sql: sql).compactMap { row in
                try row.text(at: 0).map { (subject: $0, records: UInt64(clamping: row[1] as Int64)) }
            }
            return [ForgottenSubject](erased: try Array(erased), quarantined: try Array(quarantined))
        }
    }

    public func note(_ forgotten: [ForgottenSubject]) throws(StoreError) {
        mayHaveForgotten.store(true, ordering: .releasing)
        try write { db in for subject in forgotten { try db.note(subject) } }
    }
}

extension Database {
    /// Without a map, a page that the disk cannot read is an error of SQLite; with one, the process ends with SIGBUS. It holds for what this
    /// thread reads next: reads of one thread share a connection.
    fileprivate func unmap() throws { try execute(sql: "PRAGMA mmap_size = 0") }

    /// Copies what is in `PATH-wal` to the database, and empties it. Waits for a moment only, as reads of this process take.
    ///
    /// - Returns: false if another process still needs it.
    fileprivate func emptyLog() throws -> Bool {
        try execute(sql: "PRAGMA busy_timeout = 50")
        defer { try? execute(sql: "PRAGMA busy_timeout = \(SQLiteStore.patience)") }
        do {
            _ = try checkpoint(.truncate)
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }

    /// What `body` removes is overwritten, also where that costs writing a page.
    fileprivate func deletingSecurely(_ body: () throws -> Void) throws {
        try execute(sql: "PRAGMA secure_delete = ON")
        defer { try? execute(sql: "PRAGMA secure_delete = FAST") }
        try body()
    }

    fileprivate func note(_ forgotten: ForgottenSubject) throws {
        let sql = """
            INSERT INTO erased (digest, last_decision) VALUES (?, ?)
            ON CONFLICT (digest) DO UPDATE SET last_decision = max(last_decision, excluded.last_decision)
            """
        try cachedStatement(sql: sql)
            .execute(arguments: [Data(forgotten.digest), Int64(clamping: forgotten.lastDecision)])
    }

    /// Older versions of records may be in pages that became free. All of them are taken for zeros, and given back.
    fileprivate func overwriteFreePages() throws {
        let size = try Int.fetchOne(self, sql: "PRAGMA page_size") ?? 4096
        while let count = try Int.fetchOne(self, sql: "PRAGMA freelist_count"), count > 0 {
            // No blob has more than 10^9 bytes.
            let bytes = min(count * size, 500_000_000)
            try execute(
                sql: "INSERT INTO quarantine (record, reason) VALUES (zeroblob(?), 'zeros')", arguments: [bytes])
        }
        try execute(sql: "DELETE FROM quarantine WHERE subject IS NULL AND reason = 'zeros'")
    }
}

extension Database {
    fileprivate func storeRow(_ number: Int64, _ sql: String) throws -> StoreRow? {
        guard let row = try Row.fetchOne(cachedStatement(sql: sql), arguments: [number]) else { return nil }
        return StoreRow(
            id: number, subject: String(decoding: try row.bytes(at: 0), as: UTF8.self), bytes: try row.bytes(at: 2),
            nextDue: row[5] as String == "integer" ? Instant(milliseconds: row[4]) : nil, fault: try row.fault)
    }
}

extension DatabaseError {
    /// Of the file, at some place in it; other places may be whole.
    fileprivate var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_IOERR].contains(resultCode) }
    fileprivate var detail: String { message ?? "\(resultCode)" }
}

extension Row {
    /// What is wrong with a row of `records`, in the columns of `wholeRow`.
    fileprivate var fault: String? {
        get throws {
            let (subject, record) = (self[1] as String, self[3] as String)
            if subject != "text" { return "its subject is stored as \(subject) and not as text, so it is never found" }
            if try text(at: 0) == nil { return "its subject is no UTF-8, so it is never found" }
            if record != "blob" { return "its record is stored as \(record) and not as bytes" }
            return nil
        }
    }
}
