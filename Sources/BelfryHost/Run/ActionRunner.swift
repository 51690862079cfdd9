import BelfryEngine
import BelfryModel
import CBelfry

/// Calls the native handlers that plugins registered for action types.
struct ActionRunner {
    let providers: Providers

    /// Runs an action and says how that went. A type nobody provides is `unknown`, never an error.
    func run(_ invocation: Decision.Invocation) -> Decision.Outcome {
        guard let provider = providers.actions[invocation.type] else { return Decision.Outcome(status: .unknown) }
        let drain = ResultDrain()
        let status = drain.withResult { result in
            BorrowedValue.with(.map(invocation.action)) { action in
                BorrowedValue.with(.map(invocation.payload)) { payload in
                    Self.call(provider.action.pointee, action, payload, result)
                }
            }
        }
        if status == BELFRY_OK && drain.error == nil {
            return Decision.Outcome(status: .ok, handler: provider.plugin, result: drain.result)
        }
        let error = drain.error ?? "the handler failed with status \(status) and without a word"
        return Decision.Outcome(status: .failed, handler: provider.plugin, error: error, result: drain.result)
    }

    /// The signature was checked when the plugin was loaded.
    private static func call(
        _ action: belfry_action, _ value: UnsafePointer<belfry_value>, _ payload: UnsafePointer<belfry_value>,
        _ result: UnsafePointer<belfry_action_result>
    ) -> belfry_status {
        if action.signature.string == "(action, payload)" {
            return unsafeBitCast(action.function, to: belfry_action_payload_handler.self)(value, payload, result)
        }
        return unsafeBitCast(action.function, to: belfry_action_handler.self)(value, result)
    }
}

/// Takes what a handler has to say.
private final class ResultDrain {
    private(set) var result: Value?
    private(set) var error: String?

    func withResult<Result>(_ body: (UnsafePointer<belfry_action_result>) -> Result) -> Result {
        var result = belfry_action_result(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            set: { owner, value in ResultDrain.of(owner).result = value.map { Value($0.pointee) } },
            fail: { owner, message, length in
                ResultDrain.of(owner).error = belfry_text(bytes: message, length: length).string ?? "it failed without a word"
            })
        return withExtendedLifetime(self) { body(&result) }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> ResultDrain {
        Unmanaged.fromOpaque(owner!).takeUnretainedValue()
    }
}
