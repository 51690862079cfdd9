import BelfryEngine
import BelfryHandlers
import BelfryModel
import Synchronization

/// The native handlers of actions, called on the thread that decides, one at a time, and waited for.
final class CoreActions: Sendable {
    /// The contract promises handlers that a host never calls them twice at once; a process is one, however many cores it has.
    private static let turn = Mutex(())
    private let handlers: [String: (plugin: String, native: NativeHandler)]

    init(_ providers: Providers) {
        let registrations = providers.actions.types.compactMap { providers.actions[$0] }
        handlers = Dictionary(
            uniqueKeysWithValues: registrations.map {
                (
                    $0.type,
                    ($0.plugin, NativeHandler($0.handler.table.pointee, signature: $0.handler.signature))
                )
            })
    }

    /// An action type that no plugin provides is `unknown`, never an error.
    func run(_ invocation: Decision.Invocation) -> Decision.Outcome {
        guard let handler = handlers[invocation.type] else { return Decision.Outcome(status: .unknown) }
        let answer = Self.turn.withLock { _ in
            handler.native.call(action: invocation.action, payload: invocation.payload, in: CallMemory())
        }
        return Decision.Outcome(
            status: answer.error == nil ? .ok : .failed, handler: handler.plugin, error: answer.error,
            result: answer.result)
    }
}
