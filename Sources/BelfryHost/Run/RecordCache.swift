import BelfryEngine
import BelfryModel
import BelfryStore

/// The records of the subjects at work, between the engine and the store.
///
/// A changed record stays until it is committed; of the others, the ones used longest ago make room. With a store that does not
/// last longer than the process, a record is written when it makes room and not before.
final class RecordCache {
    private let store: any RecordStore
    private let capacity: Int
    private let isDurable: Bool
    private var entries: [String: Entry] = [:]
    private var changed: [String] = []
    private var generation: UInt64 = 0

    private struct Entry {
        let record: SubjectRecord
        var lastUsed: UInt64
        var isChanged: Bool
    }

    init(_ store: any RecordStore, isDurable: Bool, capacity: Int) {
        self.store = store
        self.isDurable = isDurable
        self.capacity = capacity
    }

    /// The subject's record; a fresh one for somebody new.
    func record(for subject: String) throws -> SubjectRecord {
        if let entry = entries[subject] { return entry.record }
        let record: SubjectRecord
        if let bytes = try store.record(for: subject) {
            do {
                record = try SubjectRecord(subject: subject, decoding: bytes)
            } catch {
                throw RecordFailure(subject: subject, reason: error.reason)
            }
        } else {
            record = SubjectRecord(subject: subject)
        }
        entries[subject] = Entry(record: record, lastUsed: generation, isChanged: false)
        return record
    }

    /// Says that the record was changed and must be in the next commit.
    func touch(_ record: SubjectRecord) {
        entries[record.subject]?.lastUsed = generation
        guard entries[record.subject]?.isChanged == false else { return }
        entries[record.subject]?.isChanged = true
        changed.append(record.subject)
    }

    /// Writes what changed, with `meta`, in one transaction; then makes room.
    func commit(meta: [String: [UInt8]]) throws {
        generation += 1
        if isDurable {
            try store.commit(StoreBatch(records: changed.map { change(of: entries[$0]!.record) }, meta: meta))
            for subject in changed { entries[subject]?.isChanged = false }
            changed.removeAll(keepingCapacity: true)
        }
        if entries.count > capacity { try makeRoom() }
    }

    private func change(of record: SubjectRecord) -> RecordChange {
        RecordChange(subject: record.subject, bytes: record.encoded(), nextDue: record.nextDue)
    }

    /// Lets go of half of the records, those used longest ago.
    private func makeRoom() throws {
        let byAge = entries.sorted { ($0.value.lastUsed, $0.key) < ($1.value.lastUsed, $1.key) }
        let leaving = byAge.prefix(entries.count - capacity / 2)
        let unwritten = leaving.filter(\.value.isChanged)
        if !unwritten.isEmpty { try store.commit(StoreBatch(records: unwritten.map { change(of: $0.value.record) })) }
        let gone = Set(leaving.map(\.key))
        for subject in gone { entries[subject] = nil }
        changed.removeAll(where: gone.contains)
    }
}

/// A stored record that cannot be read.
public struct RecordFailure: Error, CustomStringConvertible {
    public var subject: String
    public var reason: String

    public init(subject: String, reason: String) {
        self.subject = subject
        self.reason = reason
    }

    public var description: String {
        """
        cannot read the record of subject '\(subject)'
          why: \(reason)
          fix: restore the store from a copy, or open it with the belfry that wrote it; nothing was changed
        """
    }
}
