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
public struct Action {
    let type: String
    let summary: String
    let signature: String
    let function: belfry_action_function

    /// Signature `(action)`: gets the whole action.
    public init(
        type: String, summary: String,
        handler: @convention(c) (UnsafePointer<belfry_value>?, UnsafePointer<belfry_action_result>?) -> belfry_status
    ) {
        self.type = type
        self.summary = summary
        signature = "(action)"
        // The contract's own type-erased form; the host casts it back by the signature.
        function = unsafeBitCast(handler, to: belfry_action_function.self)
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
    }
}

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
    do throws(StrategyError) {
        let answer = try function(ActionCall(action: fields(action), payload: fields(payload)))
        if let answer, let result { answer.withRaw { result.pointee.set(result.pointee.owner, $0) } }
        return BELFRY_OK
    } catch {
        if let result { error.message.withText { result.pointee.fail(result.pointee.owner, $0.bytes, $0.length) } }
        return BELFRY_FAILED
    }
}
