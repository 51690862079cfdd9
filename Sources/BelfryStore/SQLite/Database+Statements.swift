import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB
import GRDBSQLite

extension Database {
    /// The first column of every row, as bytes.
    func bytes(_ sql: String, _ arguments: StatementArguments) throws -> [[UInt8]] {
        try Array(Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments).map { try $0.bytes(at: 0) })
    }

    func apply(_ change: RecordChange) throws {
        let subject = Data(change.subject.utf8)
        guard let bytes = change.bytes else {
            return try cachedStatement(sql: "DELETE FROM records WHERE subject = CAST(? AS TEXT)")
                .execute(arguments: [subject])
        }
        let sql = """
            INSERT INTO records (subject, record, next_due, entry) VALUES (CAST(? AS TEXT), ?, ?, ?)
            ON CONFLICT (subject) DO UPDATE SET
                record = excluded.record, next_due = excluded.next_due, entry = excluded.entry
            """
        try cachedStatement(sql: sql).store(change, bytes)
    }

    func setMeta(_ key: String, _ value: [UInt8]) throws {
        let sql = """
            INSERT INTO meta (key, value) VALUES (CAST(? AS TEXT), ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """
        try cachedStatement(sql: sql).execute(arguments: [Data(key.utf8), Data(value)])
    }
}

extension Row {
    /// The bytes of a blob or text, copied once; none for null.
    func bytes(at index: Int) throws -> [UInt8] {
        try withUnsafeData(atIndex: index) { data in data.map { [UInt8]($0) } ?? [] }
    }

    /// The bytes of a blob or text as text; nil if they are no UTF-8.
    func text(at index: Int) throws -> String? {
        String(validating: try bytes(at: index), as: UTF8.self)
    }
}

extension Statement {
    /// Executes what stores a record: for many calls, as `record`.
    func store(_ change: RecordChange, _ record: [UInt8]) throws {
        let status = change.subject.withBytes { subject in
            record.withUnsafeBytes { record in
                defer {
                    sqlite3_reset(sqliteStatement)
                    sqlite3_clear_bindings(sqliteStatement)
                }
                _ = bind(subject, at: 1)
                let status = bind(record, at: 2)
                if status != SQLITE_OK { return status }
                if let due = change.nextDue { sqlite3_bind_int64(sqliteStatement, 3, due.milliseconds) }
                sqlite3_bind_int64(sqliteStatement, 4, Int64(clamping: change.entry))
                return sqlite3_step(sqliteStatement)
            }
        }
        if status == SQLITE_TOOBIG {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG, message: "a record of \(record.count) bytes is larger than a row may be")
        }
        if status != SQLITE_DONE { throw DatabaseError(resultCode: ResultCode(rawValue: status), message: message) }
    }

    /// - Returns: SQLITE_OK, or SQLITE_TOOBIG.
    private func bind(_ bytes: UnsafeRawBufferPointer, at place: Int32) -> Int32 {
        // No address would be null, which is another thing than no bytes.
        let address = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
        return sqlite3_bind_blob64(sqliteStatement, place, address, UInt64(bytes.count), nil)
    }

    /// The record and the row's number, of what is asked about one subject; nil if there is no row. For many calls: nothing is looked up
    /// or copied on the way.
    func record(of subject: String) throws -> StoredRecord? {
        let (status, record) = subject.withBytes { step($0) }
        guard status == SQLITE_ROW || status == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: status), message: message)
        }
        return record
    }

    private func step(_ utf8: UnsafeRawBufferPointer) -> (status: Int32, record: StoredRecord?) {
        _ = bind(utf8, at: 1)
        defer {
            sqlite3_reset(sqliteStatement)
            sqlite3_clear_bindings(sqliteStatement)
        }
        let status = sqlite3_step(sqliteStatement)
        guard status == SQLITE_ROW else { return (status, nil) }
        let start = sqlite3_column_blob(sqliteStatement, 0)
        let count = Int(sqlite3_column_bytes(sqliteStatement, 0))
        let bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
        return (status, StoredRecord(bytes, place: UInt32(clamping: sqlite3_column_int64(sqliteStatement, 1))))
    }

    private var message: String { String(cString: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement))) }
}
