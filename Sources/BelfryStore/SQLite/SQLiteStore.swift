import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB
import Synchronization

/// A store in an SQLite file, which it creates if need be. While it is open, there are `PATH-wal` and `PATH-shm`, too.
///
/// One process at a time may have it open for writing, and holds `PATH.lock` meanwhile; any number may read.
/// A commit that waits is on the disk when it returns, with all before it. Subjects cross as bytes, since GRDB's text ends at U+0000.
public final class SQLiteStore: RecordStore {
    /// As its user named it.
    let path: String
    let database: any DatabaseWriter
    private let isReadOnly: Bool
    /// Nil if read-only or closed.
    private let lock: Mutex<FileLock?>
    /// Whether the store may have subjects that were erased, or are in quarantine. Most have none, and then a new subject need not be looked
    /// for among them.
    let mayHaveForgotten: Atomic<Bool>
    /// Whether `PATH-wal` is still to be emptied after an erasure; the same as the value `truncation`.
    let owesTruncation: Atomic<Bool>

    /// Opens the store at `path`, which is relative to the working directory.
    ///
    /// With `readOnly` no file is ever created nor changed, and another process may be writing to it; SQLite leaves
    /// `PATH-wal` and `PATH-shm` behind then, which the next writer removes. Throws `locked`
    /// if another one has it open for writing, in this process too; `notBelfry`, `newer` or `damaged` for a file
    /// that is not to be touched; `missing` or `permission` for a place that will not do.
    ///
    /// - Parameter creates: whether to make a store where there is none.
    public init(path: String, readOnly: Bool = false, creates: Bool = true) throws(StoreError) {
        let place = try StorePath(path)
        if !place.exists, readOnly || !creates { throw .missing(path) }
        lock = Mutex(readOnly ? nil : try FileLock(for: place.absolute, path: path))
        let database = try StoreError.translating(.opening, path) {
            try Self.open(place, readOnly: readOnly, mayBeEmpty: creates && !readOnly)
        }
        self.database = database
        // A store that is open read-only may have a writer in another process, which may erase a subject at any time.
        let sql = "SELECT EXISTS (SELECT 1 FROM erased) OR EXISTS (SELECT 1 FROM quarantine)"
        let hasForgotten = try? database.read { try Bool.fetchOne($0, sql: sql) }
        mayHaveForgotten = Atomic(readOnly || hasForgotten ?? true)
        let owed = try? database.read { try $0.bytes("SELECT value FROM meta WHERE key = ?", [Self.truncation]).first }
        owesTruncation = Atomic(owed?.isEmpty == false)
        self.path = path
        isReadOnly = readOnly
        if !readOnly { try? emptyLog() }
    }

    deinit { close() }

    public func record(for subject: String) throws(StoreError) -> [UInt8]? { try records(for: [subject])[0]?.bytes }

    public func records(for subjects: [String]) throws(StoreError) -> [StoredRecord?] {
        try read { db in
            let sql = "SELECT record, rowid FROM records WHERE subject = CAST(? AS TEXT)"
            let statement = try db.cachedStatement(sql: sql)
            return try subjects.map { try statement.record(of: $0) }
        }
    }

    public func entry(of subject: String) throws(StoreError) -> UInt64 {
        try read { db in
            let sql = "SELECT entry FROM records WHERE subject = CAST(? AS TEXT)"
            let number = try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [Data(subject.utf8)])
            return UInt64(clamping: number ?? 0)
        }
    }

    public func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        try read { db in
            guard limit > 0 else { return [] }
            // No subject comes before "", so starting there needs >= rather than >. Every blob comes after every text: one that
            // was stored as a blob cannot be asked for, and would be the end of every page.
            let sql = """
                SELECT subject FROM records
                WHERE subject \(after == nil ? ">=" : ">") CAST(? AS TEXT) AND subject < x''
                ORDER BY subject
                """
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [Data((after ?? "").utf8)])
            var page: [String] = []
            while page.count < limit, let row = try rows.next() {
                if let subject = try row.text(at: 0) { page.append(subject) }
            }
            return page
        }
    }

    public func subjects(changedLast limit: Int) throws(StoreError) -> [String] {
        try read { db in
            let sql = """
                SELECT subject FROM records WHERE subject >= '' AND subject < x'' ORDER BY entry DESC, subject LIMIT ?
                """
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [max(0, limit)])
            var subjects: [String] = []
            while let row = try rows.next() {
                if let subject = try row.text(at: 0) { subjects.append(subject) }
            }
            return subjects
        }
    }

    public func timers() throws(StoreError) -> [(subject: String, due: Instant)] {
        try read { db in
            let sql = """
                SELECT subject, next_due FROM records
                WHERE next_due IS NOT NULL AND typeof(next_due) = 'integer' AND subject < x''
                ORDER BY next_due, subject
                """
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql))
            return try Array(
                rows.compactMap { row in
                    try row.text(at: 0).map { (subject: $0, due: Instant(milliseconds: row[1])) }
                })
        }
    }

    public func meta(_ key: String) throws(StoreError) -> [UInt8]? {
        try read { try $0.bytes("SELECT value FROM meta WHERE key = CAST(? AS TEXT)", [Data(key.utf8)]).first }
    }

    public func commit(_ batch: StoreBatch) throws(StoreError) {
        try write(waits: batch.waits) { db in
            for change in batch.records { try db.apply(change) }
            for (key, value) in batch.meta { try db.setMeta(key, value) }
        }
        // So the thread of a run does not wait for it. What was committed is committed, whatever becomes of this.
        if batch.waits { try? emptyLog() }
    }

    public func close() {
        // A reader that closes last could not tidy up the WAL file, so the readers go first. An error in closing
        // loses nothing (every commit that waits is on the disk) and leaves nothing that one could do about it.
        (database as? DatabasePool)?.invalidateReadOnlyConnections()
        try? database.close()
        lock.withLock { $0 = nil }
    }

    func read<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        try StoreError.translating(.reading, path) {
            // Single statements need no transaction around them, which is all that is unsafe about it.
            try database.unsafeRead(body)
        }
    }

    /// Writes all that `body` does, or nothing.
    ///
    /// - Parameter waits: whether it waits until that is on the disk, with all that was written before.
    func write(waits: Bool = true, _ body: (Database) throws -> Void) throws(StoreError) {
        if isReadOnly { throw .openedReadOnly(path) }
        try StoreError.translating(.writing, path) {
            try database.writeWithoutTransaction { db in
                // NORMAL syncs what was appended to the WAL file only before it is copied to the database, which so is always whole
                // (https://www.sqlite.org/pragma.html#pragma_synchronous).
                try db.execute(sql: waits ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
                try db.inTransaction {
                    try body(db)
                    return .commit
                }
            }
        }
    }
}
