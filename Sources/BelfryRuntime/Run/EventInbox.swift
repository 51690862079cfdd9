import CLinux
import Glibc
import Synchronization

/// Events for a run, which any thread posts.
public final class EventInbox: RunEvents, Sendable {
    public let descriptor: Int32
    private let posted = Mutex(Posted())

    private struct Posted {
        var events: [RunEvent] = []
        var looks: UInt64 = 0
    }

    public init() { descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }

    deinit { close(descriptor) }

    public func post(_ event: RunEvent) {
        posted.withLock { $0.events.append(event) }
        ask()
    }

    /// Has the run look, for nothing else.
    public func ask() { eventfd_write(descriptor, 1) }

    /// How often the run has looked.
    public var looks: UInt64 { posted.withLock { $0.looks } }

    /// What was posted will not be taken: callers that wait are told.
    public func abandon(_ error: any Error) {
        let events = posted.withLock { posted in
            defer { posted.events = [] }
            return posted.events
        }
        for case .erase(let erasure) in events { erasure.done(.failure(error)) }
    }

    public func next() -> RunEvent? {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        return posted.withLock { posted in
            posted.looks += 1
            return posted.events.isEmpty ? nil : posted.events.removeFirst()
        }
    }
}
