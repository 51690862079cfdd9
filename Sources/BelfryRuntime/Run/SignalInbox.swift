import CLinux
import Glibc
import Synchronization

/// Signals for a run that do not come by its input, such as what became of a notification. Any thread gives them.
public final class SignalInbox: RunEvents, Sendable {
    public let descriptor: Int32
    private let lines = Mutex<[[UInt8]]>([])

    public init() { descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }

    deinit { close(descriptor) }

    /// - Parameter line: of JSON, without its end.
    public func give(_ line: [UInt8]) {
        lines.withLock { $0.append(line) }
        eventfd_write(descriptor, 1)
    }

    public func next() -> RunEvent? {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        let taken = lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
        return taken.isEmpty ? nil : .signals(taken)
    }
}
