import BelfryModel

/// Runs the actions of decisions, in threads of this process or in another process.
protocol ActionCalls: AnyObject {
    /// Runs actions in their order, and says of each how that went. A type that no plugin provides is `unknown`, never an error.
    func run(_ invocations: [Decision.Invocation]) -> [Decision.Outcome]

    /// From now on these are the handlers.
    func take(_ source: DecisionSource)
}

/// Runs none: what is only tried out has no effect outside.
final class NoActions: ActionCalls {
    func run(_ invocations: [Decision.Invocation]) -> [Decision.Outcome] {
        invocations.map { _ in Decision.Outcome(status: .ok) }
    }

    func take(_ source: DecisionSource) {}
}
