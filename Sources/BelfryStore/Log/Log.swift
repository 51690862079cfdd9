import GRDB

/// Where everything is that was committed: in the log, or in rows. What is in both is newer in the log.
struct Log {
    var file: LogFile?
    var index: LogIndex
    /// What is in tables, in bytes.
    var sizeOfRows = 0
    /// Whether there may be records, or parts, outside of the log.
    var mayHaveRows = true
    /// Whether there may be parts outside of it.
    var mayHaveParts = true

    init(_ file: LogFile? = nil, lastItem: UInt64 = 0) { (self.file, index) = (file, LogIndex(lastItem: lastItem)) }

    /// Where all is in rows.
    init(rowsOf db: Database) throws {
        self.init(lastItem: try db.lastItem())
        sizeOfRows = try db.size()
        mayHaveParts = try db.hasRows(in: "parts")
        mayHaveRows = try mayHaveParts || db.hasRows(in: "records")
    }

    /// Where the record of a subject is to be found, at one moment.
    struct Found {
        let subject: String
        /// Where it lies in the log; nil: in rows, or nowhere.
        let place: LogPlace?
        let parts: LogIndex.Parts?
        let file: LogFile?
        /// Whether rows have to be asked.
        let needsRows: Bool
    }

    func find(_ subject: String) -> Found {
        let place = index.place(of: subject)
        return Found(
            subject: subject, place: place, parts: place == nil ? nil : index.parts(of: subject), file: file,
            needsRows: place == nil ? mayHaveRows : mayHaveParts)
    }
}

extension Database {
    func hasRows(in table: String) throws -> Bool {
        try Row.fetchOne(cachedStatement(sql: "SELECT 1 FROM \(table) LIMIT 1")) != nil
    }

    /// What its pages take that are in use, in bytes.
    fileprivate func size() throws -> Int {
        func number(_ name: String) throws -> Int { try Int.fetchOne(self, sql: "PRAGMA \(name)") ?? 0 }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }
}
