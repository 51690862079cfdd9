import BelfryEngine
import BelfryModel

/// Calls the native handlers that plugins registered for action types, each within a deadline.
///
/// Calls are made one after the other on a thread of their own, so that one that never returns does not stop decisions: it is
/// left behind with its thread, and another thread goes on. One stuck handler costs one thread and one deadline, however often
/// it is wanted. A runner is used by one thread at a time.
final class ActionRunner: ActionCalls {
    private var handlers: [String: ActionHandler] = [:]
    private var timeout = Configuration.Actions().timeout
    private let warn: (String) -> Void
    /// Nil before the first call, and after the last one was abandoned.
    private var thread: ActionThread?
    private var warned: Set<String> = []

    /// - Parameter warn: told once of each handler that took too long.
    init(of catalog: Catalog, _ providers: Providers, warn: @escaping (String) -> Void) {
        self.warn = warn
        take(catalog, providers)
    }

    func take(_ source: DecisionSource) {
        if case .threads(let loaded) = source { take(loaded.catalog, loaded.providers) }
    }

    /// From now on these are the handlers, and their deadline is the one configured there. A handler that was there before and is
    /// stuck stays stuck.
    func take(_ catalog: Catalog, _ providers: Providers) {
        timeout = catalog.configuration.actions.timeout
        let registrations = providers.actions.types.compactMap { providers.actions[$0] }
        let former = handlers
        handlers = Dictionary(
            uniqueKeysWithValues: registrations.map { registration in
                let known = former[registration.type].flatMap { $0.isOf(registration) ? $0 : nil }
                return (registration.type, known ?? ActionHandler(registration))
            })
    }

    deinit { thread?.abandon() }

    /// Runs actions in their order, and says of each how that went. A type that no plugin provides is `unknown`, never an error.
    func run(_ invocations: [Decision.Invocation]) -> [Decision.Outcome] {
        let calls = invocations.compactMap { invocation in
            handlers[invocation.type].map {
                ActionThread.Call(handler: $0, action: invocation.action, payload: invocation.payload)
            }
        }
        var outcomes = make(calls)[...]
        return invocations.map {
            handlers[$0.type] == nil ? Decision.Outcome(status: .unknown) : outcomes.removeFirst()
        }
    }

    private func make(_ calls: [ActionThread.Call]) -> [Decision.Outcome] {
        var outcomes: [Decision.Outcome] = []
        while outcomes.count < calls.count {
            let rest = Array(calls[outcomes.count...])
            do throws(NoThread) {
                outcomes += try idleThread().run(rest, timeout: timeout)
            } catch {
                outcomes += rest.map { Decision.Outcome(status: .failed, handler: $0.handler.plugin, error: error.why) }
            }
            guard outcomes.count < calls.count else { break }
            thread = nil
            outcomes.append(leave(calls[outcomes.count].handler))
        }
        return outcomes
    }

    private func idleThread() throws(NoThread) -> ActionThread {
        if let thread { return thread }
        let new = try ActionThread()
        thread = new
        return new
    }

    private func leave(_ handler: ActionHandler) -> Decision.Outcome {
        if warned.insert(handler.type).inserted {
            warn(
                "the handler of action '\(handler.type)' in plugin '\(handler.plugin)' did not return within \(timeout); "
                    + "until it does it is not called again, and its actions are 'timed-out'")
        }
        return handler.tooLate(after: timeout)
    }
}
