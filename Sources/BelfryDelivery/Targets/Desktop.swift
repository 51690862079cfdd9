import BelfryEngine
import BelfryModel
import BelfryRuntime
import CLinux
import Glibc
import Synchronization

/// The desktop of the session that belfry runs in: notifications are shown there, and what people do with them comes back as signals.
///
/// One thread has the bus: it waits for decisions and for people.
final class Desktop: SinkTarget {
    let address = "the desktop"
    private let id: String
    private let settings: Configuration.Sink.Desktop
    private let timeout: Duration
    private let receive: (@Sendable ([UInt8]) -> Void)?
    private let bell = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    private let state = Mutex(State())

    private struct State {
        var tasks: [(item: SinkItem, done: @Sendable (SinkOutcome) -> Void)] = []
        var (isClosed, hasThread) = (false, false)
        /// Of the connection that the thread has; -1: none.
        var descriptor: Int32 = -1
    }

    /// - Parameters:
    ///   - sink: of this type.
    ///   - receive: gets lines of signals.
    init(
        _ sink: Configuration.Sink, _ settings: Configuration.Sink.Desktop, receive: (@Sendable ([UInt8]) -> Void)?
    ) {
        (id, self.settings, timeout, self.receive) = (sink.id, settings, sink.timeout, receive)
    }

    deinit { Glibc.close(bell) }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        let isTaken = state.withLock { state in
            if state.isClosed { return false }
            if !state.hasThread { state.hasThread = (try? startThread { [self] in work() }) != nil }
            if state.hasThread { state.tasks.append((item, done)) }
            return state.hasThread
        }
        if isTaken { eventfd_write(bell, 1) } else { done(.failed("was not asked: the run ends")) }
    }

    /// Any thread may call: a call that is under way fails.
    func close() {
        state.withLock { state in
            state.isClosed = true
            if state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
        }
        eventfd_write(bell, 1)
    }

    // MARK: The thread

    private func work() {
        var session = DesktopSession(id, settings, timeout: timeout, receive: receive)
        while true {
            let (tasks, isClosed) = state.withLock { state in
                defer { state.tasks = [] }
                return (state.tasks, state.isClosed)
            }
            for (item, done) in tasks {
                done(isClosed ? .failed("was not asked: the run ends") : session.deliver(item, use))
            }
            if isClosed { return use(nil) }
            session.listen()
            if session.bus == nil { use(nil) }
            rest(session.bus?.descriptor)
        }
    }

    /// Keeps a door to the connection that `close` can shut: a number of its own, which is not reused when the bus has closed its own.
    private func use(_ bus: SessionBus?) {
        state.withLock { state in
            if state.descriptor >= 0 { Glibc.close(state.descriptor) }
            state.descriptor = bus.map { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 0) } ?? -1
            if state.isClosed, state.descriptor >= 0 { shutdown(state.descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Until there is a decision, or something on the bus.
    private func rest(_ descriptor: Int32?) {
        var waiting = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0)]
        if let descriptor { waiting.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
        poll(&waiting, nfds_t(waiting.count), -1)
        var count: eventfd_t = 0
        eventfd_read(bell, &count)
    }
}
