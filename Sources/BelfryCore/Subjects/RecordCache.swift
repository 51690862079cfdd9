import BelfryEngine
import BelfryModel

/// The records of the subjects at work, between the engine and where they are kept.
///
/// For a journal, each signal or timer tells how the record differs from before it. By and by, records are shown as they are to be stored, in a
/// checkpoint, or to be saved elsewhere. One that changed stays until then; of the others, the ones used longest ago make room. Without a source
/// all stay.
package final class RecordCache {
    private let source: (any RecordSource)?
    /// To look at a source that there may be takes longer.
    private let hasSource: Bool
    /// Whether it is to be told how records change.
    private let tellsChanges: Bool
    private let directory: StateDirectory
    /// More records than that have to make room.
    package var capacity: Int
    @exclusivity(unchecked) var records = RecordTable()
    /// Sees how the record at work changes.
    private let watch = RecordWatch()
    /// How records changed in the batch at work.
    @exclusivity(unchecked) private var changes = GrowingBuffer(capacity: 1 << 16)
    /// The records that changed since they were stored, without those of the checkpoint under way.
    @exclusivity(unchecked) private var dirty: [Changed] = []
    /// The records that the checkpoint under way has still to store.
    @exclusivity(unchecked) private var unstored: [Changed] = []
    /// Whether records that changed are saved elsewhere.
    private let savesRecords: Bool
    private var tables = SavedTables()
    /// The number of the batch at work.
    @exclusivity(unchecked) var batch: UInt32 = 1
    /// All that was collected up to this batch to be stored is stored.
    private var stored: UInt32 = 0
    /// The batch at work when room was made last.
    private var looked: UInt32 = 0
    /// Gets what comes from the source, before it is used.
    package var willUse: ((_ subject: String, _ bytes: [UInt8]) -> Void)?

    /// - Parameters:
    ///   - source: nil if memory is where records are kept.
    ///   - tellsChanges: whether it is to be told how records change.
    ///   - savesRecords: whether those that changed will be shown by `collectChanged`.
    package init(
        _ source: (any RecordSource)?, _ directory: StateDirectory, capacity: Int = .max, tellsChanges: Bool = true,
        savesRecords: Bool = false
    ) {
        self.savesRecords = savesRecords
        (self.source, self.directory, self.capacity) = (source, directory, capacity)
        (hasSource, self.tellsChanges) = (source != nil, tellsChanges)
    }

    /// Where the subject's record is; a fresh one for a subject that is new.
    package func place(of subject: String) throws -> Int {
        let hash = stableHash(subject)
        if let place = records.place(of: subject, hash) { return place }
        let stored = try source?.records(for: [subject])[0]
        return records.insert(try record(of: subject, from: stored), hash)
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
        for (place, hash) in hashes.enumerated() where !records.prefetchRecord(hash) && hasSource {
            missing.append(place)
        }
        return missing
    }

    /// Reads the records of subjects that will be asked for. What cannot be read fails when it is asked for.
    package func fetch(_ subjects: Set<SubjectKey>) {
        let subjects = subjects.map(\.text)
        guard let found = try? source?.records(for: subjects) else { return }
        for (subject, stored) in zip(subjects, found) {
            let hash = stableHash(subject)
            guard records.place(of: subject, hash) == nil, let record = try? record(of: subject, from: stored) else {
                continue
            }
            _ = records.insert(record, hash)
        }
    }

    private func record(of subject: String, from stored: StoredRecord?) throws -> SubjectRecord {
        guard let stored else {
            // The numbers of a subject that was erased go on.
            let (lastDecision, place) = try source?.beginning(of: subject) ?? (0, 0)
            var record = SubjectRecord(subject: subject, lastDecision: lastDecision)
            record.storePlace = place
            return record
        }
        var record = try SubjectRecord(of: subject, stored.bytes, directory)
        record.storePlace = stored.place
        willUse?(subject, stored.bytes)
        return record
    }

    /// Has a record changed, and tells how: at once, while the processor has it at hand.
    @inline(__always)
    func change<Result, Failure: Error>(
        _ place: Int, _ body: (inout SubjectRecord) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard hasSource else { return try body(&records[place]) }
        let hasLargeTables = willChange(place)
        defer { didChange(place, hasLargeTables) }
        return try body(&records[place])
    }

    /// - Returns: whether what is written in its tables is noted.
    private func willChange(_ place: Int) -> Bool {
        records[place].lastUse = batch
        let hasLargeTables = savesRecords && records[place].hasLargeTables
        if tellsChanges {
            watch.begin(records[place])
        } else if hasLargeTables {
            watch.beginTables(records[place])
        }
        return hasLargeTables
    }

    private func didChange(_ place: Int, _ hadLargeTables: Bool) {
        let hasChanged = !tellsChanges || RecordChanges.append(records[place], watch, to: &changes)
        if hasChanged { noteChange(place) }
        guard hadLargeTables else { return }
        watch.endTables(records[place])
        tables.note(watch, records[place].storePlace)
    }

    @inline(__always)
    private func noteChange(_ place: Int) {
        if records[place].isDirty { return }
        records[place].isDirty = true
        dirty.append(Changed(place, storePlace: records[place].storePlace))
    }

    /// Takes over how records changed elsewhere, as `collectChanges` tells it.
    ///
    /// - Parameter body: gets each record that changed.
    /// - Throws: if they are not the changes of these records.
    func apply(_ changes: [UInt8], _ body: (borrowing SubjectRecord) -> Void) throws {
        var bySubject: [SubjectKey: [ArraySlice<UInt8>]] = [:]
        _ = RecordChanges.forEach(in: changes) { bySubject[SubjectKey($0), default: []].append($1) }
        fetch(Set(bySubject.keys))
        for (subject, changes) in bySubject {
            let place = try place(of: subject.text)
            var changed = KeptRecord(records[place])
            guard changes.allSatisfy({ changed.apply($0) }) else {
                throw RecordFailure(
                    subject: subject.text, damage: RecordDamage(reason: "it has changes that are not its own"))
            }
            let storePlace = records[place].storePlace
            records[place] = try changed.record(of: subject.text, directory)
            (records[place].storePlace, records[place].lastUse) = (storePlace, batch)
            tables.forget(storePlace)
            noteChange(place)
            body(records[place])
        }
    }

    /// Appends how records changed in this batch, and ends it.
    package func collectChanges(_ changes: inout GrowingBuffer) {
        batch &+= 1
        if changes.count == 0 { return swap(&self.changes, &changes) }
        changes.append(self.changes.raw())
        self.changes.removeAll()
    }

    /// Shows the records that changed. In place of checkpoints: what changed is kept elsewhere from then on, and need not stay.
    ///
    /// - Parameters:
    ///   - willShow: gets the place of each in its source a little before that.
    ///   - body: gets also which bytes of its block may be others than when it was shown the time before the last; nil: all.
    package func collectChanged(
        _ willShow: (UInt32) -> Void, _ body: (borrowing SubjectRecord, _ changed: [Range<Int>]?) throws -> Void
    ) rethrows {
        for start in stride(from: 0, to: dirty.count, by: Self.readAhead) {
            let next = dirty[start..<min(start + Self.readAhead, dirty.count)]
            for changed in next { records.prefetchPlace(changed.place) }
            for changed in next {
                records.prefetchRecord(at: changed.place)
                willShow(changed.storePlace)
            }
            for changed in next {
                records[changed.place].isDirty = false
                try body(records[changed.place], tables.save(records[changed.place]))
            }
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// So many records are fetched while others are shown.
    private static let readAhead = 16

    // MARK: Checkpoints

    /// Begins a checkpoint: all records that changed until now are to be stored.
    package func beginCheckpoint() {
        // Taken from the end.
        unstored = (unstored + dirty).sorted(by: >)
        dirty.removeAll(keepingCapacity: true)
    }

    /// How many records the checkpoint under way has still to store.
    package var unstoredCount: Int { unstored.count }

    /// How many records changed since they were stored.
    package var dirtyCount: Int { unstored.count + dirty.count }

    /// Shows some records of the checkpoint under way as they are to be stored, directly behind `collectChanges`.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - size: in bytes; with the record that reaches it, it is enough.
    package func collectUnstored(
        atMost limit: Int, size: Int, _ body: (_ subject: String, _ bytes: [UInt8], _ nextDue: Instant?) -> Void
    ) {
        var (left, bytes) = (limit, 0)
        while left > 0, bytes < size, let place = unstored.popLast()?.place {
            records[place].isDirty = false
            // So that it stays until that batch is stored.
            records[place].lastUse = batch
            let stored = records[place].stored(directory)
            body(records[place].subject, stored, records[place].nextDue)
            (left, bytes) = (left - 1, bytes + stored.count)
        }
    }

    /// What was collected with that batch, and those before, is stored.
    package func didStore(_ batch: UInt32) { if age(of: batch) < age(of: stored) { stored = batch } }

    /// How many batches ago that one was. Their numbers begin again after 2^32 of them.
    private func age(of other: UInt32) -> UInt32 { batch &- other }

    /// The number of the batch at work.
    package var currentBatch: UInt32 { batch }

    /// Some records as they would be stored: those whose subjects were at work last, by their own time.
    package func recent(_ limit: Int) -> [(subject: String, bytes: [UInt8])] {
        (0..<count).sorted { records[$1].latest < records[$0].latest }.prefix(limit).map {
            (records[$0].subject, records[$0].stored(directory))
        }
    }

    /// How many records there are.
    package var count: Int { records.count }

    /// Lets go of a record. Between two batches, and only when all are stored.
    package func forget(_ subject: String) {
        precondition(dirtyCount == 0)
        records.removeAll { $0.isOf(subject) }
    }

    /// When there are too many, lets go of stored ones, those used longest ago first, until there are half of those that fit. Between two
    /// batches.
    ///
    /// - Parameter leaves: gets the places of those that leave, as their source has them.
    package func makeRoom(_ leaves: (UInt32) -> Void = { _ in }) {
        guard hasSource, count > capacity else { return }
        // Those that changed stay: to look for few others would cost more than it gives, and so it would before what was collected is stored.
        guard count - dirtyCount > capacity / 4, age(of: stored) <= age(of: looked) else { return }
        looked = batch
        let ages = (0..<count).filter { isStored(records[$0]) }.map { age(of: records[$0].lastUse) }.sorted(by: >)
        guard let youngest = ages.prefix(count - capacity / 2).last else { return }
        let places = records.removeAll { record in
            guard isStored(record), age(of: record.lastUse) >= youngest else { return false }
            leaves(record.storePlace)
            tables.forget(record.storePlace)
            return true
        }
        unstored = unstored.map { $0.moved(to: places[$0.place]) }
        dirty = dirty.map { $0.moved(to: places[$0.place]) }
    }

    private func isStored(_ record: borrowing SubjectRecord) -> Bool {
        !record.isDirty && age(of: record.lastUse) >= age(of: stored)
    }
}

/// A record that changed. They are stored in the order of their store, which so reads and writes each of its pages once; behind those that
/// it has, the new ones, in the order in which their subjects came.
private struct Changed: Comparable {
    private let key: UInt64

    /// - Parameter place: in memory.
    init(_ place: Int, storePlace: UInt32) { key = UInt64(storePlace &- 1) << 32 | UInt64(place) }

    private init(key: UInt64) { self.key = key }

    var place: Int { Int(key & 0xFFFF_FFFF) }
    var storePlace: UInt32 { UInt32(key >> 32) &+ 1 }

    func moved(to place: Int) -> Self { Self(key: key & ~0xFFFF_FFFF | UInt64(place)) }

    static func < (one: Self, other: Self) -> Bool { one.key < other.key }
}
