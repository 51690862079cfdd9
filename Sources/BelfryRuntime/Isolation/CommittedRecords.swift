import BelfryCore
import BelfryModel
import BelfryStore

/// The records of a shard whose process may die at any time, as its last answer left them.
///
/// Where nothing is durable, all of them; else those that the store does not have yet.
final class CommittedRecords {
    private let store: any RecordStore
    private let isDurable: Bool
    private var records: [SubjectKey: Record] = [:]
    /// Of a durable store: changed, and not given to be stored.
    private var dirty: [SubjectKey] = []
    private var unstored: ArraySlice<SubjectKey> = []
    /// Given to be stored, with the batch that they were given with.
    private var given: [(batch: UInt32, subjects: [SubjectKey])] = []
    private(set) var batch: UInt32 = 1

    private struct Record {
        var bytes: [UInt8]
        var nextDue: Instant?
        /// Whether it changed since it was given to be stored.
        var isDirty: Bool
        var given: UInt32
        /// The batch that changed it last.
        var changed: UInt32
    }

    init(_ store: OpenStore) { (self.store, isDurable) = (store.records, store.isDurable) }

    /// Takes records as they are now.
    func take(_ changes: [RecordChange]) {
        batch &+= 1
        for change in changes { take(change) }
    }

    private func take(_ change: RecordChange) {
        let key = SubjectKey(change.subject)
        let wasDirty = records[key]?.isDirty ?? false
        records[key] = Record(
            bytes: change.bytes ?? [], nextDue: change.nextDue, isDirty: isDurable, given: 0, changed: batch)
        if isDurable, !wasDirty { dirty.append(key) }
    }

    /// The stored form of a record, and the number of the last decision of a subject that was erased.
    func record(of subject: String) throws -> (bytes: [UInt8]?, lastDecision: UInt64) {
        if let record = records[SubjectKey(subject)] { return (record.bytes, 0) }
        let bytes = isDurable ? try store.record(for: subject) : nil
        return (bytes, bytes == nil ? try store.lastDecision(ofErased: subject) : 0)
    }

    /// The earliest timer of each subject that has one, of those that `isMine` says yes to.
    ///
    /// - Parameter stored: what the store knew when the run began.
    func timers(
        _ stored: [(subject: String, due: Instant)], _ isMine: (String) -> Bool
    ) throws -> [(subject: String, due: Instant)] {
        let known = isDurable ? try store.timers() : stored
        let others = known.filter { isMine($0.subject) && records[SubjectKey($0.subject)] == nil }
        return others + records.compactMap { key, record in record.nextDue.map { (key.text, $0) } }
    }

    /// Lets go of a record that is stored.
    func forget(_ subject: String) { records[SubjectKey(subject)] = nil }

    /// Some of them, those that changed last.
    func recent(_ limit: Int) -> [(subject: String, bytes: [UInt8])] {
        records.sorted { ($1.value.changed, $0.key) < ($0.value.changed, $1.key) }.prefix(limit).map {
            ($0.key.text, $0.value.bytes)
        }
    }

    // MARK: Checkpoints

    /// Gives some records of a checkpoint.
    func collect(_ part: CheckpointPart, _ answer: ShardAnswer) {
        if part.begins {
            unstored = (Array(unstored) + dirty)[...]
            dirty.removeAll(keepingCapacity: true)
        }
        let now = unstored.prefix(part.limit)
        unstored = unstored.dropFirst(part.limit)
        for key in now {
            guard var record = records[key] else { continue }
            answer.stored.append(RecordChange(subject: key.text, bytes: record.bytes, nextDue: record.nextDue))
            (record.isDirty, record.given) = (false, batch)
            records[key] = record
        }
        if !now.isEmpty { given.append((batch, Array(now))) }
        (answer.unstored, answer.batch) = (unstored.count, batch)
    }

    /// How many records the store does not have yet.
    var dirtyCount: Int { isDurable ? records.count : 0 }

    /// What was given up to that batch is stored: the store has it now.
    func didStore(_ batch: UInt32) {
        while let first = given.first, first.batch <= batch {
            for key in first.subjects where records[key].map({ !$0.isDirty && $0.given == first.batch }) ?? false {
                records[key] = nil
            }
            given.removeFirst()
        }
    }
}
