import GRDB

/// How a store lies in its database: the format, version 1.
///
/// - `application_id` is `Blfr`, `user_version` the version of this format.
/// - `records`: a row per subject. `subject` is its UTF-8; `next_due`, in ms since 1970, is null without a timer; `entry` is the last entry of the journal that the record has come to.
///   An ordinary table: rows are larger than SQLite recommends for WITHOUT ROWID (a twentieth of a page,
///   https://www.sqlite.org/withoutrowid.html). One run with 60 000 records of 1.5, 4 and 8 kB had that variant
///   1.3 to 7 times slower; with records of 300 bytes it read and updated faster, but inserted slower.
/// - `records_due`: only the subjects with a timer, in the order in which `timers()` gives them.
/// - `meta`: a row per named value.
/// - `quarantine`: records that were moved out of the way, as they were; a subject may have several.
/// - `erased`: a digest of each subject that was erased, with the number of its last decision.
enum SQLiteSchema {
    static let applicationID: Int32 = 0x426C_6672
    static let version = 1

    private static let tables = """
        CREATE TABLE records (
            subject TEXT NOT NULL PRIMARY KEY COLLATE BINARY,
            record BLOB NOT NULL,
            next_due INTEGER,
            entry INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX records_due ON records (next_due, subject) WHERE next_due IS NOT NULL;
        CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE quarantine (subject TEXT, record BLOB, reason TEXT NOT NULL);
        CREATE INDEX quarantine_subject ON quarantine (subject);
        CREATE TABLE erased (digest BLOB NOT NULL PRIMARY KEY, last_decision INTEGER NOT NULL) WITHOUT ROWID;
        """

    private static let names = ["records", "meta", "quarantine", "erased"]

    /// Makes a database without content a store. Call it in a transaction.
    static func prepare(_ db: Database) throws {
        guard try isEmpty(db) else { return }
        try db.execute(sql: tables)
        try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
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
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if found > version { throw StoreError.newer(path, found: found, known: version) }
        let tables = try Set(String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"))
        guard found == version, tables.isSuperset(of: names) else {
            throw StoreError.damaged(path, .opening, detail: "its tables are incomplete")
        }
        // A file of which nothing else can be read is left as it is.
        for table in names { _ = try Row.fetchOne(db, sql: "SELECT 1 FROM \(table) LIMIT 1") }
    }

    private static func isEmpty(_ db: Database) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
            && Int32.fetchOne(db, sql: "PRAGMA application_id") == 0
            && Int.fetchOne(db, sql: "PRAGMA user_version") == 0
    }
}
