import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB
import Synchronization

/// A store in one SQLite file, which it creates if need be; beside it lie `PATH-wal` and `PATH-shm` while it is open.
///
/// One process at a time may have it open for writing, and holds `PATH.lock` meanwhile; any number may read.
/// A commit is on the disk when it returns. Subjects cross as bytes, since GRDB's text ends at U+0000.
public final class SQLiteStore: RecordStore {
    private let path: String
    private let database: any DatabaseWriter
    private let isReadOnly: Bool
    /// Nil if read-only or closed.
    private let lock: Mutex<FileLock?>

    /// Opens the store at `path`, which is relative to the working directory.
    ///
    /// With `readOnly` the file is never created nor changed, and somebody else may be writing to it; SQLite leaves
    /// `PATH-wal` and `PATH-shm` behind then, which the next writer removes. Throws `locked`
    /// if another one has it open for writing, in this process too; `notBelfry`, `newer` or `damaged` for a file
    /// that is not to be touched; `missing` or `permission` for a place that will not do.
    public init(path: String, readOnly: Bool = false) throws(StoreError) {
        let place = try StorePath(path)
        if readOnly, !place.exists { throw .missing(path) }
        lock = Mutex(readOnly ? nil : try FileLock(for: place.absolute, path: path))
        database = try StoreError.translating(.opening, path) { try Self.open(place, readOnly: readOnly) }
        self.path = path
        isReadOnly = readOnly
    }

    deinit { close() }

    public func record(for subject: String) throws(StoreError) -> [UInt8]? {
        try read { db in
            try db.bytes("SELECT record FROM records WHERE subject = CAST(? AS TEXT)", [Data(subject.utf8)])
                .first
        }
    }

    public func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        // No subject comes before "", so starting there needs >= rather than >.
        let condition = after == nil ? ">=" : ">"
        let sql =
            "SELECT subject FROM records WHERE subject \(condition) CAST(? AS TEXT) ORDER BY subject LIMIT ?"
        let pages = try read { db in try db.bytes(sql, [Data((after ?? "").utf8), max(0, limit)]) }
        return pages.map { String(decoding: $0, as: UTF8.self) }
    }

    public func timers() throws(StoreError) -> [(subject: String, due: Instant)] {
        let sql = "SELECT subject, next_due FROM records WHERE next_due IS NOT NULL ORDER BY next_due, subject"
        return try read { db in
            try Array(
                Row.fetchCursor(db.cachedStatement(sql: sql)).map { row in
                    (String(decoding: try row.bytes(at: 0), as: UTF8.self), Instant(milliseconds: row[1]))
                })
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
        if isReadOnly { throw .openedReadOnly(path) }
        try StoreError.translating(.writing, path) {
            try database.write { db in
                for change in batch.records { try db.apply(change) }
                for (key, value) in batch.meta { try db.setMeta(key, value) }
                for change in batch.queues { try db.apply(change) }
            }
        }
    }

    public func close() {
        // A reader that closes last could not tidy up the WAL file, so the readers go first. An error in closing
        // loses nothing (every commit is on the disk) and leaves nothing that one could do about it.
        (database as? DatabasePool)?.invalidateReadOnlyConnections()
        try? database.close()
        lock.withLock { $0 = nil }
    }

    private func read<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        // Single statements need no transaction around them, which is all that is unsafe about it.
        try StoreError.translating(.reading, path) { try database.unsafeRead(body) }
    }
}
