import BelfryModel
import HeapModule

/// Whose timer is due next. Holds the earliest timer of each subject; entries that a change made stale are passed over.
struct TimerQueue {
    private var heap = Heap<Entry>()
    /// What the queue believes to be each subject's earliest timer.
    private var due: [SubjectKey: Instant] = [:]

    /// The earliest timer of a subject.
    struct Timer {
        let due: Instant
        let subject: String

        /// Which of two timers fires first.
        static func < (left: Timer, right: Timer) -> Bool {
            (left.due, SubjectKey(left.subject)) < (right.due, SubjectKey(right.subject))
        }
    }

    private struct Entry: Comparable {
        let due: Instant
        let subject: SubjectKey

        static func < (left: Entry, right: Entry) -> Bool { (left.due, left.subject) < (right.due, right.subject) }
    }

    /// Notes a subject's earliest timer, or that it has none.
    mutating func set(_ subject: String, _ instant: Instant?) {
        let subject = SubjectKey(subject)
        guard due[subject] != instant else { return }
        due[subject] = instant
        if let instant { heap.insert(Entry(due: instant, subject: subject)) }
    }

    /// The timer that is due next, if it is due at or before `limit`.
    mutating func next(until limit: Instant) -> Timer? {
        while let entry = heap.min, entry.due <= limit {
            if due[entry.subject] == entry.due { return Timer(due: entry.due, subject: entry.subject.text) }
            heap.removeMin()
        }
        return nil
    }

    /// Whether some timer might be due at or before `limit`: a stale one counts, too.
    func mayBeDue(by limit: Instant) -> Bool { heap.min.map { $0.due <= limit } ?? false }

    /// Whether more than `count` timers are due at or before `limit`. Takes as long as there are such, but at most `count`.
    mutating func isFlooded(by limit: Instant, limit count: Int) -> Bool {
        var taken: [Entry] = []
        while taken.count <= count, next(until: limit) != nil, let entry = heap.popMin() { taken.append(entry) }
        for entry in taken { heap.insert(entry) }
        return taken.count > count
    }
}
