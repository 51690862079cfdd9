import BelfryEngine
import BelfryModel

/// Records by subject, found by the bytes of the subject.
///
/// Open addressing with linear probing; the hashes are kept, so that nearly every wrong place is passed over without a look at
/// its record.
final class SubjectTable {
    private var places: UnsafeMutableBufferPointer<Place>
    private(set) var count = 0

    private struct Place {
        var hash: UInt64 = 0
        /// Nil where it is free.
        var entry: Unmanaged<SubjectRecord>?
    }

    init() { places = Self.places(1024) }

    deinit {
        for place in places { place.entry?.release() }
        places.deallocate()
    }

    private static func places(_ count: Int) -> UnsafeMutableBufferPointer<Place> {
        let places = UnsafeMutableBufferPointer<Place>.allocate(capacity: count)
        places.initialize(repeating: Place())
        return places
    }

    /// The record of a subject, which is kept as long as it is in the table.
    func lent(_ subject: String) -> Unmanaged<SubjectRecord>? {
        let hash = subject.textHash
        var index = index(of: hash)
        while let entry = places[index].entry {
            if places[index].hash == hash, entry._withUnsafeGuaranteedRef({ $0.isOf(subject) }) { return entry }
            index = (index + 1) & (places.count - 1)
        }
        return nil
    }

    /// Has the processor fetch the place where a subject of that hash is looked for.
    func prefetchPlace(_ hash: UInt64) {
        prefetch(places.baseAddress! + index(of: hash), bytes: 1)  // there are always places
    }

    /// Has the processor fetch the beginning of the entry of a subject of that hash.
    ///
    /// - Returns: whether there is one; another subject may have the same hash.
    func prefetchEntry(_ hash: UInt64) -> Bool {
        guard let entry = entry(hash) else { return false }
        prefetch(entry.toOpaque(), bytes: 256)
        return true
    }

    /// Has the processor fetch what that entry leads to.
    func prefetchParts(_ hash: UInt64) { entry(hash)?._withUnsafeGuaranteedRef { $0.prefetchParts() } }

    private func entry(_ hash: UInt64) -> Unmanaged<SubjectRecord>? {
        var index = index(of: hash)
        while let entry = places[index].entry {
            if places[index].hash == hash { return entry }
            index = (index + 1) & (places.count - 1)
        }
        return nil
    }

    /// Adds the entry of a subject who has none.
    func insert(_ entry: SubjectRecord) {
        if (count + 1) * 4 > places.count * 3 { rebuild(places.count * 2) { _ in true } }
        put(Place(hash: entry.subject.textHash, entry: .passRetained(entry)))
        count += 1
    }

    var values: some Sequence<SubjectRecord> { places.lazy.compactMap { $0.entry?.takeUnretainedValue() } }

    func removeAll(where isLeaving: (SubjectRecord) -> Bool) { rebuild(places.count) { !isLeaving($0) } }

    private func index(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 16) & (places.count - 1) }

    private func put(_ place: Place) {
        var index = index(of: place.hash)
        while places[index].entry != nil { index = (index + 1) & (places.count - 1) }
        places[index] = place
    }

    private func rebuild(_ size: Int, keeping isKept: (SubjectRecord) -> Bool) {
        let old = places
        places = Self.places(size)
        count = 0
        for place in old {
            guard let entry = place.entry else { continue }
            if isKept(entry.takeUnretainedValue()) {
                put(place)
                count += 1
            } else {
                entry.release()
            }
        }
        old.deallocate()
    }
}
