/// The hooks of a strategy with its type erased: what lies between C functions, which know no generics, and a `Strategy`.
///
/// C hands over two addresses: `strategy` is that of a `Strategy`, `state` that of its `State`. The closures capture
/// nothing but types, and not even those once the initialiser is specialised in the author's module. They are constants of an
/// object, so that calling one counts no references.
public final class ErasedStrategy {
    @usableFromInline typealias Check = (
        _ strategy: UnsafeRawPointer, _ state: UnsafeRawPointer, Candidate, Context, UnsafePointer<belfry_reason>?
    ) -> belfry_verdict
    @usableFromInline typealias Outcome = (
        _ strategy: UnsafeRawPointer, _ state: UnsafeMutableRawPointer, Candidate, Bool, Context
    ) throws(StrategyError) -> Void
    @usableFromInline typealias Move = (
        _ strategy: UnsafeRawPointer, _ state: UnsafeMutableRawPointer, Context
    ) throws(StrategyError) -> Void

    @usableFromInline let memory: ErasedMemory
    @usableFromInline let state: ErasedState

    @usableFromInline let shouldCreate: Check
    @usableFromInline let didCreate: Outcome
    @usableFromInline let shouldDelete: Check
    @usableFromInline let didDelete: Outcome
    @usableFromInline let onOpened:
        (_ strategy: UnsafeRawPointer, _ state: UnsafeMutableRawPointer, Candidate, Context) throws(StrategyError) ->
            Void
    @usableFromInline let onBackground: Move
    @usableFromInline let onForeground: Move
    @usableFromInline typealias Monitor = (
        _ strategy: UnsafeRawPointer, _ state: UnsafeMutableRawPointer, _ region: String, Context
    ) throws(StrategyError) -> Void
    /// Nil if the strategy is no `RegionMonitoring`.
    @usableFromInline let onStartMonitoring: Monitor?
    @usableFromInline typealias Receive = (
        _ strategy: UnsafeRawPointer, _ state: UnsafeMutableRawPointer, Receipt, Candidate, Context
    ) throws(StrategyError) -> Void
    /// Nil if the strategy is no `ReceiptListening`.
    @usableFromInline let onReceipt: Receive?
    @usableFromInline let updateParameters: Move

    @inlinable
    public init<Type: Strategy>(_ type: Type.Type) {
        memory = ErasedMemory(type)
        state = ErasedState(Type.State.self)

        // Where the type is known, a verdict need not be made before it is answered.
        shouldCreate = { (strategy, state, candidate, context, reason) in
            lend(strategy, state) { (strategy: borrowing Type, state: borrowing Type.State) in
                strategy.shouldCreate(candidate, state: state, context: context).answer(reason)
            }
        }
        didCreate = { (strategy, state, candidate, created, context) throws(StrategyError) in
            try change(strategy, state) { (strategy: borrowing Type, state: inout Type.State) throws(StrategyError) in
                try strategy.didCreate(candidate, created: created, state: &state, context: context)
            }
        }
        shouldDelete = { (strategy, state, candidate, context, reason) in
            lend(strategy, state) { (strategy: borrowing Type, state: borrowing Type.State) in
                strategy.shouldDelete(candidate, state: state, context: context).answer(reason)
            }
        }
        didDelete = { (strategy, state, candidate, deleted, context) throws(StrategyError) in
            try change(strategy, state) { (strategy: borrowing Type, state: inout Type.State) throws(StrategyError) in
                try strategy.didDelete(candidate, deleted: deleted, state: &state, context: context)
            }
        }
        onOpened = { (strategy, state, candidate, context) throws(StrategyError) in
            try change(strategy, state) { (strategy: borrowing Type, state: inout Type.State) throws(StrategyError) in
                try strategy.onOpened(candidate, state: &state, context: context)
            }
        }
        onBackground = { (strategy, state, context) throws(StrategyError) in
            try change(strategy, state) { (strategy: borrowing Type, state: inout Type.State) throws(StrategyError) in
                try strategy.onBackground(state: &state, context: context)
            }
        }
        onForeground = { (strategy, state, context) throws(StrategyError) in
            try change(strategy, state) { (strategy: borrowing Type, state: inout Type.State) throws(StrategyError) in
                try strategy.onForeground(state: &state, context: context)
            }
        }
        onStartMonitoring = (Type.self as? any RegionMonitoring.Type).map { monitor($0) }
        onReceipt = (Type.self as? any ReceiptListening.Type).map { receive($0) }
        updateParameters = { (strategy, state, context) throws(StrategyError) in
            try change(strategy, state) { (strategy: borrowing Type, state: inout Type.State) throws(StrategyError) in
                try strategy.updateParameters(state: &state, context: context)
            }
        }
    }
}

extension Strategy {
    @inlinable public static var erased: ErasedStrategy { ErasedStrategy(Self.self) }
}

@usableFromInline
func monitor<Type: RegionMonitoring>(_ type: Type.Type) -> ErasedStrategy.Monitor {
    { (strategy, state, region, context) throws(StrategyError) in
        try change(strategy, state) { (strategy: borrowing Type, state: inout Type.State) throws(StrategyError) in
            try strategy.onStartMonitoring(region: region, state: &state, context: context)
        }
    }
}

@usableFromInline
func receive<Type: ReceiptListening>(_ type: Type.Type) -> ErasedStrategy.Receive {
    { (strategy, state, receipt, candidate, context) throws(StrategyError) in
        try change(strategy, state) { (strategy: borrowing Type, state: inout Type.State) throws(StrategyError) in
            try strategy.onReceipt(receipt, of: candidate, state: &state, context: context)
        }
    }
}

/// Lends a strategy and its state.
///
/// Written for types that cannot be copied, so that neither is copied here: of a copyable one, plain `pointee` would make a
/// copy to pass on, and so count up and down the references of every text and list in it.
@inlinable @inline(__always)
func lend<Strategy: ~Copyable, State: ~Copyable>(
    _ strategy: UnsafeRawPointer, _ state: UnsafeRawPointer,
    to check: (borrowing Strategy, borrowing State) -> belfry_verdict
) -> belfry_verdict {
    check(
        strategy.assumingMemoryBound(to: Strategy.self).pointee, state.assumingMemoryBound(to: State.self).pointee)
}

/// Lends a strategy that may change its state. What it throws leaves the state as it was: of a declared one the host has lent a copy.
@inlinable @inline(__always)
func change<Type: Strategy>(
    _ strategy: UnsafeRawPointer, _ state: UnsafeMutableRawPointer,
    _ tell: (borrowing Type, inout Type.State) throws(StrategyError) -> Void
) throws(StrategyError) {
    let strategy = strategy.assumingMemoryBound(to: Type.self)
    let state = state.assumingMemoryBound(to: Type.State.self)
    guard Type.State.savesItself else { return try tell(strategy.pointee, &state.pointee) }
    var copy = state.pointee
    try tell(strategy.pointee, &copy)
    state.pointee = copy
}

/// The parameters of a strategy or filter from what the host passes; null: none were given.
@usableFromInline
func decodeParameters<Parameters: ParameterValue>(
    _ value: UnsafePointer<belfry_value>?, host: Host
) throws(StrategyError) -> Parameters {
    guard let value else { return try Parameters.decodeNothing(host: host) }
    return try Parameters.decode(ParameterSource(value: value, host: host))
}
