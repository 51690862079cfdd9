import BelfryConfiguration
import BelfryCore
import BelfryDelivery
import BelfryModel
import BelfryRuntime

extension ServiceEngine {
    enum State: String {
        /// `standby`: another replica has the store, and decides.
        case starting, ready, standby, failing, draining, ended
    }

    /// What changes while it runs.
    struct Running {
        private(set) var state = State.starting
        private(set) var why: String?
        var workspace: Workspace
        var source: DecisionSource
        var sinks: SinkSettings
        private(set) var parts: EngineParts?
        var lastReload = LastReload()
        /// Whether the listener for signals is open.
        var isOpen = false
        /// Where other replicas reach this one.
        var address: SocketAddressText?
        /// Nil unless this replica stands by.
        private(set) var decider: DecidingReplica?
        private(set) var waiting: [AsyncStream<Bool>.Continuation] = []

        /// - Returns: whether to go on.
        mutating func begin(with parts: EngineParts) -> Bool {
            if state == .draining { return false }
            (state, why, self.parts, decider) = (.ready, nil, parts, nil)
            return true
        }

        /// Another replica has the store.
        ///
        /// - Parameter address: where that is reached.
        /// - Returns: whether to go on looking, and whether that was not known.
        mutating func standBy(behind address: String?) -> (goesOn: Bool, isNew: Bool) {
            if state == .draining { return (false, false) }
            // Callers that came while it was not known were not passed on: they are to come again as well.
            let isKnown = decider.map { $0.address == address && !$0.isOutdated } ?? false
            (state, why, parts) = (.standby, nil, nil)
            decider = DecidingReplica(address: address ?? "")
            return (true, !isKnown)
        }

        /// - Returns: whether to try again.
        mutating func fail(_ error: any Error) -> Bool {
            if state == .draining { return false }
            (state, why, parts, decider) = (.failing, "\(error)", nil, nil)
            return true
        }

        mutating func drain() { if state != .ended { state = .draining } }

        /// - Returns: what waits for the end.
        mutating func end() -> [AsyncStream<Bool>.Continuation] {
            state = .ended
            defer { waiting = [] }
            return waiting
        }

        /// - Returns: whether it has ended already; else the stream hears of it.
        mutating func isOver(_ continuation: AsyncStream<Bool>.Continuation) -> Bool {
            if state == .ended { return true }
            waiting.append(continuation)
            return false
        }
    }

    /// What became of the last look at the configuration.
    struct LastReload: Sendable {
        var isInForce = true
        /// When what is in force was read.
        var read = Instant.wallClock
    }
}
