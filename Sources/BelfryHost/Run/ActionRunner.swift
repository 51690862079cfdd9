import BelfryEngine
import BelfryModel

/// Calls the native handlers that plugins registered for action types.
struct ActionRunner {
    let providers: Providers

    /// Runs actions, one after the other, and says how each went.
    func run(_ invocations: [Decision.Invocation]) -> [Decision.Outcome] { invocations.map(run) }

    /// Runs an action and says how that went. A type nobody provides is `unknown`, never an error.
    private func run(_ invocation: Decision.Invocation) -> Decision.Outcome {
        guard let provider = providers.actions[invocation.type] else { return Decision.Outcome(status: .unknown) }
        let call = HandlerCall(of: provider.action.pointee, action: invocation.action, payload: invocation.payload)
        return Decision.Outcome(
            status: call.error == nil ? .ok : .failed, handler: provider.plugin, error: call.error, result: call.result)
    }
}
