import BelfryModel
import HeapModule

/// Whose timer is due next. Holds the earliest timer of each subject; entries that a change made stale are passed over.
struct TimerQueue {
    private var heap = Heap<Entry>()
    /// What the queue believes to be each subject's earliest timer.
    private var due: [SubjectKey: Instant] = [:]

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

    /// The subject whose timer is due next, if it is due at or before `limit`.
    mutating func next(until limit: Instant) -> String? {
        while let entry = heap.min, entry.due <= limit {
            if due[entry.subject] == entry.due { return entry.subject.text }
            heap.removeMin()
        }
        return nil
    }

    /// When the next timer is due; nil without any.
    mutating func nextDue() -> Instant? {
        while let entry = heap.min {
            if due[entry.subject] == entry.due { return entry.due }
            heap.removeMin()
        }
        return nil
    }
}
