import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB
import Synchronization

/// A store in one SQLite file, which it creates if need be; beside it lie `PATH-wal` and `PATH-shm` while it is open.
///
/// One process at a time may have it open for writing, and holds `PATH.lock` meanwhile; any number may read.
/// A commit is on the disk when it returns. Large ones go to a journal, in one piece, and become rows when it is full, and when somebody
/// looks at all records; a small journal also when the store is closed or opened again. Subjects cross as bytes, since GRDB's text ends
/// at U+0000.
public final class SQLiteStore: RecordStore {
    private let path: String
    private let database: any DatabaseWriter
    let isReadOnly: Bool
    /// What the writer knows of the journal and the tables.
    let journal = Mutex(Journal())
    /// What a reader has found there.
    private let view = Mutex(JournalView())
    let limits: JournalLimits
    /// Nil if read-only or closed.
    private let lock: Mutex<FileLock?>

    /// Opens the store at `path`, which is relative to the working directory.
    ///
    /// With `readOnly` the file is never created nor changed, and somebody else may be writing to it; SQLite leaves
    /// `PATH-wal` and `PATH-shm` behind then, which the next writer removes. Throws `locked`
    /// if another one has it open for writing, in this process too; `notBelfry`, `newer` or `damaged` for a file
    /// that is not to be touched; `missing` or `permission` for a place that will not do.
    ///
    /// - Parameters:
    ///   - creates: whether to make a store where there is none.
    ///   - limits: what is put in the journal.
    public init(
        path: String, readOnly: Bool = false, creates: Bool = true, limits: JournalLimits = JournalLimits()
    ) throws(StoreError) {
        let place = try StorePath(path)
        if !place.exists, readOnly || !creates { throw .missing(path) }
        lock = Mutex(readOnly ? nil : try FileLock(for: place.absolute, path: path))
        database = try StoreError.translating(.opening, path) {
            try Self.open(place, readOnly: readOnly, mayBeEmpty: creates && !readOnly)
        }
        self.path = path
        self.limits = limits
        isReadOnly = readOnly
        if !readOnly { try takeUp() }
    }

    /// What is put in the journal, and when it becomes rows.
    public struct JournalLimits: Sendable {
        /// Fewer records than this are written as rows at once, while the journal is empty.
        public var records = 64
        /// A journal that has more becomes rows before the next commit,
        public var bytes = 128 << 20
        /// unless it has less than this share of what all else takes: the more rows there are, the fewer of their pages are those of two
        /// records that changed.
        public var share = 0.5
        /// One that has no more than this becomes rows whenever the store is opened or closed.
        public var lasting = 8 << 20

        public init() {}
    }

    /// What the writer knows.
    struct Journal {
        var index = JournalIndex()
        /// What is not in the journal, in bytes.
        var sizeOfRows = 0
        /// Whether there may be records outside of it.
        var mayHaveRows = true
        /// Whether there may be records with parts.
        var mayHaveParts = true
    }

    deinit { close() }

    public func record(for subject: String) throws(StoreError) -> [UInt8]? {
        let places = places(of: [subject])
        return places.isNothing ? nil : try read { try record(of: subject, journalledAt: places.journal[0], $0) }
    }

    public func records(for subjects: [String]) throws(StoreError) -> [[UInt8]?] {
        // Before the transaction begins: what is not in the journal any more is in the rows that it sees.
        let places = places(of: subjects)
        if places.isNothing { return subjects.map { _ in nil } }
        return try readTogether { db in
            try zip(subjects, places.journal).map { try record(of: $0, journalledAt: $1, db) }
        }
    }

    /// - Returns: where they lie in the journal of this writer, and whether none can be anywhere: the first signal of somebody new asks for
    ///   a record that nobody has.
    private func places(of subjects: [String]) -> (journal: [JournalPlace?], isNothing: Bool) {
        journal.withLock { journal in
            let places = subjects.map { journal.index.place(of: $0) }
            return (places, !journal.mayHaveRows && places.allSatisfy { $0 == nil })
        }
    }

    private func record(of subject: String, journalledAt place: JournalPlace?, _ db: Database) throws -> [UInt8]? {
        if let place = isReadOnly ? view.withLock({ $0.place(of: subject) }) : place,
            let change = try db.journalChange(at: place)
        {
            guard change.subject.isSameText(as: subject) else { throw JournalDamage(row: place.row) }
            return try change.bytes.map { try parts(of: subject, db) + $0 }
        }
        let sql = "SELECT record FROM records WHERE subject = CAST(? AS TEXT)"
        guard let bytes = try db.cachedStatement(sql: sql).firstBytes(subject) else { return nil }
        return try parts(of: subject, db) + bytes
    }

    public func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        // No subject comes before "", so starting there needs >= rather than >. Every blob comes after every text: one that
        // somebody put here under a blob cannot be asked for, and would be the end of every page.
        guard limit > 0 else { return try read { _ in [] } }
        try foldJournal()
        return try read { db in
            let sql = """
                SELECT subject FROM \(try allRecords(db))
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

    public func timers() throws(StoreError) -> [(subject: String, due: Instant)] {
        let waiting = journal.withLock { $0.index.placesWithDueTime }
        return try read { db in
            let sql = """
                SELECT subject, next_due FROM \(try allRecords(db))
                WHERE next_due IS NOT NULL AND typeof(next_due) = 'integer' AND subject < x''
                ORDER BY next_due, subject
                """
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql)).compactMap { row in
                try row.text(at: 0).map { (subject: $0, due: Instant(milliseconds: row[1])) }
            }
            let timers = try Array(rows.filter { self.places(of: [$0.subject]).journal[0] == nil })
            if waiting.isEmpty { return timers }
            let newer = try waiting.compactMap { place in
                try db.journalChange(at: place).map { (subject: $0.subject, due: $0.nextDue ?? .distantPast) }
            }
            return (timers + newer).sorted {
                $0.due != $1.due ? $0.due < $1.due : SubjectKey($0.subject) < SubjectKey($1.subject)
            }
        }
    }

    public func meta(_ key: String) throws(StoreError) -> [UInt8]? {
        try read { db in
            try db.bytes("SELECT value FROM meta WHERE key = CAST(? AS TEXT)", [Data(key.utf8)]).first
        }
    }

    public func items(in queue: String, after: UInt64?, limit: Int) throws(StoreError) -> [QueueItem] {
        let sql = "SELECT number, bytes FROM items WHERE queue = CAST(? AS TEXT) AND number > ? ORDER BY number LIMIT ?"
        return try read { db in
            guard try SQLiteSchema.hasQueues(db) else { return [] }
            let arguments: StatementArguments = [
                Data(queue.utf8), Int64(clamping: after ?? 0), max(0, limit),
            ]
            return try Array(
                Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments).map { row in
                    QueueItem(number: UInt64(bitPattern: row[0] as Int64), bytes: try row.bytes(at: 1))
                })
        }
    }

    public func commit(_ batch: StoreBatch) throws(StoreError) {
        // Before the batch, since that is not to fail once it is committed.
        if isJournalFull { try foldJournal() }
        try write { db in
            let rows = try keep(batch.records, db)
            for (key, value) in batch.meta { try db.setMeta(key, value) }
            for change in batch.queues { try db.apply(change) }
            whenCommitted(db) { journal in for row in rows { journal.index.note(row) } }
        }
    }

    public func close() {
        // What cannot become rows now stays where it is, and will later.
        if journal.withLock({ $0.index.size <= limits.lasting }) { try? foldJournal() }
        // A reader that closes last could not tidy up the WAL file, so the readers go first. An error in closing
        // loses nothing (every commit is on the disk) and leaves nothing that one could do about it.
        (database as? DatabasePool)?.invalidateReadOnlyConnections()
        try? database.close()
        lock.withLock { $0 = nil }
        journal.withLock { $0 = Journal() }  // ask, and be told that it is closed
    }

    /// Where all records are, in a `read` by a reader; for the writer, as soon as the journal is folded.
    func allRecords(_ db: Database) throws -> String { try hasJournal(db) ? JournalView.allRecords : "records" }

    /// Whether newer records than the rows are in the table of a reader.
    func hasJournal(_ db: Database) throws -> Bool { try isReadOnly && view.withLock { try $0.refreshTable(db) } }

    func read<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        try StoreError.translating(.reading, path) {
            // Single statements need no transaction around them, which is all that is unsafe about it.
            try database.unsafeRead { isReadOnly ? try readAtOneMoment($0, body) : try body($0) }
        }
    }

    /// The same in one transaction: for many statements.
    private func readTogether<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        if isReadOnly { return try read(body) }
        return try StoreError.translating(.reading, path) { try database.read(body) }
    }

    /// The same without the journal, which may be what is damaged.
    func readFile<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        try StoreError.translating(.reading, path) { try database.unsafeRead(body) }
    }

    /// The journal, and what is read beside it.
    private func readAtOneMoment<Result>(_ db: Database, _ body: (Database) throws -> Result) throws -> Result {
        try db.execute(sql: "BEGIN")
        defer { end(db) }
        try view.withLock { try $0.refresh(db) }
        return try body(db)
    }

    /// Also after an error, so that what was learned of the journal stays. After some errors SQLite will not commit.
    private func end(_ db: Database) {
        if (try? db.execute(sql: "COMMIT")) != nil { return }
        try? db.execute(sql: "ROLLBACK")
        view.withLock { $0 = JournalView() }
    }

    /// Everything that `body` does, or nothing.
    func write(_ body: (Database) throws -> Void) throws(StoreError) {
        if isReadOnly { throw .openedReadOnly(path) }
        try StoreError.translating(.writing, path) { try database.write(body) }
    }
}
