import Glibc

/// The newest version of each record in the log, in the order of subjects.
struct LogOrder {
    /// The subjects of all entries, one after the other.
    private var subjects: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry {
        let start: Int
        let count: Int
        let place: LogPlace
    }

    /// One for each subject.
    mutating func note(_ entry: LogEntry, at place: LogPlace) {
        entries.append(Entry(start: subjects.count, count: entry.name.count, place: place))
        subjects.append(contentsOf: entry.name)
    }

    /// Where they lie.
    func places() -> [LogPlace] {
        subjects.withUnsafeBytes { subjects in
            entries.sorted { Self.compare($0, $1, in: subjects) < 0 }.map(\.place)
        }
    }

    private static func compare(_ left: Entry, _ right: Entry, in subjects: UnsafeRawBufferPointer) -> Int {
        guard let base = subjects.baseAddress else { return 0 }
        let order = memcmp(base + left.start, base + right.start, min(left.count, right.count))
        return order == 0 ? left.count - right.count : Int(order)
    }
}
