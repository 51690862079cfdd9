import BelfryModel
import HeapModule

/// Whose timer is due next. Holds the earliest timer of each subject; entries that a change made stale are passed over.
package struct TimerQueue {
    private var heap = Heap<Timer>()
    /// What the queue takes to be each subject's earliest timer.
    private var due: [SubjectKey: Instant] = [:]

    /// The earliest timer of a subject. They fire in order of due time, then of subject.
    package struct Timer: Comparable {
        package let due: Instant
        package let subject: SubjectKey

        package init(due: Instant, subject: SubjectKey) { (self.due, self.subject) = (due, subject) }

        package static func < (left: Timer, right: Timer) -> Bool {
            (left.due, left.subject) < (right.due, right.subject)
        }
    }

    /// Notes a subject's earliest timer, or that it has none.
    mutating func set(_ subject: String, _ instant: Instant?) {
        if instant == nil, due.isEmpty { return }
        let subject = SubjectKey(subject)
        guard due[subject] != instant else { return }
        due[subject] = instant
        if let instant { heap.insert(Timer(due: instant, subject: subject)) }
    }

    /// The timer that is due next, if it is due at or before `limit`.
    mutating func next(until limit: Instant) -> Timer? {
        while let timer = heap.min, timer.due <= limit {
            if due[timer.subject] == timer.due { return timer }
            heap.removeMin()
        }
        return nil
    }

    /// The last of the first `count` timers that are due at or before a limit, if there are more than that.
    mutating func last(ofFirst count: Int, until limit: Instant) -> Timer? {
        var taken: [Timer] = []
        while taken.count <= count, let timer = next(until: limit) {
            taken.append(timer)
            heap.removeMin()
        }
        for timer in taken { heap.insert(timer) }
        return taken.count > count ? taken[count - 1] : nil
    }
}
