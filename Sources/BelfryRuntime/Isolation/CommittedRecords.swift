import BelfryEngine
import BelfryModel
import BelfryStore

/// The records of a shard whose process may die at any time, as it saved them last.
///
/// The process saves them from time to time in memory that outlives it. Where nothing is durable, all records are here; else those that the
/// process has, and those that the store does not have yet. What is read of them is checked: the process runs plugins.
final class CommittedRecords {
    private let store: any RecordStore
    private let isDurable: Bool
    /// What they refer to.
    private let directory = StateDirectory()
    let shared: SharedRecords
    /// The last save that is complete.
    private(set) var save: UInt32 = 0
    private var slots: [Slot] = []
    private var places: [SubjectKey: Int] = [:]
    private var free: [Int] = []
    /// Of a durable store: slots that changed until the last save, and were not given to be stored.
    private var dirty: [Int] = []
    private var unstored: ArraySlice<Int> = []
    /// Given to be stored, each time with another number.
    private var given: [(number: UInt32, slots: [Int])] = []
    private var lastGiven: UInt32 = 0

    /// Where a record is.
    private struct Slot {
        let key: SubjectKey
        /// As `StoredRecord` has it.
        let storePlace: UInt32
        /// Whether the process has it.
        var isLent = true
        /// Whether there is something in it.
        var isSaved = false
        /// Whether it changed since it was given to be stored.
        var isDirty = false
        /// The number it was given with, until it is stored.
        var given: UInt32?
        /// Whether another record may come here.
        var isFree = false
    }

    /// - Parameter names: of the zygote.
    init(_ store: OpenStore, _ names: [UInt8]) throws {
        (self.store, isDurable, shared) = (store.records, store.isDurable, try .make())
        know(names)
    }

    /// What records refer to from now on.
    func know(_ names: [UInt8]) { _ = directory.add(names) }

    // MARK: Changing

    /// Whether the process has the records of these slots.
    func areLent(_ places: [UInt32]) -> Bool {
        places.allSatisfy { $0 > 0 && $0 <= slots.count && slots[Int($0) - 1].isLent }
    }

    /// The process has saved its records: those that changed, of slots that it has, and of these it has some no more.
    func didSave(_ changed: [UInt32], _ released: [UInt32]) {
        save &+= 1
        for place in changed { noteSave(Int(place) - 1) }
        for slot in released.lazy.map({ Int($0) - 1 }) {
            slots[slot].isLent = false
            letGo(slot)
        }
    }

    private func noteSave(_ slot: Int) {
        slots[slot].isSaved = true
        guard isDurable, !slots[slot].isDirty else { return }
        slots[slot].isDirty = true
        dirty.append(slot)
    }

    /// The process has died: what it has not saved to its end is as if it had not been.
    func processEnded() {
        for slot in slots.indices {
            shared.forget(slot, after: save)
            slots[slot].isLent = false
            letGo(slot)
        }
    }

    /// Has a slot be that of another record, if the store has this one.
    private func letGo(_ slot: Int) {
        if isDurable, !slots[slot].isLent, !slots[slot].isDirty, slots[slot].given == nil {
            makeFree(slot)
        }
    }

    private func makeFree(_ slot: Int) {
        if slots[slot].isFree { return }
        slots[slot].isFree = true
        places[slots[slot].key] = nil
        free.append(slot)
    }

    /// Lets go of a record that is stored. The process has ended.
    func forget(_ subject: String) {
        if let slot = places[SubjectKey(subject)] { makeFree(slot) }
    }

    // MARK: Reading

    /// A record that the process has from now on.
    struct Lent {
        var bytes: [UInt8]?
        /// Of a subject that was erased, if it has no record.
        var lastDecision: UInt64 = 0
        /// Its slot, from 1.
        var place: UInt32
    }

    func lend(_ subjects: [String]) throws -> [Lent] {
        // Also what has a slot and never changed: it may have been asked for in vain.
        let missing = subjects.filter { !isSaved($0) }
        let found = isDurable ? try store.records(for: missing) : missing.map { _ in nil }
        let stored = Dictionary(zip(missing.map(SubjectKey.init), found)) { first, _ in first }
        return try subjects.map { try lend($0, stored[SubjectKey($0)] ?? nil) }
    }

    private func lend(_ subject: String, _ stored: StoredRecord?) throws -> Lent {
        let key = SubjectKey(subject)
        let slot = try places[key] ?? add(Slot(key: key, storePlace: stored?.place ?? 0))
        slots[slot].isLent = true
        let bytes = try bytes(slot) ?? stored?.bytes
        return Lent(
            bytes: bytes, lastDecision: bytes == nil ? try store.lastDecision(ofForgotten: subject) : 0,
            place: UInt32(slot + 1))
    }

    private func add(_ slot: Slot) throws -> Int {
        let place = free.popLast() ?? slots.count
        try shared.checkSlot(place)
        if place == slots.count { slots.append(slot) } else { slots[place] = slot }
        // Of the record that was here.
        shared.forget(place, after: 0)
        places[slot.key] = place
        return place
    }

    /// The record as it is to be stored; nil if it was never saved.
    private func bytes(_ slot: Int) throws -> [UInt8]? {
        guard let block = try block(slot) else { return nil }
        do throws(RecordDamage) {
            return try SubjectRecord.stored(checking: block, of: slots[slot].key.text, directory)
        } catch {
            throw ShardFailure.nonsense
        }
    }

    private func block(_ slot: Int) throws -> [UInt8]? {
        try withBlock(slot) { Array($0) }
    }

    private func nextDue(_ slot: Int) throws -> Instant? {
        try withBlock(slot) { SubjectRecord.nextDue(in: $0) } ?? nil
    }

    private func withBlock<Result>(_ slot: Int, _ body: (UnsafeRawBufferPointer) -> Result) throws -> Result? {
        guard slots[slot].isSaved else { return nil }
        guard let result = try shared.withBytes(slot, upTo: save, body) else { throw ShardFailure.nonsense }
        return result
    }

    /// The earliest timer of each subject that has one, of those that `isMine` says yes to.
    ///
    /// - Parameter stored: what the store knew when the run began.
    func timers(
        _ stored: [(subject: String, due: Instant)], _ isMine: (String) -> Bool
    ) throws -> [(subject: String, due: Instant)] {
        let known = isDurable ? try store.timers() : stored
        let others = known.filter { isMine($0.subject) && !isSaved($0.subject) }
        return try others + places.values.compactMap { slot in try nextDue(slot).map { (slots[slot].key.text, $0) } }
    }

    private func isSaved(_ subject: String) -> Bool { places[SubjectKey(subject)].map { slots[$0].isSaved } ?? false }

    /// Some of them, those that were saved last.
    func recent(_ limit: Int) throws -> [(subject: String, bytes: [UInt8])] {
        let known = places.compactMap { key, slot in
            shared.saved(slot, upTo: save).map { (key: key, slot: slot, save: $0) }
        }
        let newest = known.sorted { ($1.save, $0.key) < ($0.save, $1.key) }.prefix(limit)
        return try newest.compactMap { record in try bytes(record.slot).map { (record.key.text, $0) } }
    }

    // MARK: Checkpoints

    /// Gives some records of a checkpoint, as they were saved with this answer.
    func collect(_ part: CheckpointPart, _ answer: ShardAnswer) throws {
        if part.begins {
            // In the order of the store, new ones behind.
            unstored = (unstored + dirty).sorted { slots[$0].storePlace &- 1 < slots[$1].storePlace &- 1 }[...]
            dirty.removeAll(keepingCapacity: true)
        }
        if !unstored.isEmpty, part.limit > 0 {
            lastGiven &+= 1
            given.append((lastGiven, []))
        }
        var size = 0
        while answer.stored.count < part.limit, size < CheckpointPart.size, let slot = unstored.popFirst() {
            guard let bytes = try bytes(slot) else { throw ShardFailure.nonsense }
            size += bytes.count
            answer.stored.append(
                RecordChange(subject: slots[slot].key.text, bytes: bytes, nextDue: try nextDue(slot)))
            (slots[slot].isDirty, slots[slot].given) = (false, lastGiven)
            given[given.count - 1].slots.append(slot)
        }
        (answer.unstored, answer.batch) = (unstored.count, lastGiven)
    }

    /// How many records there are, of which the process has some.
    var count: Int { slots.count - free.count }

    /// How many records changed since they were stored.
    var dirtyCount: Int { dirty.count + unstored.count }

    /// What was given up to that number is stored: the store has it now.
    func didStore(_ number: UInt32) {
        let stored = given.prefix { $0.number <= number }
        for (number, slots) in stored {
            for slot in slots where self.slots[slot].given == number {
                self.slots[slot].given = nil
                letGo(slot)
            }
        }
        given.removeFirst(stored.count)
    }
}
