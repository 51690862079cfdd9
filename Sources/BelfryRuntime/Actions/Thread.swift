import Glibc

/// The system has no more threads to give.
package struct NoThread: Error {
    let why: String
}

/// Runs `body` on a new thread, which is not waited for: it does not keep the process from ending.
///
/// Signals that are sent to the process go to other threads, so that no handler of a plugin is interrupted by them.
package func startThread(_ body: sending @escaping () -> Void) throws(NoThread) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body))
    let former = blockSentSignals()
    let status = pthread_create(
        &thread, &attributes,
        { work in
            Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().body()
            return nil
        }, work.toOpaque())
    restore(former)
    guard status == 0 else {
        work.release()
        throw NoThread(why: "no thread could be started for it: \(String(cString: strerror(status)))")
    }
}

private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
}

/// A new thread inherits what is blocked here. Returns what was before.
private func blockSentSignals() -> sigset_t {
    var (blocked, former) = (sigset_t(), sigset_t())
    sigfillset(&blocked)
    // These belong to the thread that made the mistake.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&blocked, signal) }
    pthread_sigmask(SIG_BLOCK, &blocked, &former)
    return former
}

private func restore(_ former: sigset_t) {
    var former = former
    pthread_sigmask(SIG_SETMASK, &former, nil)
}
