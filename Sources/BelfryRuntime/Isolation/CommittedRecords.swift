import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryStore

/// The records of a shard whose process may die at any time, as its last answer left them.
///
/// The process gives a record once, and from then on how it changed. Where nothing is durable, all of them are here; else those that the
/// store does not have yet.
final class CommittedRecords {
    private let store: any RecordStore
    private let isDurable: Bool
    /// What they refer to.
    private let directory = StateDirectory()
    private var records: [SubjectKey: Record] = [:]
    /// What the process asked for since its last answer: most of that changes.
    private var lent: [SubjectKey: [UInt8]] = [:]
    /// Of a durable store: changed, and not given to be stored.
    private var dirty: [SubjectKey] = []
    private var unstored: ArraySlice<SubjectKey> = []
    /// Given to be stored, with the batch that they were given with.
    private var given: [(batch: UInt32, subjects: [SubjectKey])] = []
    private(set) var batch: UInt32 = 1

    private final class Record {
        var kept: KeptRecord
        /// Whether it changed since it was given to be stored.
        var isDirty = false
        var given: UInt32 = 0
        /// The batch that changed it last.
        var changed: UInt32 = 0
        /// The batch that gave it as a whole last.
        var whole: UInt32 = 0

        init(_ kept: KeptRecord) { self.kept = kept }
    }

    /// - Parameter names: of the zygote.
    init(_ store: OpenStore, _ names: [UInt8]) {
        (self.store, isDurable) = (store.records, store.isDurable)
        know(names)
    }

    /// What the changes refer to from now on.
    func know(_ names: [UInt8]) { _ = directory.add(names) }

    // MARK: Changing

    /// Takes records over as an answer says that they are now.
    ///
    /// - Parameter isMine: whether a subject is the shard's.
    /// - Throws: if that makes no sense.
    func take(_ answer: ShardAnswer, _ isMine: (String) -> Bool) throws {
        batch &+= 1
        for change in answer.stored {
            guard isMine(change.subject) else { throw ShardFailure.nonsense }
            try take(change.bytes ?? [], of: change.subject)
        }
        let changes = Array(answer.changes.raw(in: answer.taken..<answer.changes.count))
        let isSound = try RecordChanges.forEach(in: changes) { subject, difference in
            guard isMine(subject) else { throw ShardFailure.nonsense }
            try apply(difference, to: subject)
        }
        guard isSound else { throw ShardFailure.nonsense }
        answer.stored = []
        if !isDurable { answer.changes.removeAll() }
        answer.taken = answer.changes.count
        lent.removeAll(keepingCapacity: true)
    }

    private func take(_ bytes: [UInt8], of subject: String) throws {
        let key = SubjectKey(subject)
        do throws(RecordDamage) {
            let kept = try KeptRecord(subject: subject, stored: bytes, directory)
            let record = records[key] ?? Record(kept)
            (record.kept, record.whole) = (kept, batch)
            records[key] = record
            noteChange(of: record, key)
        } catch {
            throw ShardFailure.nonsense
        }
    }

    private func apply(_ difference: ArraySlice<UInt8>, to subject: String) throws {
        let key = SubjectKey(subject)
        let record = try records[key] ?? lentRecord(key)
        // What was given as a whole has the change.
        if record.whole == batch { return }
        guard record.kept.add(difference) else { throw ShardFailure.nonsense }
        noteChange(of: record, key)
    }

    /// What the process was given, or would have been.
    private func lentRecord(_ key: SubjectKey) throws -> Record {
        let bytes = try lent[key] ?? (isDurable ? store.record(for: key.text) : nil)
        guard let bytes else { throw ShardFailure.nonsense }
        do throws(RecordDamage) {
            let record = Record(try KeptRecord(subject: key.text, stored: bytes, directory))
            records[key] = record
            return record
        } catch {
            throw RecordFailure(subject: key.text, damage: error)
        }
    }

    private func noteChange(of record: Record, _ key: SubjectKey) {
        record.changed = batch
        guard isDurable, !record.isDirty else { return }
        record.isDirty = true
        dirty.append(key)
    }

    // MARK: Reading

    /// The stored form of a record, and the number of the last decision of a subject that was erased.
    func record(of subject: String) throws -> (bytes: [UInt8]?, lastDecision: UInt64) {
        if let record = try stored(SubjectKey(subject)) { return (record.bytes, 0) }
        let bytes = isDurable ? try store.record(for: subject) : nil
        lent[SubjectKey(subject)] = bytes
        return (bytes, bytes == nil ? try store.lastDecision(ofErased: subject) : 0)
    }

    /// A record that is here as it is to be stored; nil if it is not here.
    private func stored(_ key: SubjectKey) throws -> RecordChange? {
        guard let record = records[key] else { return nil }
        guard record.kept.apply() else { throw ShardFailure.nonsense }
        do throws(RecordDamage) {
            let bytes = try record.kept.stored(as: key.text, directory)
            return RecordChange(subject: key.text, bytes: bytes, nextDue: record.kept.nextDue)
        } catch {
            throw ShardFailure.nonsense
        }
    }

    /// The earliest timer of each subject that has one, of those that `isMine` says yes to.
    ///
    /// - Parameter stored: what the store knew when the run began.
    func timers(
        _ stored: [(subject: String, due: Instant)], _ isMine: (String) -> Bool
    ) throws -> [(subject: String, due: Instant)] {
        let known = isDurable ? try store.timers() : stored
        let others = known.filter { isMine($0.subject) && records[SubjectKey($0.subject)] == nil }
        for record in records.values where !record.kept.apply() { throw ShardFailure.nonsense }
        return others + records.compactMap { key, record in record.kept.nextDue.map { (key.text, $0) } }
    }

    /// Lets go of a record that is stored.
    func forget(_ subject: String) { records[SubjectKey(subject)] = nil }

    /// Some of them, those that changed last.
    func recent(_ limit: Int) throws -> [(subject: String, bytes: [UInt8])] {
        let newest = records.sorted { ($1.value.changed, $0.key) < ($0.value.changed, $1.key) }.prefix(limit)
        return try newest.compactMap { try stored($0.key) }.map { ($0.subject, $0.bytes ?? []) }
    }

    // MARK: Checkpoints

    /// Gives some records of a checkpoint.
    func collect(_ part: CheckpointPart, _ answer: ShardAnswer) throws {
        if part.begins {
            unstored = (Array(unstored) + dirty)[...]
            dirty.removeAll(keepingCapacity: true)
        }
        let now = unstored.prefix(part.limit)
        unstored = unstored.dropFirst(part.limit)
        for key in now {
            guard let change = try stored(key), let record = records[key] else { continue }
            answer.stored.append(change)
            (record.isDirty, record.given) = (false, batch)
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
