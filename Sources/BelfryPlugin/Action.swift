/// Does what an action says when a notification is opened.
public protocol ActionProvider {
    static var actions: [Action] { get }
}

/// One action type and the native function behind it.
///
/// The host calls the function directly, so it is a C function that captures nothing. `perform` turns a Swift function
/// into the body of one:
///
///     Action(type: "url", summary: "opens a web address") { perform(open, $0, $1) }
///
///     func open(_ action: ActionCall) throws(StrategyError) -> Value? { … }
///
/// Or it gets the fields of the action one by one, checked and converted by the host:
///
///     Action(signature: "view(sku: string, price: double, quantity: int = 1)", summary: "shows a product", handler: view)
///
///     let view: @convention(c) (UnsafePointer<CChar>, Double, Int64, ActionResult) -> belfry_status = {
///         sku, price, quantity, result in
///         perform(result) { () throws(StrategyError) in … }
///     }
public struct Action {
    let type: String
    let summary: String
    let signature: String
    let function: belfry_action_function
    /// Why the function cannot be what the signature says; nil: nothing is known against it.
    let mismatch: String?

    /// Signature `(action)`: gets the whole action.
    public init(
        type: String, summary: String,
        handler: @convention(c) (UnsafePointer<belfry_value>?, UnsafePointer<belfry_action_result>?) -> belfry_status
    ) {
        self.type = type
        self.summary = summary
        signature = "(action)"
        // The contract's own type-erased form; the host calls it by the signature.
        function = unsafeBitCast(handler, to: belfry_action_function.self)
        mismatch = nil
    }

    /// Signature `(action, payload)`: gets the notification too.
    public init(
        type: String, summary: String,
        handler:
            @convention(c) (
                UnsafePointer<belfry_value>?, UnsafePointer<belfry_value>?, UnsafePointer<belfry_action_result>?
            ) -> belfry_status
    ) {
        self.type = type
        self.summary = summary
        signature = "(action, payload)"
        function = unsafeBitCast(handler, to: belfry_action_function.self)
        mismatch = nil
    }

    /// Any signature: `type(name: TYPE = default, …)`, as in `belfry/actions.h`.
    ///
    /// - Parameter handler: a C function of the type that follows from the signature:
    ///
    ///       bool            belfry_bool              bytes             UnsafePointer<UInt8>, UInt64
    ///       int, instant    Int64                    action, payload   UnsafePointer<belfry_value>
    ///       double          Double                   at the end        ActionResult
    ///       string          UnsafePointer<CChar>     returns           belfry_status
    ///
    ///   None of the pointers is ever nil. A function of another type is found out when the plugin is loaded: the host
    ///   refuses the plugin and says what differs.
    public init<Function>(signature: String, summary: String, handler: Function) {
        type = (try? ActionSignature(parsing: signature))?.name ?? String(signature.prefix { $0 != "(" })
        self.summary = summary
        self.signature = signature
        let isPointer = MemoryLayout<Function>.size == MemoryLayout<belfry_action_function>.size
        mismatch = isPointer ? HandlerType(Function.self).mismatch(with: signature) : HandlerType.noCFunction(signature)
        // The stand-in is never called: the plugin is refused.
        function = mismatch == nil ? unsafeBitCast(handler, to: belfry_action_function.self) : {}
    }
}

/// Where a handler leaves what it has to say.
public typealias ActionResult = UnsafePointer<belfry_action_result>

/// The C table of an action: constant, valid until the process ends. A host in the same process can use it directly.
public func actionTable(_ action: Action) -> UnsafePointer<belfry_action> {
    let arena = Arena(.process)
    let table = belfry_action(
        type: arena.text(action.type), summary: arena.text(action.summary), signature: arena.text(action.signature),
        function: action.function)
    return arena.copy([table])!  // one element is never empty
}

/// An action that is to be done.
public struct ActionCall {
    /// The whole action: `type`, and whatever else the configuration gives it.
    public let action: Fields
    /// The notification, as in `notification.created`; empty with the signature `(action)`.
    public let payload: Fields

    public var type: String { action["type"]?.text ?? "" }
    /// Nil when it has none.
    public var value: Value? { action["value"] }
}

/// The body of a handler with any other signature: what `body` returns becomes the result, what it throws the error.
public func perform(_ result: ActionResult?, _ body: () throws(StrategyError) -> Value?) -> belfry_status {
    do throws(StrategyError) {
        let answer = try body()
        if let answer, let result { answer.withRaw { result.pointee.set(result.pointee.owner, $0) } }
        return BELFRY_OK
    } catch {
        if let result { error.message.withText { result.pointee.fail(result.pointee.owner, $0.bytes, $0.length) } }
        return BELFRY_FAILED
    }
}

/// The body of a handler with the signature `(action)`: what `function` returns becomes the result, what it throws the error.
public func perform(
    _ function: (ActionCall) throws(StrategyError) -> Value?,
    _ action: UnsafePointer<belfry_value>?, _ result: UnsafePointer<belfry_action_result>?
) -> belfry_status {
    perform(function, action, nil, result)
}

/// The body of a handler with the signature `(action, payload)`.
public func perform(
    _ function: (ActionCall) throws(StrategyError) -> Value?,
    _ action: UnsafePointer<belfry_value>?, _ payload: UnsafePointer<belfry_value>?,
    _ result: UnsafePointer<belfry_action_result>?
) -> belfry_status {
    func fields(_ value: UnsafePointer<belfry_value>?) -> Fields { value.flatMap { Value($0).map } ?? Fields() }
    return perform(result) { () throws(StrategyError) in
        try function(ActionCall(action: fields(action), payload: fields(payload)))
    }
}
