import BelfryEngine
import BelfryModel
import CBelfry

/// The native function of an action, ready to be called: what its plugin registered, and the call interface made of the
/// signature once.
///
/// Any thread may call it, several at once too.
public final class NativeHandler: Sendable {
    public let signature: ActionSignature
    private let function: belfry_action_function
    private let interface: CallInterface

    /// - Parameters:
    ///   - table: of a loaded plugin, whose `function` is there.
    ///   - signature: what the table's text says.
    public init(_ table: belfry_action, signature: ActionSignature) {
        self.signature = signature
        function = table.function
        interface = CallInterface(of: signature)
    }

    /// - Throws: why its signature is none.
    public convenience init(_ table: belfry_action) throws(ActionSignature.Malformed) {
        self.init(table, signature: try ActionSignature(parsing: table.signature.string ?? ""))
    }

    /// What a call came to.
    public struct Answer: Sendable, Hashable {
        /// One sentence; nil: it did what it was asked.
        public let error: String?
        public let result: Value?
    }

    /// Calls the function on this thread, and returns when it returns. An action that does not fit is refused instead.
    ///
    /// - Parameter memory: for what is lent to the function; what it held before is gone.
    public func call(action: Fields, payload: Fields, in memory: CallMemory) -> Answer {
        let arguments: [ActionSignature.Argument]
        do throws(ActionSignature.Mismatch) {
            arguments = try signature.arguments(from: action)
        } catch {
            return Answer(error: error.sentence, result: nil)
        }
        let drain = ResultDrain()
        let status = drain.withResult { result in
            var frame = CallFrame(capacity: interface.count, memory: memory)
            for argument in arguments { frame.append(argument, action: action, payload: payload) }
            frame.append(pointer: result)
            return interface.call(function, frame)
        }
        let failure = status == BELFRY_OK ? nil : "the handler failed with status \(status) and without a word"
        return Answer(error: drain.error ?? failure, result: drain.result)
    }
}
