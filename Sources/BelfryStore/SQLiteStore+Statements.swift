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
        try bytes.withData { bytes in
            try cachedStatement(sql: sql).execute(
                arguments: [subject, bytes, change.nextDue?.milliseconds, Int64(clamping: change.entry)])
        }
    }

    func setMeta(_ key: String, _ value: [UInt8]) throws {
        let sql = """
            INSERT INTO meta (key, value) VALUES (CAST(? AS TEXT), ?)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """
        try cachedStatement(sql: sql).execute(arguments: [Data(key.utf8), Data(value)])
    }
}

extension [UInt8] {
    /// Lends the bytes where they lie, as long as a statement is executed.
    func withData<Result>(_ body: (Data) throws -> Result) rethrows -> Result {
        try withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress, !bytes.isEmpty else { return try body(Data()) }
            let start = UnsafeMutableRawPointer(mutating: first)
            return try body(Data(bytesNoCopy: start, count: bytes.count, deallocator: .none))
        }
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
    /// The first column of the first row, of what is asked about one subject; nil if there is no row. For many calls: nothing is looked up
    /// or copied on the way.
    func firstBytes(_ subject: String) throws -> [UInt8]? {
        let (status, bytes) = subject.withBytes { step($0) }
        guard status == SQLITE_ROW || status == SQLITE_DONE else {
            throw DatabaseError(resultCode: ResultCode(rawValue: status), message: message)
        }
        return bytes
    }

    private func step(_ utf8: UnsafeRawBufferPointer) -> (status: Int32, bytes: [UInt8]?) {
        // No address would be null, which is another thing than an empty text.
        let address = utf8.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
        sqlite3_bind_blob(sqliteStatement, 1, address, Int32(utf8.count), nil)
        defer {
            sqlite3_reset(sqliteStatement)
            sqlite3_clear_bindings(sqliteStatement)
        }
        let status = sqlite3_step(sqliteStatement)
        guard status == SQLITE_ROW else { return (status, nil) }
        let start = sqlite3_column_blob(sqliteStatement, 0)
        let count = Int(sqlite3_column_bytes(sqliteStatement, 0))
        return (status, [UInt8](UnsafeRawBufferPointer(start: start, count: count)))
    }

    private var message: String { String(cString: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement))) }
}
