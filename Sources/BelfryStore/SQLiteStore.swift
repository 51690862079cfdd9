import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB
import Synchronization

/// A store in an SQLite file, which it creates if need be, and a log beside it, `PATH-log`, as long as not all is in the former. While it
/// is open, there are `PATH-wal` and `PATH-shm`, too.
///
/// One process at a time may have it open for writing, and holds `PATH.lock` meanwhile; any number may read.
/// A commit is on the disk when it returns: in the log. What is there becomes rows when it is full, and when somebody
/// looks at all records; a small log also when the store is closed or opened again. Subjects cross as bytes, since GRDB's text ends
/// at U+0000.
public final class SQLiteStore: RecordStore {
    /// As its user named it.
    let path: String
    /// The log, absolute.
    let logPath: String
    let database: any DatabaseWriter
    let isReadOnly: Bool
    let limits: LogLimits
    let writer = Mutex(Writer())
    /// Where everything is, for a writer.
    let log = Mutex(Log())
    /// The same for somebody who may only read.
    private let view = Mutex(LogView())
    /// Nil if read-only or closed.
    private let lock: Mutex<FileLock?>

    /// Opens the store at `path`, which is relative to the working directory.
    ///
    /// With `readOnly` no file is ever created nor changed, and somebody else may be writing to it; SQLite leaves
    /// `PATH-wal` and `PATH-shm` behind then, which the next writer removes. Throws `locked`
    /// if another one has it open for writing, in this process too; `notBelfry`, `newer` or `damaged` for a file
    /// that is not to be touched; `missing` or `permission` for a place that will not do.
    ///
    /// - Parameters:
    ///   - creates: whether to make a store where there is none.
    ///   - limits: how long things stay in the log.
    public init(
        path: String, readOnly: Bool = false, creates: Bool = true, limits: LogLimits = LogLimits()
    ) throws(StoreError) {
        let place = try StorePath(path)
        if !place.exists, readOnly || !creates { throw .missing(path) }
        lock = Mutex(readOnly ? nil : try FileLock(for: place.absolute, path: path))
        database = try StoreError.translating(.opening, path) {
            try Self.open(place, readOnly: readOnly, mayBeEmpty: creates && !readOnly)
        }
        self.path = path
        logPath = place.absolute + "-log"
        self.limits = limits
        isReadOnly = readOnly
        if !readOnly { try takeUp() }
    }

    /// When what is in the log becomes rows.
    public struct LogLimits: Sendable {
        /// A log that has more becomes rows before the next commit,
        public var bytes = 256 << 20
        /// unless it has less than this share of what the rows take: the more of them there are, the fewer of their pages are those of two
        /// records that changed.
        public var share = 1.0
        /// One that has no more than this becomes rows whenever the store is opened or closed.
        public var lasting = 8 << 20

        public init() {}
    }

    deinit { close() }

    public func record(for subject: String) throws(StoreError) -> [UInt8]? { try records(for: [subject])[0] }

    public func records(for subjects: [String]) throws(StoreError) -> [[UInt8]?] {
        if isReadOnly { return try read { db in try subjects.map { try record(find($0), db) } } }
        // Before the transaction begins: what is not in the log any more is in the rows that it sees.
        let found = log.withLock { log in subjects.map { log.find($0) } }
        return try StoreError.translating(.reading, path) {
            // The first signal of somebody new asks for a record that nobody has.
            guard found.contains(where: \.needsRows) else { return try found.map { try record($0, nil) } }
            return try database.read { db in try found.map { try record($0, db) } }
        }
    }

    /// - Parameter db: nil if nothing is in rows that is asked for.
    private func record(_ found: Log.Found, _ db: Database?) throws -> [UInt8]? {
        let rest =
            if let file = found.file, let place = found.place {
                try file.record(of: found.subject, at: place)
            } else {
                try db?.cachedStatement(sql: "SELECT record FROM records WHERE subject = CAST(? AS TEXT)")
                    .firstBytes(found.subject)
            }
        return try rest.map { try leadingBytes(of: found, db) + $0 }
    }

    /// Where its record is, in a `read`.
    func find(_ subject: String) -> Log.Found { look { $0.find(subject) } }

    private func look<Result>(_ body: (Log) -> Result) -> Result {
        isReadOnly ? view.withLock { body($0.log) } : log.withLock { body($0) }
    }

    public func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        // No subject comes before "", so starting there needs >= rather than >. Every blob comes after every text: one that
        // somebody put here under a blob cannot be asked for, and would be the end of every page.
        guard limit > 0 else { return try read { _ in [] } }
        try fold()
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
        try read { db in
            // What is not in the log any more is in the rows, which are asked after it.
            let (file, waiting) = look { ($0.file, $0.index.placesWithDueTime) }
            let sql = """
                SELECT subject, next_due FROM \(try allRecords(db))
                WHERE next_due IS NOT NULL AND typeof(next_due) = 'integer' AND subject < x''
                ORDER BY next_due, subject
                """
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql)).compactMap { row in
                try row.text(at: 0).map { (subject: $0, due: Instant(milliseconds: row[1])) }
            }
            let timers = try Array(rows.filter { self.find($0.subject).place == nil })
            guard let file, !waiting.isEmpty else { return timers }
            let newer = try waiting.map { place in
                try file.withEntry(at: place) { (subject: $0.text, due: $0.due ?? .distantPast) }
            }
            return (timers + newer).sorted {
                $0.due != $1.due ? $0.due < $1.due : SubjectKey($0.subject) < SubjectKey($1.subject)
            }
        }
    }

    public func meta(_ key: String) throws(StoreError) -> [UInt8]? {
        try read { db in
            if let value = look({ $0.index.values[SubjectKey(key)] }) { return value }
            return try db.bytes("SELECT value FROM meta WHERE key = CAST(? AS TEXT)", [Data(key.utf8)]).first
        }
    }

    public func items(in queue: String, after: UInt64?, limit: Int) throws(StoreError) -> [QueueItem] {
        try read { db in
            let (file, index) = look { ($0.file, $0.index) }
            let changed = index.queues[SubjectKey(queue)]
            let first = max(after ?? 0, changed?.removedThrough ?? 0)
            var items = try db.items(in: queue, after: first, through: index.lastItemOfRows, limit: limit)
            for item in changed?.items ?? [] where item.number > first && items.count < limit {
                if let file { items.append(QueueItem(number: item.number, bytes: try file.bytes(at: item.place))) }
            }
            return items
        }
    }

    public func commit(_ batch: StoreBatch) throws(StoreError) {
        if isReadOnly { throw .openedReadOnly(path) }
        try writer.withLock { writer throws(StoreError) in
            if writer.isClosed { throw .closed(path, .writing) }
            // Before the batch, since that is not to fail once it is committed.
            if isFull(writer) { try fold(&writer) }
            if batch.isEmpty { return }
            try StoreError.translating(.writing, path) { try append(batch, &writer) }
        }
    }

    public func close() {
        writer.withLock { writer in
            // What cannot become rows now stays where it is, and will later.
            if writer.end.offset <= limits.lasting { try? fold(&writer) }
            (writer.file, writer.isClosed) = (nil, true)
        }
        // A reader that closes last could not tidy up the WAL file, so the readers go first. An error in closing
        // loses nothing (every commit is on the disk) and leaves nothing that one could do about it.
        (database as? DatabasePool)?.invalidateReadOnlyConnections()
        try? database.close()
        lock.withLock { $0 = nil }
        log.withLock { $0 = Log() }  // ask, and be told that it is closed
    }

    /// Where all records are, in a `read` by a reader; for the writer, as soon as the log is folded.
    func allRecords(_ db: Database) throws -> String { try hasTable(db) ? LogView.allRecords : "records" }

    /// Whether newer records than the rows are in the table of a reader.
    func hasTable(_ db: Database) throws -> Bool { try isReadOnly && view.withLock { try $0.refreshTable(db) } }

    func read<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        try StoreError.translating(.reading, path) {
            // Single statements need no transaction around them, which is all that is unsafe about it.
            try database.unsafeRead { isReadOnly ? try readAtOneMoment($0, body) : try body($0) }
        }
    }

    /// The same without the log, which may be what is damaged.
    func readFile<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        try StoreError.translating(.reading, path) { try database.unsafeRead(body) }
    }

    /// The log, and what is read beside it.
    private func readAtOneMoment<Result>(_ db: Database, _ body: (Database) throws -> Result) throws -> Result {
        // Whoever writes may make rows of the log just now, but not again and again.
        for _ in 1...100 {
            try db.execute(sql: "BEGIN")
            defer { end(db) }
            if try SQLiteSchema.hasJournal(db), try db.hasRows(in: "journal") { throw StoreError.hasOldJournal(path) }
            if try view.withLock({ try $0.refresh(db, logPath) }) { return try body(db) }
        }
        throw StoreError.logIsMissing(path)
    }

    /// Also after an error, so that what was learned of the log stays. After some errors SQLite will not commit.
    private func end(_ db: Database) {
        view.withLock { $0.release() }
        if (try? db.execute(sql: "COMMIT")) != nil { return }
        try? db.execute(sql: "ROLLBACK")
        view.withLock { $0 = LogView() }
    }

    /// Writes rows, all that `body` does or nothing, when everything is in rows.
    ///
    /// - Parameter isThorough: whether nobody is to find anywhere else what was there.
    func writeRows(isThorough: Bool = false, _ body: (Database) throws -> Void) throws(StoreError) {
        if isReadOnly { throw .openedReadOnly(path) }
        try writer.withLock { writer throws(StoreError) in
            try fold(&writer, isThorough: isThorough)
            try StoreError.translating(.writing, path) { try database.write(body) }
        }
    }
}

extension Database {
    fileprivate func items(in queue: String, after: UInt64, through last: UInt64, limit: Int) throws -> [QueueItem] {
        guard try SQLiteSchema.hasQueues(self) else { return [] }
        let sql = """
            SELECT number, bytes FROM items
            WHERE queue = CAST(? AS TEXT) AND number > ? AND number <= ? ORDER BY number LIMIT ?
            """
        let arguments: StatementArguments = [
            Data(queue.utf8), Int64(clamping: after), Int64(clamping: last), max(0, limit),
        ]
        return try Array(
            Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments).map { row in
                QueueItem(number: UInt64(bitPattern: row[0] as Int64), bytes: try row.bytes(at: 1))
            })
    }
}
