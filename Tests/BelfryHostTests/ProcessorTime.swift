import Glibc

/// What this thread has taken of a processor. Time that other tests take does not count.
var processorTime: Swift.Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
