import BelfryCore
import BelfryRuntime
import CLinux
import Glibc
import Synchronization

/// Hands to a run what its service wants of it.
final class ServiceEvents: RunEvents, Sendable {
    let descriptor: Int32
    private let posted = Mutex(Posted())

    private struct Posted {
        var reload: DecisionSource?
        var erasures: [SubjectErasure] = []
        /// How often the run has looked.
        var looks: UInt64 = 0
    }

    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    }

    deinit { close(descriptor) }

    /// A later one takes the place of one that was not taken yet.
    func post(_ source: DecisionSource) {
        posted.withLock { $0.reload = source }
        eventfd_write(descriptor, 1)
    }

    func post(_ erasure: SubjectErasure) {
        posted.withLock { $0.erasures.append(erasure) }
        eventfd_write(descriptor, 1)
    }

    /// Has the run look, for nothing else.
    func ask() { eventfd_write(descriptor, 1) }

    var looks: UInt64 { posted.withLock { $0.looks } }

    /// Nobody will take them: whoever waits is told.
    func abandon(_ error: any Error) {
        let erasures = posted.withLock { posted in
            defer { posted.erasures = [] }
            return posted.erasures
        }
        for erasure in erasures { erasure.done(.failure(error)) }
    }

    func next() -> RunEvent? {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        return posted.withLock { posted in
            posted.looks += 1
            if let source = posted.reload.take() { return .reload(source) }
            return posted.erasures.isEmpty ? nil : .erase(posted.erasures.removeFirst())
        }
    }
}
