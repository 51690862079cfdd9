/// The C table of a strategy: constant, valid until the process ends. A host in the same process can use it directly.
public func strategyTable(_ type: any Strategy.Type) -> UnsafePointer<belfry_strategy> {
    let arena = Arena(.process)
    var table = describe(type, in: arena)
    let erased = type.erased
    table.type = Unmanaged.passRetained(erased).toOpaque()  // until the process ends
    addLifecycle(to: &table)
    if table.state_size > 0 { addState(to: &table, erased.state.saving) }
    addChecks(to: &table)
    if type.outcomes != .none { addOutcomes(to: &table) }
    addMoves(to: &table)
    if type is any RegionMonitoring.Type, table.state_size > 0 { addMonitoring(to: &table) }
    return arena.copy([table])!  // one element is never empty
}

private func describe<Type: Strategy>(_ type: Type.Type, in arena: Arena) -> belfry_strategy {
    var table = belfry_strategy()
    let order = type.order
    table.name = arena.text(type.name)
    table.summary = arena.text(type.summary)
    table.parameters = arena.root(Type.Parameters.shape)
    table.default_counter = arena.text(type.defaultCounter == "subject" ? nil : type.defaultCounter)
    table.before = arena.copy(order.before.map(arena.text))
    table.before_count = UInt64(order.before.count)
    table.after = arena.copy(order.after.map(arena.text))
    table.after_count = UInt64(order.after.count)
    table.order_reason = arena.text(order.reason)
    table.state_size = UInt64(MemoryLayout<Type.State>.size)
    table.state_alignment = UInt64(MemoryLayout<Type.State>.alignment)
    table.fields = arena.copy(Type.State.fields.map { arena.field($0) })
    table.field_count = UInt64(Type.State.fields.count)
    return table
}

extension Arena {
    fileprivate func field<State>(_ field: StateField<State>) -> belfry_field {
        belfry_field(
            name: text(field.name), summary: text(field.summary), unit: text(field.unit), type: field.type,
            flags: field.isOptional ? BELFRY_FIELD_OPTIONAL : 0, offset: UInt64(field.offset ?? 0))
    }

    /// The root description of a strategy or filter; null when it takes no parameters.
    func root(_ shape: ParameterShape) -> UnsafePointer<belfry_parameter>? {
        shape.type == BELFRY_PARAMETER_NONE ? nil : copy([ParameterDescription(root: shape).write(to: self)])
    }
}

// The C functions. Swift sees every pointer of C as one that may be null; those that the contract promises are unwrapped, on the path of
// a decision without a look.

private func addLifecycle(to table: inout belfry_strategy) {
    table.create = { type, host, parameters, sink in
        let hooks = ErasedStrategy.at(type)
        let host = Host(host!)
        do throws(StrategyError) {
            return StrategyInstance.make(hooks, host: host, strategy: try hooks.memory.create(host, parameters))
        } catch {
            sink.write(error.message)
            return nil
        }
    }
    table.destroy = { instance in
        let instance = instance!.assumingMemoryBound(to: StrategyInstance.self)
        instance.pointee.hooks.takeUnretainedValue().memory.destroy(instance.pointee.strategy)
        instance.deallocate()  // it is plain pointers: nothing to deinitialise
    }
}

private func addState(to table: inout belfry_strategy, _ saving: ErasedSaving?) {
    table.state_init = { ErasedStrategy.at($0).state.initialize($1!) }
    guard let saving else { return }
    // What is below zero or too large is too large here, and the host refuses it.
    table.state_version = UInt32(exactly: saving.version) ?? .max
    table.state_destroy = { ErasedStrategy.at($0).state.destroy($1!) }
    table.state_load = { type, state, version, now, reader, sink in
        do throws(StrategyError) {
            // Only a strategy that saves itself is asked to load.
            try ErasedStrategy.at(type).state.saving!.load(
                state!, StateReader(raw: reader!.pointee), Int(version), Instant(milliseconds: now))
            return BELFRY_OK
        } catch {
            sink.write(error.message)
            return BELFRY_FAILED
        }
    }
    table.state_save = { ErasedStrategy.at($0).state.saving!.save($1!, StateWriter(raw: $2!.pointee)) }
}

private func addChecks(to table: inout belfry_strategy) {
    table.should_create = { instance, state, candidate, context, reason in
        let instance = StrategyInstance.at(instance)
        return instance.with {
            $0.shouldCreate(
                $1, state ?? noState, Candidate(candidate.unsafelyUnwrapped), instance.context(context), reason)
        }
    }
    table.should_delete = { instance, state, candidate, context, reason in
        let instance = StrategyInstance.at(instance)
        return instance.with {
            $0.shouldDelete(
                $1, state ?? noState, Candidate(candidate.unsafelyUnwrapped), instance.context(context), reason)
        }
    }
}

private func addOutcomes(to table: inout belfry_strategy) {
    table.did_create = { instance, state, candidate, created, context, sink in
        told(instance, sink) { (hooks, strategy, instance) throws(StrategyError) in
            try hooks.didCreate(
                strategy, state ?? noMutableState, Candidate(candidate.unsafelyUnwrapped), created != 0,
                instance.context(context))
        }
    }
    table.did_delete = { instance, state, candidate, deleted, context, sink in
        told(instance, sink) { (hooks, strategy, instance) throws(StrategyError) in
            try hooks.didDelete(
                strategy, state ?? noMutableState, Candidate(candidate.unsafelyUnwrapped), deleted != 0,
                instance.context(context))
        }
    }
}

private func addMoves(to table: inout belfry_strategy) {
    table.on_opened = { instance, state, candidate, context, sink in
        told(instance, sink) { (hooks, strategy, instance) throws(StrategyError) in
            try hooks.onOpened(strategy, state ?? noMutableState, Candidate(candidate!), instance.context(context))
        }
    }
    // What follows can only change state: without any there is nothing to tell.
    if table.state_size == 0 { return }
    table.on_background = { instance, state, context, sink in
        told(instance, sink) { (hooks, strategy, instance) throws(StrategyError) in
            try hooks.onBackground(strategy, state!, instance.context(context))
        }
    }
    table.on_foreground = { instance, state, context, sink in
        told(instance, sink) { (hooks, strategy, instance) throws(StrategyError) in
            try hooks.onForeground(strategy, state!, instance.context(context))
        }
    }
    table.update_parameters = { instance, state, context, sink in
        told(instance, sink) { (hooks, strategy, instance) throws(StrategyError) in
            try hooks.updateParameters(strategy, state!, instance.context(context))
        }
    }
}

private func addMonitoring(to table: inout belfry_strategy) {
    table.on_start_monitoring = { instance, state, region, context, sink in
        told(instance, sink) { (hooks, strategy, instance) throws(StrategyError) in
            try hooks.onStartMonitoring?(
                strategy, state!, String(belfry: region!.pointee) ?? "", instance.context(context))
        }
    }
}

/// Tells an instance something. Whether its state changed is for the host to see, which compares it.
@inline(__always)
func told(
    _ instance: UnsafeMutableRawPointer?, _ sink: UnsafePointer<belfry_sink>?,
    _ tell: (ErasedStrategy, UnsafeMutableRawPointer, UnsafePointer<StrategyInstance>) throws(StrategyError) -> Void
) -> belfry_told {
    let instance = StrategyInstance.at(instance)
    return instance.with { hooks, strategy in
        do throws(StrategyError) {
            try tell(hooks, strategy, instance)
            return BELFRY_TOLD_CHANGED
        } catch {
            sink.write(error.message)
            return BELFRY_TOLD_FAILED
        }
    }
}
