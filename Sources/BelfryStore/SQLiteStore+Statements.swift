import Foundation  // `Data` is GRDB's word for bytes
import GRDB

extension Database {
    /// The first column of every row, as bytes.
    func bytes(_ sql: String, _ arguments: StatementArguments) throws -> [[UInt8]] {
        try Array(Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments).map { try $0.bytes(at: 0) })
    }

    /// Writes what comes after the parts.
    func apply(_ change: RecordChange) throws {
        let subject = Data(change.subject.utf8)
        guard let bytes = change.bytes else {
            return try cachedStatement(sql: "DELETE FROM records WHERE subject = CAST(? AS TEXT)")
                .execute(arguments: [subject])
        }
        let sql = """
            INSERT INTO records (subject, record, next_due) VALUES (CAST(? AS TEXT), ?, ?)
            ON CONFLICT (subject) DO UPDATE SET record = excluded.record, next_due = excluded.next_due
            """
        try bytes.withData { bytes in
            try cachedStatement(sql: sql).execute(arguments: [subject, bytes, change.nextDue?.milliseconds])
        }
    }

    func apply(_ change: QueueChange) throws {
        let queue = Data(change.queue.utf8)
        if let through = change.removedThrough {
            try cachedStatement(sql: "DELETE FROM items WHERE queue = CAST(? AS TEXT) AND number <= ?")
                .execute(arguments: [queue, Int64(clamping: through)])
        }
        for bytes in change.appended {
            try cachedStatement(sql: "INSERT INTO items (queue, bytes) VALUES (CAST(? AS TEXT), ?)")
                .execute(arguments: [queue, Data(bytes)])
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
