import BelfryModel
import CLinux

/// Objects by subject, found by the bytes of the subject.
///
/// Open addressing with linear probing over hashes that are kept, so that nearly every wrong place is passed over unread.
final class SubjectTable<Entry: AnyObject> {
    private var hashes: UnsafeMutableBufferPointer<UInt64>
    private var entries: UnsafeMutableBufferPointer<Unmanaged<Entry>?>
    private(set) var count = 0
    private let subject: (Entry) -> String

    init(subject: @escaping (Entry) -> String) {
        self.subject = subject
        (hashes, entries) = Self.places(1024)
    }

    deinit {
        for entry in entries { entry?.release() }
        hashes.deallocate()
        entries.deallocate()
    }

    private static func places(
        _ count: Int
    ) -> (UnsafeMutableBufferPointer<UInt64>, UnsafeMutableBufferPointer<Unmanaged<Entry>?>) {
        let hashes = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
        let entries = UnsafeMutableBufferPointer<Unmanaged<Entry>?>.allocate(capacity: count)
        hashes.initialize(repeating: 0)
        entries.initialize(repeating: nil)
        return (hashes, entries)
    }

    subscript(key: String) -> Entry? {
        let hash = key.textHash
        var place = self.place(of: hash)
        while let entry = entries[place] {
            if hashes[place] == hash {
                let entry = entry.takeUnretainedValue()
                if subject(entry).isSameText(as: key) { return entry }
            }
            place = (place + 1) & (entries.count - 1)
        }
        return nil
    }

    /// Has the processor fetch the place where a subject of that hash is looked for.
    func prefetchPlace(_ hash: UInt64) {
        let place = place(of: hash)
        belfry_prefetch(hashes.baseAddress! + place)  // there are always places
        belfry_prefetch(entries.baseAddress! + place)
    }

    /// Has the processor fetch the beginning of the entry of a subject of that hash, if there is one.
    func prefetchEntry(_ hash: UInt64) {
        var place = place(of: hash)
        while let entry = entries[place] {
            if hashes[place] == hash {
                let address = entry.toOpaque()
                for line in 0..<4 { belfry_prefetch(address + line * 64) }
                return
            }
            place = (place + 1) & (entries.count - 1)
        }
    }

    /// Adds the entry of a subject who has none.
    func insert(_ entry: Entry) {
        if (count + 1) * 4 > entries.count * 3 { resize(entries.count * 2) }
        place(.passRetained(entry), subject(entry).textHash)
        count += 1
    }

    var values: some Sequence<Entry> { entries.lazy.compactMap { $0?.takeUnretainedValue() } }

    func removeAll(where isLeaving: (Entry) -> Bool) {
        let (oldHashes, old) = (hashes, entries)
        (hashes, entries) = Self.places(old.count)
        count = 0
        for place in old.indices {
            guard let entry = old[place] else { continue }
            if isLeaving(entry.takeUnretainedValue()) {
                entry.release()
            } else {
                self.place(entry, oldHashes[place])
                count += 1
            }
        }
        oldHashes.deallocate()
        old.deallocate()
    }

    private func place(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 16) & (entries.count - 1) }

    private func place(_ entry: Unmanaged<Entry>, _ hash: UInt64) {
        var place = place(of: hash)
        while entries[place] != nil { place = (place + 1) & (entries.count - 1) }
        (hashes[place], entries[place]) = (hash, entry)
    }

    private func resize(_ size: Int) {
        let (oldHashes, old) = (hashes, entries)
        (hashes, entries) = Self.places(size)
        for place in old.indices { if let entry = old[place] { self.place(entry, oldHashes[place]) } }
        oldHashes.deallocate()
        old.deallocate()
    }
}
