import BelfryEngine
import BelfryModel

/// Records in memory, found by the bytes of their subject.
struct RecordTable: ~Copyable {
    private var records: UnsafeMutablePointer<SubjectRecord>
    private var capacity = 1024
    private(set) var count = 0
    private var index = HashIndex()

    init() { records = .allocate(capacity: capacity) }

    deinit {
        records.deinitialize(count: count)
        records.deallocate()
    }

    /// Where the record of a subject is, until records are removed; nil if it is not here.
    func place(of subject: String, _ hash: UInt64) -> Int? {
        index.find(hash) { [records] in records[$0].isOf(subject) }
    }

    subscript(place: Int) -> SubjectRecord {
        @inline(__always) _read {
            precondition(place < count)
            yield records[place]
        }
        @inline(__always) _modify {
            precondition(place < count)
            yield &records[place]
        }
    }

    /// Adds the record of a subject that has none here.
    ///
    /// - Returns: its place.
    mutating func insert(_ record: consuming SubjectRecord, _ hash: UInt64) -> Int {
        if count == capacity { grow() }
        (records + count).initialize(to: record)
        index.insert(hash, at: count)
        count += 1
        return count - 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<SubjectRecord>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: records, count: count)
        records.deallocate()
        (records, capacity) = (larger, capacity * 2)
    }

    /// Removes records; the others get other places.
    ///
    /// - Returns: the new place of each, by its former one; -1 where the record is gone.
    @discardableResult
    mutating func removeAll(where isLeaving: (borrowing SubjectRecord) -> Bool) -> [Int] {
        var kept = 0
        let places = (0..<count).map { place in
            if isLeaving(records[place]) {
                (records + place).deinitialize(count: 1)
                return -1
            }
            if kept < place { (records + kept).moveInitialize(from: records + place, count: 1) }
            kept += 1
            return kept - 1
        }
        count = kept
        index.move(to: places)
        return places
    }

    /// Has the processor fetch where a subject of that hash is looked for.
    func prefetchIndex(_ hash: UInt64) { prefetch(index.address(of: hash), bytes: 1) }

    /// Has the processor fetch where a record is known to be.
    func prefetchPlace(_ place: Int) { prefetch(records + place, bytes: 1) }

    /// Has the processor fetch the beginning of a record, all of most.
    func prefetchRecord(at place: Int) { prefetch(records[place].address, bytes: 512) }

    /// Has the processor fetch the beginning of the record of a subject of that hash.
    ///
    /// - Returns: whether there is one; another subject may have the same hash.
    func prefetchRecord(_ hash: UInt64) -> Bool {
        guard let place = index.find(hash, { _ in true }) else { return false }
        prefetch(records[place].address, bytes: 384)
        return true
    }
}
