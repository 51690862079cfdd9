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
    private let entries = SubjectTable<Entry> { $0.record.subject }
    /// Who was asked for last is likely to be asked for again.
    @exclusivity(unchecked) private var last: Entry?
    @exclusivity(unchecked) private var changed: [Entry] = []
    @exclusivity(unchecked) private var generation: UInt64 = 0
    /// For turning records into bytes.
    @exclusivity(unchecked) private var scratch = ByteWriter()

    /// A record in the cache, with what is to be known about it there.
    final class Entry {
        let record: SubjectRecord
        /// The earliest timer, as the queue of timers knows it.
        @exclusivity(unchecked) var due: Instant?
        @exclusivity(unchecked) fileprivate var lastUsed: UInt64 = 0
        @exclusivity(unchecked) fileprivate var isChanged = false
        fileprivate var isLeaving = false

        fileprivate init(_ record: SubjectRecord) {
            self.record = record
            due = record.nextDue
        }
    }

    init(_ store: any RecordStore, isDurable: Bool, capacity: Int) {
        self.store = store
        self.isDurable = isDurable
        self.capacity = capacity
    }

    /// The subject's record; a fresh one for somebody new.
    func entry(for subject: String) throws -> Entry {
        if let last, last.record.subject.isSameText(as: subject) { return last }
        let entry = try entries[subject] ?? newEntry(for: subject)
        last = entry
        return entry
    }

    private func newEntry(for subject: String) throws -> Entry {
        let entry = Entry(try read(subject))
        entry.lastUsed = generation
        entries.insert(entry)
        return entry
    }

    private func read(_ subject: String) throws -> SubjectRecord {
        guard let bytes = try store.record(for: subject) else { return SubjectRecord(subject: subject) }
        do {
            return try SubjectRecord(subject: subject, decoding: bytes)
        } catch {
            throw RecordFailure(subject: subject, damage: error)
        }
    }

    /// Says that the record was changed and must be in the next commit.
    func touch(_ entry: Entry) {
        entry.lastUsed = generation
        guard !entry.isChanged else { return }
        entry.isChanged = true
        changed.append(entry)
    }

    var hasChanges: Bool { !changed.isEmpty }

    /// What changed since the last commit, as it is to be stored; nothing where a record is written when it makes room.
    func changes() -> [RecordChange] { isDurable ? changed.map { change(of: $0.record) } : [] }

    /// What changed is in the store.
    func didCommit() {
        generation += 1
        guard isDurable else { return }
        for entry in changed { entry.isChanged = false }
        changed.removeAll(keepingCapacity: true)
    }

    /// Turns every live state back into what is stored of it: other plugins are to go on with it, or other versions of them.
    func freeze() {
        for entry in entries.values { entry.record.freeze() }
    }

    private func change(of record: SubjectRecord) -> RecordChange {
        RecordChange(subject: record.subject, bytes: record.encoded(by: belfryVersion, in: &scratch), nextDue: record.nextDue)
    }

    /// When there are too many, lets go of half of the records, those used longest ago.
    func makeRoom() throws {
        guard entries.count > capacity else { return }
        let byAge = entries.values.sorted { ($0.lastUsed, $0.record.subject) < ($1.lastUsed, $1.record.subject) }
        let leaving = byAge.prefix(entries.count - capacity / 2)
        let unwritten = leaving.filter(\.isChanged)
        if !unwritten.isEmpty {
            try store.commit(StoreBatch(records: unwritten.map { change(of: $0.record) }))
        }
        for entry in leaving { (entry.isChanged, entry.isLeaving) = (false, true) }
        entries.removeAll { $0.isLeaving }
        last = nil
        changed.removeAll { !$0.isChanged }
    }
}
