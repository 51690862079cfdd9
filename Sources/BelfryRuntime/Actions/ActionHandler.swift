import BelfryHandlers
import BelfryEngine
import BelfryModel
import Synchronization

/// The handler of an action type in one run: what to call, and whether a call of it is still out.
final class ActionHandler: Sendable {
    let type: String
    let plugin: String
    private let native: NativeHandler
    private let address: UInt
    private let overdue = Atomic(false)

    init(_ registration: ActionRegistry<Providers.Action>.Registration) {
        type = registration.type
        plugin = registration.plugin
        address = UInt(bitPattern: registration.handler.table)
        native = NativeHandler(registration.handler.table.pointee, signature: registration.handler.signature)
    }

    /// Whether it calls what was registered there. A table is a constant of a plugin that stays loaded.
    func isOf(_ registration: ActionRegistry<Providers.Action>.Registration) -> Bool {
        plugin == registration.plugin && address == UInt(bitPattern: registration.handler.table)
    }

    /// A call took too long and has not returned yet. Until it does there is no other: each would hold a thread.
    var isOverdue: Bool {
        get { overdue.load(ordering: .sequentiallyConsistent) }
        set { overdue.store(newValue, ordering: .sequentiallyConsistent) }
    }

    func call(action: Fields, payload: Fields, in memory: CallMemory) -> Decision.Outcome {
        let answer = native.call(action: action, payload: payload, in: memory)
        return Decision.Outcome(
            status: answer.error == nil ? .ok : .failed, handler: plugin, error: answer.error, result: answer.result)
    }

    func tooLate(after timeout: Duration) -> Decision.Outcome {
        timedOut("the handler did not return within \(timeout); what it does later does not count")
    }

    var notCalled: Decision.Outcome {
        timedOut("the handler was not called: an earlier call of it has not returned yet")
    }

    private func timedOut(_ error: String) -> Decision.Outcome {
        Decision.Outcome(status: .timedOut, handler: plugin, error: error)
    }
}
