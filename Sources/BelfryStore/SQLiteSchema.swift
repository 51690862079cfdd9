import GRDB

/// How a store lies in its database: the format, version 5.
///
/// - `application_id` is `Blfr`, `user_version` the version of this format.
/// - `records`: a row per subject. `subject` is its UTF-8; `next_due`, in ms since 1970, is null without a timer.
///   An ordinary table: rows are larger than SQLite recommends for WITHOUT ROWID (a twentieth of a page,
///   https://www.sqlite.org/withoutrowid.html). One run with 60 000 records of 1.5, 4 and 8 kB had that variant
///   1.3 to 7 times slower; with records of 300 bytes it read and updated faster, but inserted slower.
/// - `records_due`: only the subjects with a timer, in the order in which `timers()` gives them.
/// - `meta`: a row per named value. Since version 5 `log` has the salt of the log that belongs to it (`LogFile`), in little endian; none
///   if all is in rows.
/// - `items`: what waits in queues; AUTOINCREMENT, so that no number is given twice. Since version 2.
/// - `damaged`: records that were set aside, as they were; a subject may have several. Since version 2.
/// - `parts`: what records begin with, in the order of numbers, and is written when it changes. What follows is a row of `records`.
///   Since version 4.
/// - `journal`: what was a part of the log, in versions 3 and 4.
enum SQLiteSchema {
    static let applicationID: Int32 = 0x426C_6672
    static let version = 5

    private static let tables = """
        CREATE TABLE records (
            subject TEXT NOT NULL PRIMARY KEY COLLATE BINARY,
            record BLOB NOT NULL,
            next_due INTEGER);
        CREATE INDEX records_due ON records (next_due, subject) WHERE next_due IS NOT NULL;
        CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        """

    private static let addedInVersion2 = """
        CREATE TABLE items (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            queue TEXT NOT NULL,
            bytes BLOB NOT NULL);
        CREATE INDEX items_queue ON items (queue, number);
        CREATE TABLE damaged (subject TEXT, record BLOB, reason TEXT NOT NULL);
        """

    private static let addedInVersion4 = """
        CREATE TABLE parts (
            subject TEXT NOT NULL COLLATE BINARY,
            number INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            UNIQUE (subject, number));
        """

    /// Makes a database without content a store, and brings a store up to this version. Call it in a transaction.
    static func prepare(_ db: Database) throws {
        if try isEmpty(db) {
            try db.execute(sql: tables)
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        } else if try storedVersion(db) == version {
            return
        }
        if try storedVersion(db) < 2 { try db.execute(sql: addedInVersion2) }
        if try storedVersion(db) < 4 { try db.execute(sql: addedInVersion4) }
        if try hasJournal(db) {
            try db.makeRowsOfOldJournal()
            try db.execute(sql: "DROP TABLE journal")
        }
        try db.execute(sql: "PRAGMA user_version = \(version)")
    }

    /// Whether the store has queues: one of version 1 that is only read has not.
    static func hasQueues(_ db: Database) throws -> Bool { try storedVersion(db) >= 2 }

    /// The same for what was set aside.
    static func hasDamaged(_ db: Database) throws -> Bool { try storedVersion(db) >= 2 }

    /// Whether there is a journal, as before there was a log.
    static func hasJournal(_ db: Database) throws -> Bool { try [3, 4].contains(storedVersion(db)) }

    /// The same for parts.
    static func hasParts(_ db: Database) throws -> Bool { try storedVersion(db) >= 4 }

    private static func storedVersion(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }

    /// Throws a `StoreError` unless the database is a store that is known or, where one may be made, empty.
    static func check(_ db: Database, path: String, mayBeEmpty: Bool) throws {
        if try isEmpty(db) {
            if mayBeEmpty { return }
            throw StoreError.nothingYet(path)
        }
        guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
            throw StoreError.foreign(path)
        }
        let found = try storedVersion(db)
        if found > version { throw StoreError.newer(path, found: found, known: version) }
        let tables = try String.fetchAll(
            db,
            sql: """
                SELECT name FROM sqlite_schema
                WHERE type = 'table' AND name IN ('records', 'meta', 'items', 'damaged', 'journal', 'parts')
                """)
        guard found > 0, tables.count == [2, 4, 5, 6, 5][found - 1] else {
            throw StoreError.damaged(path, .opening, detail: "its tables are incomplete")
        }
        // A file of which nothing else can be read is left as it is.
        for table in tables { _ = try db.hasRows(in: table) }
    }

    private static func isEmpty(_ db: Database) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
            && Int32.fetchOne(db, sql: "PRAGMA application_id") == 0
            && Int.fetchOne(db, sql: "PRAGMA user_version") == 0
    }
}
