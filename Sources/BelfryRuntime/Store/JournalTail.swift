import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryStore

/// What the journal knows of records and the store does not yet: everything after the last checkpoint.
struct JournalTail {
    /// The name of the value that says what the changes refer to.
    static let names = "names"
    /// In the store: what tells it from others, and the last entry of the journal that it has come to.
    static let (identity, checkpoint) = ("store", "checkpoint")

    /// The last entry.
    private(set) var last: UInt64
    /// How records changed, by subject, in order.
    private(set) var changes: [SubjectKey: [Change]] = [:]
    /// What holds at its end.
    private(set) var values: [String: [UInt8]] = [:]
    let directory = StateDirectory()
    private let path: String

    struct Change {
        /// The entry that it is in.
        var entry: UInt64
        var difference: ArraySlice<UInt8>
    }

    /// - Parameter reader: begins behind the checkpoint.
    init(_ reader: JournalReader, path: String) throws {
        self.path = path
        last = reader.last
        while let entry = try reader.next() {
            last = entry.number
            let isSound = RecordChanges.forEach(in: entry[.changes]) {
                changes[SubjectKey($0), default: []].append(Change(entry: entry.number, difference: $1))
            }
            if !isSound { throw JournalError.senseless(path, number: last) }
        }
        values = reader.values
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

    /// The record of a subject as it is now.
    ///
    /// Its row may have come to anywhere among the changes, since checkpoints are written by and by.
    func record(of subject: String, in store: any RecordStore) throws -> SubjectRecord {
        try record(
            of: subject, from: store.record(for: subject), at: { try store.entry(of: subject) }, in: store)
    }

    /// - Parameters:
    ///   - bytes: its row; nil if it has none.
    ///   - entry: which that has come to.
    private func record(
        of subject: String, from bytes: [UInt8]?, at entry: () throws -> UInt64, in store: any RecordStore
    ) throws -> SubjectRecord {
        let base = try base(of: subject, bytes, in: store)
        guard let changes = changes[SubjectKey(subject)] else { return base }
        let done = try entry()
        var kept = KeptRecord(base)
        for change in changes where change.entry > done {
            let fits = kept.add(change.difference) && kept.apply()
            if !fits { throw JournalError.unknownChanges(path, number: change.entry, subject: subject) }
        }
        return try kept.record(of: subject, directory)
    }

    private func base(of subject: String, _ bytes: [UInt8]?, in store: any RecordStore) throws -> SubjectRecord {
        guard let bytes else {
            return SubjectRecord(subject: subject, lastDecision: try store.lastDecision(ofErased: subject))
        }
        do throws(RecordDamage) {
            return try SubjectRecord(subject: subject, reading: bytes)
        } catch {
            throw RecordFailure(subject: subject, damage: error)
        }
    }

    /// Writes all of it into the store.
    func store(in store: any RecordStore) throws {
        for piece in changes.keys.sorted().chunks(of: 1000) {
            let subjects = piece.map(\.text)
            let (rows, entries) = (try store.records(for: subjects), try store.entries(of: subjects))
            let records = try subjects.indices.map { index in
                let subject = subjects[index]
                let record = try record(of: subject, from: rows[index], at: { entries[index] }, in: store)
                return RecordChange(
                    subject: subject, bytes: record.stored(directory), nextDue: record.nextDue, entry: last)
            }
            try store.commit(StoreBatch(records: records, waits: false))
        }
        try store.commit(StoreBatch(meta: Self.meta(checkpoint: last)))
    }
}

extension [SubjectKey] {
    fileprivate func chunks(of size: Int) -> [ArraySlice<SubjectKey>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
