/// How a strategy is made and freed.
@usableFromInline
struct ErasedMemory {
    @usableFromInline let create: (Host, UnsafePointer<belfry_value>?) throws(StrategyError) -> UnsafeMutableRawPointer
    @usableFromInline let destroy: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init<Type: Strategy>(_ type: Type.Type) {
        create = { (host, value) throws(StrategyError) in
            let strategy = try Type(decodeParameters(value, host: host), host: host)
            let memory = UnsafeMutablePointer<Type>.allocate(capacity: 1)
            memory.initialize(to: strategy)
            return UnsafeMutableRawPointer(memory)
        }
        destroy = {
            let memory = $0.assumingMemoryBound(to: Type.self)
            memory.deinitialize(count: 1)
            memory.deallocate()
        }
    }
}

/// How a state begins and ends, in memory of the host.
@usableFromInline
struct ErasedState {
    @usableFromInline let initialize: (UnsafeMutableRawPointer) -> Void
    @usableFromInline let destroy: (UnsafeMutableRawPointer) -> Void
    @usableFromInline let saving: ErasedSaving?

    @inlinable
    init<State: StrategyState>(_ type: State.Type) {
        initialize = { $0.initializeMemory(as: State.self, to: State()) }
        destroy = { $0.assumingMemoryBound(to: State.self).deinitialize(count: 1) }
        saving = (State.self as? any SelfSavingState.Type).map { ErasedSaving($0) }
    }
}

/// How a state that saves itself does.
@usableFromInline
struct ErasedSaving {
    let version: Int
    let load: (UnsafeMutableRawPointer, StateReader, Int, Instant) throws(StrategyError) -> Void
    let save: (UnsafeRawPointer, StateWriter) -> Void

    @usableFromInline
    init<State: SelfSavingState>(_ type: State.Type) {
        version = State.version
        load = { (state, reader, version, now) throws(StrategyError) in
            let state = state.assumingMemoryBound(to: State.self)
            guard version < State.version else { return state.pointee.load(from: reader) }
            try state.pointee.load(from: reader, version: version, now: now)
        }
        save = { $0.assumingMemoryBound(to: State.self).pointee.save(to: $1) }
    }
}
