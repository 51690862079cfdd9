import BelfryModel
import BelfryPostgres
import Dispatch
import Synchronization

/// A store in a PostgreSQL database, which several processes on several machines may share: one at a time writes (`PostgresLease`), any number
/// reads.
///
/// Its journal is in the same database. It needs the system's `libpq`.
public final class PostgresStore: RecordStore {
    public let address: PostgresAddress
    /// For messages.
    var name: String { address.description }
    /// Nil if it was closed.
    private let open: Mutex<PostgresDatabase?>
    private let vacuuming = DispatchGroup()
    /// Whether the store may have subjects that were erased, or are in quarantine. Most have none, and then a new subject need not be looked
    /// for among them.
    let mayHaveForgotten: Atomic<Bool>

    /// Opens the store of a database.
    ///
    /// With `readOnly` nothing is created nor changed, and another process may be writing to it. Throws `locked` if another one has it open for
    /// writing, with where that can be reached; `missing`, `newer`, `damaged`, `readOnly` or `permission` for a database that will not
    /// do; `unreachable` if it cannot be reached, `failed` if the library is missing.
    ///
    /// - Parameter creates: whether to make a store where there is none.
    public init(at address: PostgresAddress, readOnly: Bool = false, creates: Bool = true) throws(StoreError) {
        self.address = address
        do throws(PostgresError) {
            let database =
                readOnly
                ? try PostgresDatabase(reading: address) : try PostgresDatabase(writing: address, creates: creates)
            // One that is only read may have a writer elsewhere, which may erase a subject at any time.
            let tables = ["belfry_erased", "belfry_quarantine"].map { "(SELECT FROM \($0) LIMIT 1)" }
            let forgotten = try database.reading.run(tables.joined(separator: " UNION ALL ")).count
            mayHaveForgotten = Atomic(readOnly || forgotten > 0)
            open = Mutex(database)
        } catch {
            throw .postgres(error, .opening, address.description)
        }
    }

    /// - Throws: `StoreError` if it was closed.
    public func database() throws(StoreError) -> PostgresDatabase { try database(.reading) }

    /// - Throws: `StoreError` if this process may not write any more, as far as it has noticed.
    public func checkThatItIsHeld() throws(StoreError) {
        let database = try database(.writing)
        do throws(PostgresError) { try database.check() } catch {
            throw .postgres(error, .writing, name)
        }
    }

    /// Has all that is read from here on be as it is now, records and journal, until the store is closed.
    ///
    /// For a store that is only read. Others may write to it meanwhile.
    public func beginSnapshot() throws(StoreError) {
        let database = try database(.reading)
        do throws(PostgresError) { try database.reading.beginSnapshot() } catch {
            throw .postgres(error, .reading, name)
        }
    }

    public func record(for subject: String) throws(StoreError) -> [UInt8]? {
        let rows = try read("SELECT record FROM belfry_records WHERE subject = $1", [subject.value])
        return rows.count == 0 ? nil : rows.bytes(0, 0)
    }

    public func entry(of subject: String) throws(StoreError) -> UInt64 { try entries(of: [subject])[0] }

    public func entries(of subjects: [String]) throws(StoreError) -> [UInt64] {
        try values("entry", of: subjects) { UInt64(clamping: $0.number($1, 1) ?? 0) }.map { $0 ?? 0 }
    }

    public func records(for subjects: [String]) throws(StoreError) -> [StoredRecord?] {
        try values("record", of: subjects) { StoredRecord($0.bytes($1, 1) ?? []) }
    }

    /// What a column has for subjects, in their order; nil for one that has no record.
    private func values<Value>(
        _ column: String, of subjects: [String], _ value: (PostgresRows, _ row: Int) -> Value
    ) throws(StoreError) -> [Value?] {
        let rows = try read(
            "SELECT subject, \(column) FROM belfry_records WHERE subject = ANY ($1)",
            [.listOfBytes(subjects.map { Array($0.utf8) })])
        var found: [SubjectKey: Int] = [:]
        for row in 0..<rows.count { found[SubjectKey(rows.text(row, 0) ?? "")] = row }
        return subjects.map { subject in found[SubjectKey(subject)].map { value(rows, $0) } }
    }

    public func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        let rows = try read(
            "SELECT subject FROM belfry_records WHERE $1 IS NULL OR subject > $1 ORDER BY subject LIMIT $2",
            [.bytes(after.map { Array($0.utf8) }), .number(Int64(max(0, limit)))])
        return (0..<rows.count).compactMap { rows.text($0, 0) }
    }

    public func subjects(changedLast limit: Int) throws(StoreError) -> [String] {
        let rows = try read(
            "SELECT subject FROM belfry_records ORDER BY entry DESC, subject LIMIT $1", [.number(Int64(max(0, limit)))],
            mayTakeLong: true)
        return (0..<rows.count).compactMap { rows.text($0, 0) }
    }

    public func timers() throws(StoreError) -> [(subject: String, due: Instant)] {
        let rows = try read(
            "SELECT subject, next_due FROM belfry_records WHERE next_due IS NOT NULL ORDER BY next_due, subject",
            mayTakeLong: true)
        return (0..<rows.count).map { row in
            (rows.text(row, 0) ?? "", Instant(milliseconds: rows.number(row, 1) ?? 0))
        }
    }

    public func meta(_ key: String) throws(StoreError) -> [UInt8]? {
        let rows = try read("SELECT value FROM belfry_meta WHERE key = $1", [.text(key)])
        return rows.count == 0 ? nil : rows.bytes(0, 0)
    }

    public func commit(_ batch: StoreBatch) throws(StoreError) {
        try write(waits: batch.waits) { session throws(PostgresError) in
            // Of two changes to one subject the later one holds, and no statement changes a row twice.
            let changes = Dictionary(batch.records.map { (SubjectKey($0.subject), $0) }, uniquingKeysWith: { $1 })
                .values
            try session.put(changes.filter { $0.bytes != nil })
            try session.remove(changes.filter { $0.bytes == nil })
            for (key, value) in batch.meta {
                try session.run(
                    """
                    INSERT INTO belfry_meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value
                    """, [.text(key), .bytes(value)])
            }
        }
    }

    /// Removes what is dead in tables, on a connection and a thread of its own. Closing waits for it.
    func vacuum(_ tables: [String]) {
        DispatchQueue.global().async(group: vacuuming) { [address] in
            guard let connection = try? PostgresConnection(address, writes: true) else { return }
            // Few dead rows would else stay in the indexes.
            for table in tables { _ = try? connection.run("VACUUM (INDEX_CLEANUP ON) \(table)", mayTakeLong: true) }
        }
    }

    public func close() {
        let database = open.withLock { database in
            defer { database = nil }
            return database
        }
        // Outside of the lock, since a database that stands still lets it wait.
        database?.close()
        // Another process may have the lease meanwhile.
        vacuuming.wait()
    }

    func database(_ attempt: StoreError.Attempt) throws(StoreError) -> PostgresDatabase {
        guard let database = open.withLock({ $0 }) else { throw .closed(name, attempt) }
        return database
    }

    func read(
        _ sql: String, _ values: [PostgresValue] = [], mayTakeLong: Bool = false
    ) throws(StoreError) -> PostgresRows {
        let database = try database(.reading)
        do throws(PostgresError) {
            return try database.reading.run(sql, values, mayTakeLong: mayTakeLong)
        } catch {
            throw .postgres(error, .reading, name)
        }
    }

    func write(
        waits: Bool = true, _ body: (inout PostgresSession) throws(PostgresError) -> Void
    ) throws(StoreError) {
        let database = try database(.writing)
        if database.lease == nil { throw .openedReadOnly(name) }
        do throws(PostgresError) { try database.write(.records, waits: waits, body) } catch {
            throw .postgres(error, .writing, name)
        }
    }
}

extension PostgresSession {
    fileprivate mutating func put(_ changes: [RecordChange]) throws(PostgresError) {
        if changes.isEmpty { return }
        try run(
            """
            INSERT INTO belfry_records (subject, record, next_due, entry) SELECT * FROM unnest($1, $2, $3, $4)
            ON CONFLICT (subject) DO UPDATE SET record = excluded.record, next_due = excluded.next_due, entry = excluded.entry
            """,
            [
                .listOfBytes(changes.map { Array($0.subject.utf8) }), .listOfBytes(changes.map { $0.bytes ?? [] }),
                .listOfNumbers(changes.map { $0.nextDue?.milliseconds }),
                .listOfNumbers(changes.map { Int64(clamping: $0.entry) }),
            ])
    }

    fileprivate mutating func remove(_ changes: [RecordChange]) throws(PostgresError) {
        if changes.isEmpty { return }
        try run(
            "DELETE FROM belfry_records WHERE subject = ANY ($1)",
            [.listOfBytes(changes.map { Array($0.subject.utf8) })])
    }
}

extension String {
    /// As a parameter.
    var value: PostgresValue { .bytes(Array(utf8)) }
}
