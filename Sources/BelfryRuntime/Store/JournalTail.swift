import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryStore
import Synchronization

/// What the journal knows of records and the store does not yet: everything after the last checkpoint.
final class JournalTail: Sendable {
    /// The name of the value that says what the changes refer to.
    static let names = "names"
    /// In the store: what tells it from others, and the last entry of the journal that it has come to.
    static let (identity, checkpoint) = ("store", "checkpoint")

    /// The last entry.
    let last: UInt64
    /// How records changed that the store does not have yet, by subject, in order.
    private let changes: Mutex<Changes>
    /// What holds at its end.
    let values: [String: [UInt8]]
    let directory = StateDirectory()
    private let path: String

    struct Change {
        /// The entry that it is in.
        var entry: UInt64
        var difference: ArraySlice<UInt8>
    }

    private struct Changes {
        var bySubject: [SubjectKey: [Change]]
        /// Its keys in order; nil until a page is asked for again. Paging would else sort once a page.
        private var sorted: [SubjectKey]?

        init(_ bySubject: [SubjectKey: [Change]]) { self.bySubject = bySubject }

        mutating func forget(_ subject: String) {
            if bySubject.removeValue(forKey: SubjectKey(subject)) != nil { sorted = nil }
        }

        mutating func page(after: String?, limit: Int) -> ArraySlice<SubjectKey> {
            let keys = sorted ?? bySubject.keys.sorted()
            sorted = keys
            let start = after.map { keys.firstIndex(after: SubjectKey($0)) } ?? 0
            return keys[start...].prefix(limit)
        }
    }

    /// - Parameter reader: begins behind the checkpoint.
    init(_ reader: JournalReader, after checkpoint: UInt64, path: String) throws {
        let place = reader.last
        var (last, changes): (UInt64, [SubjectKey: [Change]]) = (place, [:])
        while let entry = try reader.next() {
            last = entry.number
            let isSound = RecordChanges.forEach(in: entry[.changes]) {
                changes[SubjectKey($0), default: []].append(Change(entry: entry.number, difference: $1))
            }
            if !isSound { throw JournalError.senseless(path, number: last) }
        }
        if last > place { try reader.checkBeginning(at: place, of: checkpoint) }
        (self.path, self.last, values) = (path, last, reader.values)
        self.changes = Mutex(Changes(changes))
        if let names = reader.values[Self.names], !directory.add(names) {
            throw RunPositionFailure(reason: "the names that its journal refers to make no sense")
        }
    }

    /// The last entry of the journal that a store has come to.
    static func checkpoint(of store: any RecordStore) throws -> UInt64 {
        guard let bytes = try store.meta(checkpoint) else { return 0 }
        guard let number = UInt64(String(decoding: bytes, as: UTF8.self)) else {
            throw RunPositionFailure(reason: "what it says of its last checkpoint makes no sense")
        }
        return number
    }

    static func meta(checkpoint number: UInt64) -> [String: [UInt8]] { [checkpoint: Array("\(number)".utf8)] }

    // MARK: Subjects

    /// The subjects with changes that the store does not have yet.
    var subjects: [SubjectKey] { changes.withLock { Array($0.bySubject.keys) } }

    /// The first `limit` of them that come after one, in order.
    func subjects(after: String?, limit: Int) -> ArraySlice<SubjectKey> {
        changes.withLock { $0.page(after: after, limit: limit) }
    }

    var isEmpty: Bool { changes.withLock { $0.bySubject.isEmpty } }

    func has(_ subject: String) -> Bool { changes.withLock { $0.bySubject[SubjectKey(subject)] != nil } }

    /// These subjects, each with the last entry that changes its record.
    var newest: [(key: SubjectKey, entry: UInt64)] {
        changes.withLock { $0.bySubject.map { ($0, $1.last?.entry ?? 0) } }
    }

    /// Drops the changes of subjects whose rows in the store are as new, or newer.
    func forget(_ subjects: some Sequence<String>) {
        changes.withLock { changes in for subject in subjects { changes.forget(subject) } }
    }

    /// When the next timer is due, of the subjects for whom a change says so; nil for one that has no timer left.
    var timers: [SubjectKey: Instant?] {
        changes.withLock { changes in
            changes.bySubject.compactMapValues { changes in
                changes.reversed().lazy.compactMap { RecordDifference.nextDue(after: $0.difference) }.first
            }
        }
    }

    // MARK: Records

    /// The record of a subject as it is now.
    ///
    /// Its row may have come to anywhere among the changes, since checkpoints are written by and by; also while it is read.
    func record(of subject: String, in store: any RecordStore) throws -> SubjectRecord {
        let changes = changes.withLock { $0.bySubject[SubjectKey(subject)] }
        var (done, bytes) = (try store.entry(of: subject), try store.record(for: subject))
        while case let now = try store.entry(of: subject), now != done {
            (done, bytes) = (now, try store.record(for: subject))
        }
        return try record(of: subject, changes ?? [], from: bytes, at: done, in: store)
    }

    /// - Parameters:
    ///   - bytes: its row; nil if it has none.
    ///   - done: the entry which that has come to.
    private func record(
        of subject: String, _ changes: [Change], from bytes: [UInt8]?, at done: UInt64, in store: any RecordStore
    ) throws -> SubjectRecord {
        let base = try base(of: subject, bytes, in: store)
        if changes.isEmpty { return base }
        var kept = KeptRecord(base)
        for change in changes where change.entry > done {
            if !kept.apply(change.difference) {
                throw JournalError.unknownChanges(path, number: change.entry, subject: subject)
            }
        }
        return try kept.record(of: subject, directory)
    }

    private func base(of subject: String, _ bytes: [UInt8]?, in store: any RecordStore) throws -> SubjectRecord {
        guard let bytes else {
            return SubjectRecord(subject: subject, lastDecision: try store.lastDecision(ofForgotten: subject))
        }
        return try SubjectRecord(of: subject, bytes)
    }

    /// Brings a store up to its end, a few records at a time.
    ///
    /// - Parameters:
    ///   - isOver: whether to leave the rest for another time.
    ///   - repairs: whether a subject goes back to what its row says where the changes do not fit to that. A row that cannot be read stays
    ///     as it is.
    /// - Returns: the subjects who went back.
    @discardableResult
    func store(
        in store: any RecordStore, unless isOver: () -> Bool = { false }, repairs: Bool = false
    ) throws -> [String] {
        var (piece, back) = (StorePiece(), [String]())
        for subjects in subjects.sorted().map(\.text).chunks(of: 50) {
            if isOver() { break }
            for (subject, record) in zip(subjects, try records(of: subjects, in: store, repairs)) {
                if record?.isBack == true { back.append(subject) }
                piece.add(subject, record?.change)
            }
            if piece.isFull { try commit(&piece, to: store) }
        }
        try commit(&piece, to: store)
        if isEmpty { try store.commit(StoreBatch(meta: Self.meta(checkpoint: last))) }
        return back
    }

    private func commit(_ piece: inout StorePiece, to store: any RecordStore) throws {
        try store.commit(StoreBatch(records: piece.changes, waits: false))
        forget(piece.subjects)
        piece = StorePiece()
    }

    /// What the rows of subjects are to be; nil for one that cannot be read.
    private func records(
        of subjects: [String], in store: any RecordStore, _ repairs: Bool
    ) throws -> [(change: RecordChange, isBack: Bool)?] {
        let (rows, entries) = (try store.records(for: subjects), try store.entries(of: subjects))
        let known = changes.withLock { changes in subjects.map { changes.bySubject[SubjectKey($0)] ?? [] } }
        return try subjects.indices.map { index in
            let (subject, bytes) = (subjects[index], rows[index]?.bytes)
            do {
                let record = try record(of: subject, known[index], from: bytes, at: entries[index], in: store)
                return (change(to: record), false)
            } catch {
                guard repairs, Self.isDamage(error) else { throw error }
                guard var record = try? base(of: subject, bytes, in: store) else { return nil }
                // The row does not have the decisions behind it. They are fewer than 2^32, which is less than a record in quarantine counts.
                record.decisions += 1 << 32
                return (change(to: record), true)
            }
        }
    }

    /// What a newer belfry wrote is none.
    private static func isDamage(_ error: any Error) -> Bool {
        if let failure = error as? RecordFailure { return !failure.damage.isNewer }
        return (error as? JournalError)?.code == .damaged
    }

    private func change(to record: borrowing SubjectRecord) -> RecordChange {
        RecordChange(
            subject: record.subject, bytes: record.stored(directory), nextDue: record.nextDue, entry: last)
    }
}

extension [String] {
    fileprivate func chunks(of size: Int) -> [[String]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
