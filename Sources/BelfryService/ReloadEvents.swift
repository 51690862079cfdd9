import BelfryCore
import BelfryRuntime
import CLinux
import Glibc
import Synchronization

/// Hands another configuration to a run.
final class ReloadEvents: RunEvents, Sendable {
    let descriptor: Int32
    private let posted: Mutex<DecisionSource?>

    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        posted = Mutex(nil)
    }

    deinit { close(descriptor) }

    /// A later one takes the place of one that was not taken yet.
    func post(_ source: DecisionSource) {
        posted.withLock { $0 = source }
        eventfd_write(descriptor, 1)
    }

    func next() -> RunEvent? {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        return posted.withLock { next in
            defer { next = nil }
            return next.map { .reload($0) }
        }
    }
}
