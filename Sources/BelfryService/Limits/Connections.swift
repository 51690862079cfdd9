import Glibc
import NIOCore
import Synchronization

/// The connections of a listener. At their limit, the one that has gone longest without a whole request makes room.
final class Connections: Sendable {
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var open: [ObjectIdentifier: Entry] = [:]
        /// Given to the next request that has come as a whole.
        var requests: UInt64 = 0
    }

    private struct Entry {
        let channel: any Channel
        /// The number of its last request that came as a whole, or of the last one of all when it was opened.
        var request: UInt64
        /// Whether a whole request, or one that is streamed, waits for its answer.
        var isBusy = false
        /// Whether its client sends nothing any more.
        var hasEnded = false
    }

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.open.count } }

    /// How many wait for an answer.
    var busy: Int { state.withLock { $0.open.values.count { $0.isBusy } } }

    /// - Returns: whether there is a place for it.
    func enter(_ channel: any Channel) -> Bool {
        let (isIn, leaving) = state.withLock { state -> (Bool, (any Channel)?) in
            var leaving: (any Channel)?
            if state.open.count >= limit {
                let idle = state.open.filter { !$0.value.isBusy }
                guard let longest = idle.min(by: { $0.value.request < $1.value.request }) else { return (false, nil) }
                leaving = longest.value.channel
                state.open[longest.key] = nil
            }
            state.requests += 1
            state.open[ObjectIdentifier(channel)] = Entry(channel: channel, request: state.requests)
            return (true, leaving)
        }
        leaving?.close(promise: nil)
        return isIn
    }

    func leave(_ channel: any Channel) { state.withLock { $0.open[ObjectIdentifier(channel)] = nil } }

    /// Its client has hung up, or at least sends nothing any more.
    func noteEnd(of channel: any Channel) { state.withLock { $0.open[ObjectIdentifier(channel)]?.hasEnded = true } }

    /// Whether its client sends nothing any more.
    func haveEnd(of channel: any Channel) -> Bool {
        state.withLock { $0.open[ObjectIdentifier(channel)]?.hasEnded ?? true }
    }

    /// A whole request has come.
    func begin(_ channel: any Channel) { note(channel, isBusy: true) }

    /// A request, or a part of one or of its answer, passed on a connection.
    ///
    /// - Parameter isBusy: whether its client waits for an answer now.
    func note(_ channel: any Channel, isBusy: Bool) {
        state.withLock { state in
            state.requests += 1
            state.open[ObjectIdentifier(channel)]?.request = state.requests
            state.open[ObjectIdentifier(channel)]?.isBusy = isBusy
        }
    }

    /// It is answered.
    func end(_ channel: any Channel) { state.withLock { $0.open[ObjectIdentifier(channel)]?.isBusy = false } }

    /// Closes all of them.
    func closeAll() {
        for channel in state.withLock({ $0.open.values.map(\.channel) }) { channel.close(promise: nil) }
    }

    /// Raises the soft limit of descriptors, so that so many connections can be had beside what the process needs itself.
    static func makeRoom(for count: Int) {
        let needed = rlim_t(count + 1024)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0, limits.rlim_cur < needed else { return }
        limits.rlim_cur = min(needed, limits.rlim_max)
        setrlimit(resource, &limits)
    }
}
