import CLinux
import Glibc

/// SIGTERM and SIGINT as events of a run: the first one asks it to finish its batch and to end, a second one ends it at
/// once. Either way nothing is lost.
public final class StopSignals: RunEvents {
    public let descriptor: Int32
    private var mask = sigset_t()

    /// From here on the two signals do not end the process. Threads that are started later inherit that.
    public init() {
        sigemptyset(&mask)
        sigaddset(&mask, SIGTERM)
        sigaddset(&mask, SIGINT)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        descriptor = signalfd(-1, &mask, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    }

    deinit {
        close(descriptor)
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    }

    public func next() -> RunEvent? {
        var info = signalfd_siginfo()
        guard read(descriptor, &info, MemoryLayout.size(ofValue: info)) > 0 else { return nil }
        // From now on a signal ends the process: somebody is in a hurry.
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
        return .stop(info.ssi_signo == UInt32(SIGTERM) ? "SIGTERM" : "SIGINT")
    }
}
