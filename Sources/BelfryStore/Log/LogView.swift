import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB

/// What is in the log, for somebody who may only read: an index, and where all records are asked for, a table of the connection's own.
///
/// Somebody else may be writing the log meanwhile, and make rows of it, so it is looked after before every read.
struct LogView {
    private(set) var log = Log()
    private var end = LogFile.End()
    /// How far the table is, and of which log.
    private var table: (salt: UInt64, end: LogFile.End)?

    /// Where records are to be read instead of `records`, with the table.
    static let allRecords = """
        (SELECT subject, record, next_due FROM main.records
         WHERE NOT EXISTS (SELECT 1 FROM temp.latest WHERE latest.subject = records.subject)
         UNION ALL SELECT subject, record, next_due FROM temp.latest WHERE record IS NOT NULL)
        """

    /// Makes the index what the log is by now, and has nobody overwrite it until `release`. Call it in a transaction, and read in it.
    ///
    /// - Returns: false if the log that belongs to what the transaction sees is gone: then another transaction sees something else.
    mutating func refresh(_ db: Database, _ path: String) throws -> Bool {
        guard let salt = try db.saltOfLog() else {
            log = Log(lastItem: try db.lastItem())
            return true
        }
        if log.file?.salt != salt {
            guard let file = try LogFile.open(path, readOnly: true), file.salt == salt else { return false }
            log = Log(file, lastItem: try db.lastItem())
            end = LogFile.End()
        }
        guard let file = log.file else { return false }
        file.hold()
        return try !file.isRemoved() && noteCommits(of: file)
    }

    private mutating func noteCommits(of file: LogFile) throws -> Bool {
        do {
            end = try file.forEachEntry(from: end) { log.index.note($0, at: $1) }
            return true
        } catch {
            // A part of a commit may be noted.
            file.release()
            self = LogView()
            throw error
        }
    }

    func release() { log.file?.release() }

    /// Makes the table what the index is.
    ///
    /// - Returns: whether there may be anything in it.
    mutating func refreshTable(_ db: Database) throws -> Bool {
        guard let file = log.file else { return false }
        if table == nil { try Self.createTable(db) }
        if table?.salt != file.salt { try db.execute(sql: "DELETE FROM temp.latest") }
        let start = table?.salt == file.salt ? table?.end : nil
        table = nil  // should it fail half-way
        try file.forEachEntry(from: start ?? LogFile.End(), to: end) { entry, _ in try db.keepLatest(entry) }
        table = (file.salt, end)
        return true
    }

    private static func createTable(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TEMP TABLE IF NOT EXISTS latest (subject TEXT NOT NULL PRIMARY KEY, record BLOB, next_due INTEGER)
                """)
    }
}

extension Database {
    fileprivate func keepLatest(_ entry: LogEntry) throws {
        guard [.record, .timedRecord, .deletedRecord].contains(entry.kind) else { return }
        let sql = "INSERT OR REPLACE INTO temp.latest VALUES (CAST(? AS TEXT), ?, ?)"
        let record = entry.kind == .deletedRecord ? nil : Data(entry.bytes)
        try cachedStatement(sql: sql).execute(arguments: [Data(entry.name), record, entry.due?.milliseconds])
    }
}
