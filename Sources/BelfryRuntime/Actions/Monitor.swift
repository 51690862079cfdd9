import BelfryModel
import Glibc

/// A value that threads share, and can wait for changes of.
///
/// A mutex and a condition of the system rather than `Mutex`, at which no thread can wait for a change.
final class Monitor<State>: @unchecked Sendable {
    // Unchecked: `state` is touched under the mutex only.
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        // Setting the time of day must not move a deadline.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Changes the value, and lets the threads that wait look at it again.
    @discardableResult
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Changes the value without waking the threads that wait at the monitor.
    @discardableResult
    func changeQuietly<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// A look at the value that changes nothing.
    func look<Result>(_ body: (State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(state)
    }

    /// What a look at the value led to.
    enum Look<Result> {
        case done(Result)
        /// Look again after a change, or at that time; it may be sooner. `wakingOthers`: because this look changed something.
        case wait(until: MonotonicTime? = nil, wakingOthers: Bool = false)
    }

    /// Looks at the value again and again until that leads to something, and sleeps in between.
    func wait<Result>(_ look: (inout State) -> Look<Result>) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch look(&state) {
            case .done(let result): return result
            case .wait(let deadline, let wakesOthers):
                if wakesOthers { pthread_cond_broadcast(condition) }
                sleep(until: deadline)
            }
        }
    }

    private func sleep(until deadline: MonotonicTime?) {
        if var time = deadline?.timespec {
            pthread_cond_timedwait(condition, mutex, &time)
        } else {
            pthread_cond_wait(condition, mutex)
        }
    }
}

/// A reading of the clock that cannot be set.
struct MonotonicTime: Comparable {
    let nanoseconds: UInt64

    static var now: MonotonicTime {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: time.nanoseconds + UInt64(duration.milliseconds) * 1_000_000)
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// How many ms it is after another one; 0 if it is before.
    func milliseconds(after other: MonotonicTime) -> Int {
        self < other ? 0 : Int((nanoseconds - other.nanoseconds + 999_999) / 1_000_000)
    }

    var timespec: Glibc.timespec {
        Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
