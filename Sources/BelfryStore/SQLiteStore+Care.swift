import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB

/// Looking after a store. Nothing here trusts what is in the file: everything can be in it that SQLite lets in, and some of it
/// may be out of reach.
extension SQLiteStore {
    public func count() throws(StoreError) -> Int {
        try fold()
        return try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(try allRecords($0))") ?? 0 }
    }

    public func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError) {
        try fold()
        // At one moment: what is in the log now may become rows meanwhile.
        if isReadOnly { return try read { try forEachRow(of: $0, body) } }
        try forEachRow({ last throws(StoreError) in try read { try numbers(of: $0, after: last) } }) {
            number throws(StoreError) in
            if let row = try read({ try row(number, of: $0) }) { body(row) }
        }
    }

    /// For a reader, who has the newest records in a table of its own.
    private func forEachRow(of db: Database, _ body: (StoreRow) -> Void) throws {
        try forEachRow({ try numbers(of: db, after: $0) }) { number in
            if let row = try row(number, of: db) { body(row) }
        }
        guard try hasTable(db) else { return }
        let sql = "SELECT -rowid, subject, record, next_due FROM temp.latest WHERE record IS NOT NULL"
        let rows = try Row.fetchCursor(db, sql: sql)
        while let row = try rows.next() {
            let subject = try row.text(at: 1) ?? ""
            body(
                StoreRow(
                    id: row[0], subject: subject, bytes: try leadingBytes(of: find(subject), db) + row.bytes(at: 2),
                    nextDue: (row[3] as Int64?).map(Instant.init(milliseconds:))))
        }
    }

    /// By number and not by subject, since that is what SQLite gave them; one at a time, since each may be large, and one that SQLite
    /// cannot read must not hide the others.
    private func forEachRow<Failure>(
        _ numbers: (_ after: Int64?) throws(Failure) -> [Int64], _ body: (Int64) throws(Failure) -> Void
    ) throws(Failure) {
        var last: Int64?
        while true {
            let page = try numbers(last)
            for number in page { try body(number) }
            guard let end = page.last else { return }
            last = end
        }
    }

    private func numbers(of db: Database, after last: Int64?) throws -> [Int64] {
        // NOT INDEXED: in the table itself, for which no index need be whole.
        let isNewer = "EXISTS (SELECT 1 FROM temp.latest WHERE latest.subject = records.subject)"
        let isOld = try hasTable(db) ? isNewer : "FALSE"
        let sql = "SELECT rowid FROM records NOT INDEXED WHERE rowid >= ? AND NOT \(isOld) ORDER BY rowid LIMIT 1000"
        guard last != .max else { return [] }
        return try Int64.fetchAll(db, sql: sql, arguments: [last.map { $0 + 1 } ?? .min])
    }

    /// Nil if it is gone meanwhile.
    private func row(_ number: Int64, of db: Database) throws -> StoreRow? {
        do {
            var row = try db.storeRow(number, Self.wholeRow)
            if let subject = row?.subject {
                row?.bytes.insert(contentsOf: try leadingBytes(of: find(subject), db), at: 0)
            }
            return row
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
        let found = try readFile { db in
            do {
                return try String.fetchAll(db, sql: "PRAGMA integrity_check(100)")
            } catch let error as DatabaseError where error.isDamage {
                return [error.detail]
            }
        }
        // It begins a list with a line that names the database.
        return found.flatMap { $0.split(separator: "\n") }.filter { $0 != "ok" && !$0.hasPrefix("***") }
            .map { "SQLite finds the file damaged: \($0)" }
    }

    public func setAside(_ rows: [(row: StoreRow.ID, reason: String)]) throws(StoreError) {
        try writeRows { db in
            let keep = try db.cachedStatement(
                sql: """
                    INSERT INTO damaged (subject, record, reason)
                    SELECT subject, record, ? FROM records WHERE rowid = ?
                    """)
            let remove = try db.cachedStatement(sql: "DELETE FROM records WHERE rowid = ?")
            for (number, reason) in rows {
                try keep.execute(arguments: [reason, number])
                try db.moveParts(ofRow: number, toDamaged: db.lastInsertedRowID)
                try remove.execute(arguments: [number])
            }
        }
    }

    public func countOfSetAside() throws(StoreError) -> Int {
        try read { db in
            guard try SQLiteSchema.hasDamaged(db) else { return 0 }
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM damaged") ?? 0
        }
    }

    public func setAside(of subject: String) throws(StoreError) -> [SetAsideRecord] {
        try read { db in
            guard try SQLiteSchema.hasDamaged(db) else { return [] }
            let sql = "SELECT record, reason FROM damaged WHERE subject IN (CAST(?1 AS TEXT), ?1) ORDER BY rowid"
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [Data(subject.utf8)])
            return try Array(
                rows.map { SetAsideRecord(bytes: try $0.bytes(at: 0), reason: try $0.text(at: 1) ?? "") })
        }
    }

    public func erase(_ subject: String) throws(StoreError) {
        try writeRows(isThorough: true) { db in
            try db.deletingSecurely {
                // Also where the subject is a blob by mistake: it is of the same person.
                for table in ["records", "parts", "damaged"] {
                    try db.execute(
                        sql: "DELETE FROM \(table) WHERE subject IN (CAST(?1 AS TEXT), ?1)",
                        arguments: [Data(subject.utf8)])
                }
                try db.overwriteFreePages()
            }
        }
    }
}

extension Database {
    /// What `body` removes is overwritten, also where that costs writing a page.
    fileprivate func deletingSecurely(_ body: () throws -> Void) throws {
        try execute(sql: "PRAGMA secure_delete = ON")
        defer { try? execute(sql: "PRAGMA secure_delete = FAST") }
        try body()
    }

    /// Older versions of records may be in pages that became free. All of them are taken for zeros, and given back.
    fileprivate func overwriteFreePages() throws {
        let size = try Int.fetchOne(self, sql: "PRAGMA page_size") ?? 4096
        while let count = try Int.fetchOne(self, sql: "PRAGMA freelist_count"), count > 0 {
            // No blob has more than 10^9 bytes.
            let bytes = min(count * size, 500_000_000)
            try execute(sql: "INSERT INTO damaged (record, reason) VALUES (zeroblob(?), 'zeros')", arguments: [bytes])
        }
        try execute(sql: "DELETE FROM damaged WHERE subject IS NULL AND reason = 'zeros'")
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
