import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB

/// The newest versions of the records in the journal, for somebody who may only read: an index, and where all records are asked for, a
/// table of the connection's own.
///
/// Somebody else may be writing the journal meanwhile, so it is looked after before every read.
struct JournalView {
    /// The first and the last row of the journal that the index is of. Numbers are never given twice.
    private var rows: ClosedRange<Int64>?
    private var index = JournalIndex()
    /// The same of the table.
    private var rowsOfTable: ClosedRange<Int64>?

    /// Where records are to be read instead of `records`, with the table.
    static let allRecords = """
        (SELECT subject, record, next_due FROM main.records
         WHERE NOT EXISTS (SELECT 1 FROM temp.latest WHERE latest.subject = records.subject)
         UNION ALL SELECT subject, record, next_due FROM temp.latest WHERE record IS NOT NULL)
        """

    func place(of subject: String) -> JournalPlace? { index.place(of: subject) }

    /// Makes the index what the journal is by now. Call it in a transaction, and read in it.
    mutating func refresh(_ db: Database) throws {
        let now = try Self.rows(of: db)
        guard now != rows else { return }
        if rows?.lowerBound != now?.lowerBound {
            index.removeAll()
            rows = nil
        }
        let last = rows?.upperBound ?? 0
        rows = nil  // should it fail half-way
        try db.forEachJournalEntry(after: last) { index.note($0, at: $1) }
        rows = now
    }

    /// Does the same with the table.
    ///
    /// - Returns: whether there is anything in it.
    mutating func refreshTable(_ db: Database) throws -> Bool {
        guard rows != rowsOfTable else { return rows != nil }
        if rowsOfTable == nil { try Self.createTable(db) }
        if rows?.lowerBound != rowsOfTable?.lowerBound {
            try db.execute(sql: "DELETE FROM temp.latest")
            rowsOfTable = nil
        }
        let last = rowsOfTable?.upperBound ?? 0
        rowsOfTable = nil
        try db.forEachJournalEntry(after: last) { entry, _ in try db.keepLatest(entry) }
        rowsOfTable = rows
        return rows != nil
    }

    private static func rows(of db: Database) throws -> ClosedRange<Int64>? {
        guard try SQLiteSchema.hasJournal(db) else { return nil }
        let sql = "SELECT (SELECT min(number) FROM journal), (SELECT max(number) FROM journal)"
        guard let row = try Row.fetchOne(db.cachedStatement(sql: sql)), let first = row[0] as Int64? else { return nil }
        return first...row[1]
    }

    private static func createTable(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TEMP TABLE IF NOT EXISTS latest (subject TEXT NOT NULL PRIMARY KEY, record BLOB, next_due INTEGER)
                """)
    }
}

extension Database {
    fileprivate func keepLatest(_ entry: JournalEntry) throws {
        let sql = "INSERT OR REPLACE INTO temp.latest VALUES (CAST(? AS TEXT), ?, ?)"
        let record = entry.record.map { Data($0) }
        try cachedStatement(sql: sql).execute(arguments: [Data(entry.subject), record, entry.due?.milliseconds])
    }
}
