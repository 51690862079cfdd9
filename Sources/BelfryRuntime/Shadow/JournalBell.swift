import CLinux
import Glibc
import Synchronization

/// Tells the reader of a journal that there is more, or that there will be no more. Any thread may call.
final class JournalBell: Sendable {
    let descriptor: Int32
    private let state = Mutex((isClosed: false, lastRead: UInt64(0)))

    init() { descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }

    deinit { Glibc.close(descriptor) }

    /// There may be more in the journal. Does not wait.
    func ring() { eventfd_write(descriptor, 1) }

    /// What is in the journal is still read; then it ends.
    func close() {
        state.withLock { $0.isClosed = true }
        ring()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The last entry that was read.
    var lastRead: UInt64 {
        get { state.withLock { $0.lastRead } }
        set { state.withLock { $0.lastRead = newValue } }
    }
}
