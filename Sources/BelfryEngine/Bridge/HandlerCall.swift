import BelfryModel
import CBelfry

/// One call of the native handler of an action, and what it had to say.
package struct HandlerCall {
    /// Nil: it did what it was asked.
    package let error: String?
    package let result: Value?

    /// Calls the handler, on this thread. Its signature was checked when its plugin was loaded.
    package init(of handler: belfry_action, action: Fields, payload: Fields) {
        let drain = ResultDrain()
        let status = drain.withResult { result in
            BorrowedValue.with(.map(action)) { action in
                BorrowedValue.with(.map(payload)) { payload in Self.call(handler, action, payload, result) }
            }
        }
        let failure = status == BELFRY_OK ? nil : "the handler failed with status \(status) and without a word"
        error = drain.error ?? failure
        result = drain.result
    }

    private static func call(
        _ handler: belfry_action, _ action: UnsafePointer<belfry_value>, _ payload: UnsafePointer<belfry_value>,
        _ result: UnsafePointer<belfry_action_result>
    ) -> belfry_status {
        if handler.signature.string == "(action, payload)" {
            return unsafeBitCast(handler.function, to: belfry_action_payload_handler.self)(action, payload, result)
        }
        return unsafeBitCast(handler.function, to: belfry_action_handler.self)(action, result)
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
                ResultDrain.of(owner).error =
                    belfry_text(bytes: message, length: length).string ?? "it failed without a word"
            })
        return withExtendedLifetime(self) { body(&result) }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> ResultDrain {
        Unmanaged.fromOpaque(owner!).takeUnretainedValue()
    }
}
