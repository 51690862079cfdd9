import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryStore

/// A store with what its journal knows besides: one that is only read, also while a run is writing to it, or that of a run that began
/// before the store had come to the end of its journal.
public final class JournaledStore: RecordStore {
    let rows: any RecordStore
    private let tail: JournalTail
    private let journal: JournalLocation
    /// Whether a `Runner` decides on what is read here. Then a change that makes no sense is an error, in place of the row as it is.
    private let isOfRun: Bool

    /// Opens a store for reading.
    ///
    /// - Parameter atOneInstant: whether all that is read is to be as it is now, where the store can: one in PostgreSQL. A reader of SQLite
    ///   that goes on for long would let no erasure come to its end.
    /// - Throws: `StoreError`, `JournalError`, `RunPositionFailure`; `ShadowRefusal` or `RecordTransferFailure` while a promotion or an
    ///   import is not finished.
    public init(_ location: StoreLocation, atOneInstant: Bool = false) throws {
        (rows, journal, tail) = try Self.open(location, atOneInstant)
        isOfRun = false
    }

    /// Reads what is committed in a store that this process has open, and that is not to be closed here.
    public init(of store: OpenStore) throws {
        (rows, journal, isOfRun) = (store.records, store.journal.location, false)
        let checkpoint = try JournalTail.checkpoint(of: rows)
        tail = try JournalTail(try store.journal.reader(after: checkpoint), after: checkpoint, path: journal.name)
    }

    /// A store that is behind its journal.
    init(_ rows: any RecordStore, _ journal: Journal, after checkpoint: UInt64) throws {
        (self.rows, self.journal, isOfRun) = (rows, journal.location, true)
        tail = try JournalTail(try journal.reader(after: checkpoint), after: checkpoint, path: journal.path)
    }

    /// Brings the store up to the end of its journal. Others may read meanwhile, and none may write.
    ///
    /// - Parameter isOver: whether to leave the rest for another time.
    /// - Returns: the entry to which it has come; nil if something is left.
    func catchUp(unless isOver: () -> Bool = { false }) throws -> UInt64? {
        try tail.store(in: rows, unless: isOver)
        return tail.isEmpty ? tail.last : nil
    }

    /// The same, also where rows are damaged.
    ///
    /// - Returns: the subjects whose rows can be read, and have not come to its end.
    func repair() throws -> [String] { try tail.store(in: rows, repairs: true) }

    /// A run that is under way may drop what was needed, when it has made a checkpoint: then a store that is opened now has that.
    private static func open(
        _ location: StoreLocation, _ atOneInstant: Bool, attempts: Int = 5
    ) throws -> (any RecordStore, JournalLocation, JournalTail) {
        let rows = try location.open(readOnly: true)
        do {
            // The journal is in the same database, and read by the same connection.
            if atOneInstant { try (rows as? PostgresStore)?.beginSnapshot() }
            try rows.checkThatItIsWhole(reads: true)
            let journal = try rows.journal(at: location.journalPath)
            let checkpoint = try JournalTail.checkpoint(of: rows)
            let tail = try JournalTail(
                try JournalReader(journal, after: checkpoint), after: checkpoint, path: journal.name)
            return (rows, journal, tail)
        } catch {
            rows.close()
            let code = (error as? JournalError)?.code
            guard attempts > 1, code == .damaged || code == .dropped else { throw error }
            return try open(location, atOneInstant, attempts: attempts - 1)
        }
    }

    public func record(for subject: String) throws(StoreError) -> [UInt8]? {
        if tail.has(subject), let stored = try stored(subject) { return stored }
        return try rows.record(for: subject)
    }

    public func records(for subjects: [String]) throws(StoreError) -> [StoredRecord?] {
        // Looked up first: rows that are stored meanwhile are read again.
        let behind = subjects.indices.filter { tail.has(subjects[$0]) }
        var records = try rows.records(for: subjects)
        for index in behind {
            let place = records[index]?.place ?? 0
            records[index] = try record(for: subjects[index]).map { StoredRecord($0, place: place) }
        }
        return records
    }

    public func entry(of subject: String) throws(StoreError) -> UInt64 {
        tail.has(subject) ? tail.last : try rows.entry(of: subject)
    }

    /// - Returns: nil where its row is to say what it is: it is damaged, or was erased meanwhile.
    private func stored(_ subject: String) throws(StoreError) -> [UInt8]? {
        do {
            return try tail.record(of: subject, in: rows).stored(tail.directory)
        } catch let error as StoreError {
            throw error
        } catch {
            if !isOfRun || error is RecordFailure { return nil }
            let why = error as? JournalError ?? .unknownChanges(journal.name, number: tail.last, subject: subject)
            throw StoreError(code: .damaged, path: journal.name, message: "\(why)")
        }
    }

    public func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        let new = tail.subjects(after: after, limit: max(0, limit))
        let page = try rows.subjects(after: after, limit: limit)
        let all = Set(page.map(SubjectKey.init)).union(new).sorted()
        // Behind a full page of rows, it is not known yet which row comes next.
        let end = page.count == limit ? page.last.map(SubjectKey.init) : nil
        return all.filter { key in end.map { key <= $0 } ?? true }.prefix(max(0, limit)).map(\.text)
    }

    /// What the journal tells of came last.
    public func subjects(changedLast limit: Int) throws(StoreError) -> [String] {
        let new = tail.newest.sorted { ($1.entry, $0.key) < ($0.entry, $1.key) }
        let rest = try rows.subjects(changedLast: limit).filter { !tail.has($0) }
        return Array((new.map(\.key.text) + rest).prefix(max(0, limit)))
    }

    public func timers() throws(StoreError) -> [(subject: String, due: Instant)] {
        let known = tail.timers
        let others = try rows.timers().filter { known[SubjectKey($0.subject)] == nil }
        let changed = known.compactMap { key, due in due.map { (subject: key.text, due: $0) } }
        return (others + changed).sorted { ($0.due, SubjectKey($0.subject)) < ($1.due, SubjectKey($1.subject)) }
    }

    public func count() throws(StoreError) -> Int {
        var new = 0
        for subject in tail.subjects {
            if try rows.record(for: subject.text) == nil { new += 1 }
        }
        return try rows.count() + new
    }

    public func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError) {
        var seen: Set<SubjectKey> = []
        try rows.forEachRow { row in
            guard row.fault == nil, tail.has(row.subject) else { return body(row) }
            seen.insert(SubjectKey(row.subject))
            body(current(row))
        }
        for subject in tail.subjects.sorted() where !seen.contains(subject) {
            body(current(StoreRow(id: -1, subject: subject.text)))
        }
    }

    /// Why what the journal has of a subject cannot be added to its row; nil if it can, or if the row itself is damaged.
    func journalFault(of subject: String) -> String? {
        tail.has(subject) ? current(StoreRow(id: -1, subject: subject)).fault : nil
    }

    private func current(_ row: StoreRow) -> StoreRow {
        var row = row
        do {
            let record = try tail.record(of: row.subject, in: rows)
            (row.bytes, row.nextDue) = (record.stored(tail.directory), record.nextDue)
        } catch is RecordFailure {
            // What is wrong with the row is said of the row.
        } catch {
            row.fault = "what its journal says of it does not fit to it"
        }
        return row
    }

    /// Also what the journal says of a run, or said when the store was closed.
    public func meta(_ key: String) throws(StoreError) -> [UInt8]? {
        if let value = try rows.meta(key) { return value }
        // A run has what its journal says by now elsewhere.
        if isOfRun { return nil }
        if let value = tail.values[key] { return value }
        return try OpenStore.valuesAtEnd(of: rows)?[key]
    }
    public func commit(_ batch: StoreBatch) throws(StoreError) {
        try rows.commit(batch)
        tail.forget(batch.records.lazy.map(\.subject))
    }
    public func close() { rows.close() }

    /// Also those of the journal: all of it is read.
    public func faults() throws(StoreError) -> [String] {
        let (faults, fault) = (try rows.faults(), try journalFault())
        return faults + (fault.map { [$0.reason] } ?? [])
    }

    /// What is wrong with its journal, all of which is read; nil if nothing is.
    func journalFault() throws(StoreError) -> Verification.Fault? {
        do {
            try checkJournal()
            return nil
        } catch let error as StoreError {
            throw error
        } catch let error as JournalError {
            return Verification.Fault(reason: "its journal is damaged: \(error.reason)", fix: error.fix)
        } catch {
            let reason = (error as? RunPositionFailure)?.reason ?? "\(error)"
            return Verification.Fault(reason: reason, fix: RunPositionFailure.fix)
        }
    }

    private func checkJournal(attempts: Int = 5) throws {
        // First: a run may go on meanwhile.
        let (checkpoint, identity) = (try JournalTail.checkpoint(of: rows), try rows.meta(JournalTail.identity) ?? [])
        let mayBeAlone = try OpenStore.valuesAtEnd(of: rows) != nil
        let mustBe = try checkpoint > 0 || OpenStore.isBegun(rows)
        do throws(JournalError) {
            let reader = try JournalReader(journal)
            while try reader.next() != nil {}
            if reader.last > 0 {
                try Journal.check(reader.values, of: String(decoding: identity, as: UTF8.self), journal.name)
                if reader.last < checkpoint { throw .behind(journal.name, last: reader.last, checkpoint: checkpoint) }
            } else if mustBe, !mayBeAlone {
                throw .missing(journal.name, after: 0)
            }
        } catch {
            guard attempts > 1, error.code == .dropped else { throw error }
            try checkJournal(attempts: attempts - 1)
        }
    }

    public func quarantine(_ moved: [(row: StoreRow.ID, reason: String)]) throws(StoreError) {
        try rows.quarantine(moved)
    }
    public func quarantinedCount() throws(StoreError) -> Int { try rows.quarantinedCount() }
    public func quarantined(of subject: String) throws(StoreError) -> [QuarantinedRecord] {
        try rows.quarantined(of: subject)
    }
    public func erase(_ subject: String, lastDecision: UInt64) throws(StoreError) {
        try rows.erase(subject, lastDecision: lastDecision)
        tail.forget([subject])
    }
    public func checkThatItErases() throws(StoreError) { try rows.checkThatItErases() }
    public var unfinishedErasure: String? { rows.unfinishedErasure }
    public func erasedCount() throws(StoreError) -> Int { try rows.erasedCount() }
    public func lastDecision(ofForgotten subject: String) throws(StoreError) -> UInt64 {
        try rows.lastDecision(ofForgotten: subject)
    }
    public func forgotten() throws(StoreError) -> [ForgottenSubject] { try rows.forgotten() }
    public func note(_ forgotten: [ForgottenSubject]) throws(StoreError) { try rows.note(forgotten) }
}
