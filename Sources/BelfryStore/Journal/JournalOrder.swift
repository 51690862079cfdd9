import Glibc

/// The newest version of each record in the journal, in the order of subjects.
struct JournalOrder {
    /// The subjects of all entries, one after the other.
    private var subjects: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry {
        let start: Int
        let count: Int
        let place: JournalPlace
    }

    mutating func note(_ entry: JournalEntry, at place: JournalPlace) {
        entries.append(Entry(start: subjects.count, count: entry.subject.count, place: place))
        subjects.append(contentsOf: entry.subject)
    }

    /// Where they lie.
    func places() -> [JournalPlace] {
        subjects.withUnsafeBytes { subjects in
            let sorted = entries.sorted { left, right in
                let order = Self.compare(left, right, in: subjects)
                return order == 0 ? left.place < right.place : order < 0
            }
            return sorted.indices.filter { index in
                index + 1 == sorted.count || Self.compare(sorted[index], sorted[index + 1], in: subjects) != 0
            }.map { sorted[$0].place }
        }
    }

    private static func compare(_ left: Entry, _ right: Entry, in subjects: UnsafeRawBufferPointer) -> Int {
        guard let base = subjects.baseAddress else { return 0 }
        let order = memcmp(base + left.start, base + right.start, min(left.count, right.count))
        return order == 0 ? left.count - right.count : Int(order)
    }
}
