import BelfryModel
import Synchronization

/// A store in a folder of RocksDB's, for many millions of subjects, which it creates if need be.
///
/// One process at a time may have it open for writing, and holds `PATH.lock` meanwhile; any number may read, and see what was on the disk when
/// they opened it. It needs the system's `librocksdb`.
public final class RocksDBStore: RecordStore {
    /// As its user named it.
    private let path: String
    private let isReadOnly: Bool
    /// Nil if it was closed.
    private let open: Mutex<RocksDB?>

    /// Opens the store at `path`, which is relative to the working directory.
    ///
    /// With `readOnly` nothing is created nor changed, and another process may be writing to it. Throws `locked` if another one has it open for
    /// writing, in this process too; `notBelfry`, `newer` or `damaged` for a folder that is not to be touched; `missing` or `permission` for a
    /// place that will not do; `failed` if the library is missing.
    ///
    /// - Parameter creates: whether to make a store where there is none.
    public init(path: String, readOnly: Bool = false, creates: Bool = true) throws(StoreError) {
        let place = try StorePath(path, isFolder: true)
        let isNew = try RocksDBFormat.isNew(place)
        if isNew, readOnly || !creates { throw .missing(path) }
        // Looked at first, since who opens a database for writing changes its files.
        let known = isNew ? nil : try RocksDB(place, readOnly: true)
        if let known { try RocksDBFormat.check(known, path, mayBeEmpty: creates && !readOnly) }
        let database = readOnly ? known! : try RocksDB(place, readOnly: false)
        if !readOnly { try RocksDBFormat.begin(database) }
        (self.path, isReadOnly) = (path, readOnly)
        open = Mutex(database)
    }

    public func record(for subject: String) throws(StoreError) -> [UInt8]? {
        try database(.reading).value(of: .record(subject)).map { StoredRow($0).bytes }
    }

    public func entry(of subject: String) throws(StoreError) -> UInt64 {
        try database(.reading).value(of: .record(subject))?.withUnsafeBytes { StoredRow.entry(of: $0) } ?? 0
    }

    public func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        var page: [String] = []
        guard limit > 0 else { return page }
        // Nothing comes between a key and the same with a zero.
        let first = after.map { [UInt8].record($0) + [0] } ?? [RocksDBKey.records]
        try forEach(RocksDBKey.records, from: first) { key, _ in
            page.append(RocksDBKey.subject(of: key))
            return page.count < limit
        }
        return page
    }

    public func subjects(changedLast limit: Int) throws(StoreError) -> [String] {
        var latest: [(entry: UInt64, subject: String)] = []
        guard limit > 0 else { return [] }
        try forEach(RocksDBKey.records) { key, value in
            let entry = StoredRow.entry(of: value)
            if latest.count == limit, entry <= latest[limit - 1].entry { return true }
            // Of two with the same entry the one that comes first stays first.
            let place = latest.firstIndex { $0.entry < entry } ?? latest.count
            latest.insert((entry, RocksDBKey.subject(of: key)), at: place)
            if latest.count > limit { latest.removeLast() }
            return true
        }
        return latest.map(\.subject)
    }

    public func timers() throws(StoreError) -> [(subject: String, due: Instant)] {
        var timers: [(subject: SubjectKey, due: Instant)] = []
        try forEach(RocksDBKey.timers) { key, value in
            let due = Instant(milliseconds: value.loadUnaligned(as: Int64.self))
            timers.append((SubjectKey(RocksDBKey.subject(of: key)), due))
            return true
        }
        return timers.sorted { ($0.due, $0.subject) < ($1.due, $1.subject) }.map { ($0.subject.text, $0.due) }
    }

    public func meta(_ key: String) throws(StoreError) -> [UInt8]? { try database(.reading).value(of: .meta(key)) }

    public func commit(_ batch: StoreBatch) throws(StoreError) {
        try write { changes in
            for change in batch.records { changes.apply(change) }
            for (key, value) in batch.meta { changes.put(.meta(key), value) }
        }
        if batch.waits { try database(.writing).flush() }
    }

    public func close() { open.withLock { $0 = nil } }

    func database(_ attempt: StoreError.Attempt) throws(StoreError) -> RocksDB {
        guard let database = open.withLock({ $0 }) else { throw .closed(path, attempt) }
        return database
    }

    func write(_ body: (borrowing RocksDBBatch) -> Void) throws(StoreError) {
        let database = try database(.writing)
        if isReadOnly { throw .openedReadOnly(path) }
        try database.write(body)
    }

    /// Shows what begins with `kind`, in order, as long as `body` wants more.
    func forEach(
        _ kind: UInt8, from first: [UInt8]? = nil,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(StoreError) {
        try database(.reading).forEach(from: first ?? [kind]) { key, value in key.first == kind && body(key, value) }
    }
}

extension RocksDBBatch {
    func apply(_ change: RecordChange) {
        guard let row = StoredRow(change) else { return removeRecord(of: change.subject) }
        put(.record(change.subject), row.stored)
        if let due = change.nextDue {
            put(.timer(change.subject), due.milliseconds.bytes)
        } else {
            remove(.timer(change.subject))
        }
    }

    func removeRecord(of subject: String) {
        remove(.record(subject))
        remove(.timer(subject))
    }
}
