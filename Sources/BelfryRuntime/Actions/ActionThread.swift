import BelfryHandlers
import BelfryModel
import CLinux

/// A thread that calls handlers, a batch at a time.
///
/// It is handed a whole batch and reports once, at its end: how often threads take turns does not depend on how much there is
/// to call. When a call takes too long the thread is abandoned: it ends when that call returns, if ever, and what the handler
/// says then is lost. Until that moment it keeps alive what the handler was lent.
final class ActionThread: Sendable {
    struct Call: Sendable {
        let handler: ActionHandler
        let action: Fields
        let payload: Fields

        func make(in memory: CallMemory) -> Decision.Outcome {
            handler.plugin.withCString { plugin in
                handler.type.withCString { type in
                    belfry_note_handler(plugin, type)
                    defer { belfry_note_handler(nil, nil) }
                    return handler.call(action: action, payload: payload, in: memory)
                }
            }
        }
    }

    private struct State {
        var calls: [Call] = []
        /// Of the calls that are done.
        var outcomes: [Decision.Outcome] = []
        /// When the call in progress began; nil while there is none.
        var begun: MonotonicTime?
        var isAbandoned = false

        var isDone: Bool { outcomes.count == calls.count }
        /// The one in progress, or the next.
        var current: Call { calls[outcomes.count] }

        mutating func note(_ outcome: Decision.Outcome) {
            outcomes.append(outcome)
            begun = nil
        }
    }

    private let state = Monitor(State())

    /// Starts the thread.
    ///
    /// - Throws: `NoThread`.
    init() throws(NoThread) {
        try startThread { [self] in work() }
    }

    /// Makes the calls in their order and waits for them.
    ///
    /// - Returns: what came of them, up to the one that took longer than `timeout`, if one did. Then the thread is abandoned,
    ///   and the handler of that call overdue until it returns.
    func run(_ calls: [Call], timeout: Duration) -> [Decision.Outcome] {
        state.change { state in
            state.calls = calls
            state.outcomes = []
            state.outcomes.reserveCapacity(calls.count)
        }
        return state.wait { state in
            if state.isDone { return .done(state.outcomes) }
            let now = MonotonicTime.now
            // A call that has not begun yet waits for a processor, and that is not its handler's fault.
            let deadline = (state.begun ?? now) + timeout
            if now < deadline { return .wait(until: deadline) }
            state.isAbandoned = true
            state.current.handler.isOverdue = true
            return .done(state.outcomes)
        }
    }

    /// Ends the thread as soon as it has nothing to call.
    func abandon() { state.change { $0.isAbandoned = true } }

    // MARK: On the thread

    private func work() {
        let memory = CallMemory()
        var last: Decision.Outcome?
        while let call = next(after: last) { last = call.make(in: memory) }
    }

    /// Notes what came of the last call, and waits for another; nil: there will be none.
    private func next(after outcome: Decision.Outcome?) -> Call? {
        var (outcome, hasNews) = (outcome, false)
        return state.wait { state in
            if let last = outcome.take() {
                // It is not waited for any more; but that it has come frees its handler.
                if state.isAbandoned { state.current.handler.isOverdue = false }
                state.note(last)
                hasNews = true
            }
            if state.isAbandoned { return .done(nil) }
            while !state.isDone, state.current.handler.isOverdue {
                state.note(state.current.handler.notCalled)
                hasNews = true
            }
            if state.isDone {
                defer { hasNews = false }
                return .wait(wakingOthers: hasNews)
            }
            state.begun = .now
            return .done(state.current)
        }
    }
}
