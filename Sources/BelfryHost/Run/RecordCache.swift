import BelfryEngine
import BelfryModel
import BelfryStore

/// The records of the subjects at work, between the engine and the store.
///
/// A changed record stays until it is committed; of the others, the ones used longest ago make room. With a store that does not
/// last longer than the process, a record is written when it makes room and not before.
final class RecordCache {
    private let store: any RecordStore
    /// More records than that have to make room.
    @exclusivity(unchecked) var capacity: Int
    private let isDurable: Bool
    private let records = SubjectTable()
    /// Who was asked for last is likely to be asked for again; kept by the table.
    @exclusivity(unchecked) private var last: Unmanaged<SubjectRecord>?
    /// What the next commit is to write; nothing where a record is written when it makes room.
    @exclusivity(unchecked) private var changed: [SubjectRecord] = []
    @exclusivity(unchecked) private var generation: UInt32 = 0
    /// For turning records into bytes.
    @exclusivity(unchecked) private var scratch = ByteWriter()
    /// What the records that are read have in common.
    private let notices = NoticeLibrary()

    init(_ store: any RecordStore, isDurable: Bool, capacity: Int) {
        self.store = store
        self.isDurable = isDurable
        self.capacity = capacity
    }

    /// The subject's record; a fresh one for somebody new.
    func record(of subject: String) throws -> SubjectRecord { try lent(subject).takeUnretainedValue() }

    /// The same without counting a reference: it is kept until there is made room.
    func lent(_ subject: String) throws -> Unmanaged<SubjectRecord> {
        if let last, last._withUnsafeGuaranteedRef({ $0.isOf(subject) }) { return last }
        let record = try records.lent(subject) ?? newRecord(of: subject)
        last = record
        return record
    }

    /// Has the processor fetch the records of subjects, by their hashes, while it still does something else: a record that it
    /// has not seen for a while costs more to wait for than to decide about.
    ///
    /// - Returns: the hashes of those whose records a disk may have, to be read in one go.
    func prefetch(_ hashes: some Sequence<UInt64>) -> Set<UInt64> {
        for hash in hashes { records.prefetchPlace(hash) }
        var missing: Set<UInt64> = []
        for hash in hashes where !records.prefetchEntry(hash) && isDurable { missing.insert(hash) }
        for hash in hashes { records.prefetchParts(hash) }
        return missing
    }

    /// Reads the records of subjects that will be asked for. What cannot be read is left to whoever asks.
    func fetch(_ subjects: [String]) {
        guard let found = try? store.records(for: subjects) else { return }
        for (subject, bytes) in zip(subjects, found) where records.lent(subject) == nil {
            if let record = try? record(of: subject, from: bytes) { add(record) }
        }
    }

    @inline(never)
    private func newRecord(of subject: String) throws -> Unmanaged<SubjectRecord> {
        let record = try record(of: subject, from: try store.record(for: subject))
        add(record)
        return .passUnretained(record)
    }

    private func add(_ record: SubjectRecord) {
        record.lastUse = generation
        records.insert(record)
    }

    private func record(of subject: String, from bytes: [UInt8]?) throws -> SubjectRecord {
        guard let bytes else { return SubjectRecord(subject: subject) }
        let record = try decode(bytes, of: subject)
        // Somebody may have written it in one piece.
        if SubjectRecord.hasParts(bytes), try store.parts(of: subject) != record.partNumbers { record.disownParts() }
        return record
    }

    private func decode(_ bytes: [UInt8], of subject: String) throws(RecordFailure) -> SubjectRecord {
        do {
            return try SubjectRecord(subject: subject, decoding: bytes, notices: notices)
        } catch {
            throw RecordFailure(subject: subject, damage: error)
        }
    }

    /// Says that the record was changed and must be in the next commit.
    func touch(_ record: SubjectRecord) {
        if record.touch(generation), isDurable { changed.append(record) }
    }

    var hasChanges: Bool { !changed.isEmpty }

    /// What changed since the last commit, as it is to be stored.
    func changes() -> [RecordChange] { changed.map { change(of: $0) } }

    /// What changed is in the store.
    func didCommit() {
        generation &+= 1
        for record in changed { record.use.isUnwritten = false }
        changed.removeAll(keepingCapacity: true)
    }

    /// Turns every live state back into what is stored of it: other plugins are to go on with it, or other versions of them.
    func freeze() {
        for record in records.values { record.freeze() }
    }

    private func change(of record: SubjectRecord) -> RecordChange {
        let change = record.change(by: belfryVersion, in: &scratch)
        return RecordChange(
            subject: record.subject, bytes: change.bytes, nextDue: record.nextDue,
            parts: change.parts.map { RecordPart(number: $0.number, bytes: $0.bytes) },
            keepsParts: change.keepsParts)
    }

    /// How many records there are.
    var count: Int { records.count }

    var needsRoom: Bool { count > capacity }

    /// When there are too many, lets go of half of the records, those used longest ago.
    func makeRoom() throws {
        guard needsRoom else { return }
        let leaving = oldest(records.count - capacity / 2)
        let unwritten = leaving.filter(\.use.isUnwritten)
        if !unwritten.isEmpty {
            try store.commit(StoreBatch(records: unwritten.map { change(of: $0) }))
        }
        for record in leaving { record.use = SubjectRecord.Use(isOver: true) }
        records.removeAll { $0.use.isOver }
        last = nil
        changed.removeAll { $0.use.isOver }
    }

    /// So many of the records, those used longest ago. Which of those that were used in the same batch does not matter.
    private func oldest(_ count: Int) -> [SubjectRecord] {
        let last = records.values.map(\.lastUse).sorted()[count - 1]
        var oldest: [SubjectRecord] = []
        var others: [SubjectRecord] = []
        for record in records.values {
            if record.lastUse < last {
                oldest.append(record)
            } else if record.lastUse == last {
                others.append(record)
            }
        }
        return oldest + others.prefix(count - oldest.count)
    }
}
