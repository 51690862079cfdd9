import BelfryModel

/// Where in a log the newest version of everything lies that it has.
struct LogIndex {
    private var records = PlaceTable()
    private(set) var parts: [SubjectKey: Parts] = [:]
    private(set) var values: [SubjectKey: [UInt8]] = [:]
    private(set) var queues: [SubjectKey: Queue] = [:]
    /// The number that the last item of all queues has got, and that of the last one which is not in the log.
    private(set) var lastItem: UInt64
    let lastItemOfRows: UInt64

    /// Those of one record that have changed.
    struct Parts {
        /// Whether it has none but these.
        var areAll = false
        /// By number.
        var places: [Int: LogPlace] = [:]
    }

    struct Queue {
        var removedThrough: UInt64 = 0
        var items: [(number: UInt64, place: LogPlace)] = []
    }

    /// An empty one.
    init(lastItem: UInt64 = 0) { (self.lastItem, lastItemOfRows) = (lastItem, lastItem) }

    func place(of subject: String) -> LogPlace? { records.count == 0 ? nil : records[SubjectHash(subject)] }

    func parts(of subject: String) -> Parts? { parts.isEmpty ? nil : parts[SubjectKey(subject)] }

    /// Whether a record at that place is the newest one of its subject.
    func isNewest(_ entry: LogEntry, at place: LogPlace) -> Bool { records[SubjectHash(entry.name)] == place }

    /// Of records with a due time, in the order in which they lie there.
    var placesWithDueTime: [LogPlace] { records.places.filter(\.hasDue).sorted() }

    /// Takes up what was committed.
    mutating func note(_ entry: LogEntry, at place: LogPlace) {
        switch entry.kind {
        case .record, .timedRecord, .deletedRecord: records.note(place, of: SubjectHash(entry.name))
        case .noParts: parts[SubjectKey(entry.text)] = Parts(areAll: true)
        case .part: parts[SubjectKey(entry.text), default: Parts()].places[Int(entry.number)] = place
        case .value: values[SubjectKey(entry.text)] = [UInt8](entry.bytes)
        case .removedItems: queues[SubjectKey(entry.text), default: Queue()].remove(through: UInt64(entry.number))
        case .item:
            lastItem = UInt64(entry.number)
            queues[SubjectKey(entry.text), default: Queue()].items.append((lastItem, place))
        }
    }
}

extension LogIndex.Queue {
    fileprivate mutating func remove(through number: UInt64) {
        removedThrough = max(removedThrough, number)
        items.removeAll { $0.number <= number }
    }
}
