import BelfryEngine
import BelfryModel

/// The records of the subjects at work, between the engine and where they are kept.
///
/// A changed record stays until it is committed; of the others, the ones used longest ago make room. Without a source all stay.
package final class RecordCache {
    private let source: (any RecordSource)?
    private let directory: StateDirectory
    /// More records than that have to make room.
    package var capacity: Int
    @exclusivity(unchecked) var records = RecordTable()
    /// The places of records that changed since they were last collected.
    @exclusivity(unchecked) private var changed: [Int] = []
    /// The number of the batch at work.
    @exclusivity(unchecked) private var batch: UInt32 = 1
    /// The last batch whose changes are kept elsewhere.
    private var committed: UInt32 = 0
    /// Gets what comes from the source, before it is used.
    package var willUse: ((_ subject: String, _ bytes: [UInt8]) -> Void)?

    /// - Parameter source: nil if memory is where records are kept.
    package init(_ source: (any RecordSource)?, _ directory: StateDirectory, capacity: Int = .max) {
        (self.source, self.directory, self.capacity) = (source, directory, capacity)
    }

    /// Where the subject's record is; a fresh one for a subject that is new.
    package func place(of subject: String) throws -> Int {
        let hash = stableHash(subject)
        if let place = records.place(of: subject, hash) { return place }
        return records.insert(try record(of: subject, from: try source?.record(for: subject)), hash)
    }

    /// Goes on with this record of a subject, whatever is here.
    func insert(_ record: consuming SubjectRecord) {
        let hash = record.subjectHash
        if let place = records.place(of: record.subject, hash) {
            records[place] = record
        } else {
            _ = records.insert(record, hash)
        }
    }

    /// Has the processor fetch the records of subjects, by their hashes, while it still does something else.
    ///
    /// - Returns: the places in the list of those whose records the source may have, to be read in one go.
    package func prefetch(_ hashes: [UInt64]) -> [Int] {
        for hash in hashes { records.prefetchIndex(hash) }
        var missing: [Int] = []
        for (place, hash) in hashes.enumerated() where !records.prefetchRecord(hash) && source != nil {
            missing.append(place)
        }
        return missing
    }

    /// Reads the records of subjects that will be asked for. What cannot be read fails when it is asked for.
    package func fetch(_ subjects: Set<SubjectKey>) {
        let subjects = subjects.map(\.text)
        guard let found = try? source?.records(for: subjects) else { return }
        for (subject, bytes) in zip(subjects, found) {
            let hash = stableHash(subject)
            guard records.place(of: subject, hash) == nil, let record = try? record(of: subject, from: bytes) else {
                continue
            }
            _ = records.insert(record, hash)
        }
    }

    private func record(of subject: String, from bytes: [UInt8]?) throws -> SubjectRecord {
        guard let bytes else {
            // The numbers of a subject that was erased go on.
            return SubjectRecord(subject: subject, lastDecision: try source?.lastDecision(ofErased: subject) ?? 0)
        }
        do throws(RecordDamage) {
            let record = try SubjectRecord(subject: subject, reading: bytes, directory)
            willUse?(subject, bytes)
            return record
        } catch {
            throw RecordFailure(subject: subject, damage: error)
        }
    }

    /// Notes that a record was used, and has changed.
    func touch(_ place: Int) {
        guard source != nil else { return }
        records[place].lastUse = batch
        guard !records[place].isUnwritten else { return }
        records[place].isUnwritten = true
        changed.append(place)
    }

    /// Shows what changed since the last time, as it is to be stored. Ends the batch.
    package func collectChanges(_ body: (_ subject: String, _ bytes: [UInt8], _ nextDue: Instant?) -> Void) {
        batch &+= 1
        for place in changed {
            records[place].isUnwritten = false
            body(records[place].subject, records[place].stored(directory), records[place].nextDue)
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// The changes of that batch, and of those before, are kept.
    package func didCommit(_ batch: UInt32) { committed = batch }

    /// The batch that `collectChanges` ended last.
    package var lastBatch: UInt32 { batch - 1 }

    /// How many records there are.
    package var count: Int { records.count }

    /// When there are too many, lets go of half of those that fit, those used longest ago. Between two batches.
    package func makeRoom() {
        guard source != nil, count > capacity, changed.isEmpty else { return }
        let uses = (0..<count).map { records[$0].lastUse }.sorted()
        let newest = min(uses[count - capacity / 2 - 1], committed)
        records.removeAll { $0.lastUse <= newest }
    }
}
