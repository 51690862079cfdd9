import BelfryModel
import CBelfry

/// A state that saves itself, as long as a candidate is asked about.
struct LiveState {
    let memory: UnsafeMutableRawPointer
    fileprivate let layout: Lent<StateLayout>
    fileprivate let owner: UInt32
    fileprivate let key: UnsafePointer<CounterKey>
    fileprivate let entry: UInt16
}

/// Why a plugin could not be asked, or told, something.
struct Fault: Error {
    let cause: Decision.FaultCause
    let message: String
    /// The function that failed, if it is not the one that was to be called.
    var hook: Hook?
}

extension CallScope {
    /// The state of a step for a question, where it lies in the record or in a copy: nothing is to be written there.
    @inline(__always)
    func state(of plan: EntryPlan, _ counter: UnsafePointer<CounterKey>) throws(Fault) -> UnsafeMutableRawPointer? {
        guard let layout = plan.layout else { return nil }
        let slot = record.slot(SubjectRecord.SlotKey(owner: plan.owner, counter: counter.pointee))
        if let slot, layout.isLentInPlace, isCurrent(slot, plan, layout) { return lentState(slot) }
        if slot == nil, layout.isDeclared { return layout.new }
        return try copy(of: slot, layout, plan, counter)
    }

    /// Whether a state was stored by the plugin as it is, with the parameters that it has.
    @inline(__always)
    private func isCurrent(_ slot: SubjectRecord.Slot, _ plan: EntryPlan, _ layout: StateLayout) -> Bool {
        slot.shape == layout.number && slot.parameters == plan.parametersHash
    }

    /// What a slot holds, until the record changes.
    @inline(__always)
    private func lentState(_ slot: SubjectRecord.Slot) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(mutating: record.block.address + slot.content.lowerBound)
    }

    /// A state in memory of the scope. Texts and lists of declared fields stay in the record.
    private func copy(
        of slot: SubjectRecord.Slot?, _ layout: StateLayout, _ plan: EntryPlan, _ counter: UnsafePointer<CounterKey>
    ) throws(Fault) -> UnsafeMutableRawPointer {
        guard layout.isDeclared else { return try live(layout, plan, counter, slot) }
        let memory = arena.allocate(bytes: layout.size, alignment: 16)
        guard let slot else {
            memory.copyMemory(from: layout.new, byteCount: layout.size)
            return memory
        }
        if slot.shape == layout.number {
            layout.load(lentState(slot), into: memory)
        } else {
            layout.load(try values(of: slot), into: memory, arena)
        }
        if slot.parameters != plan.parametersHash { try updateParameters(plan, memory) }
        return memory
    }

    func values(of slot: SubjectRecord.Slot) throws(Fault) -> [StatePair] {
        guard let shape = record.shape(slot.shape, catalog.services.states),
            let values = try? shape.values(in: record.block.bytes.extracting(slot.content))
        else { throw Fault(cause: .error, message: "its stored state has fields that are described nowhere") }
        return values
    }

    private func updateParameters(_ plan: EntryPlan, _ memory: UnsafeMutableRawPointer) throws(Fault) {
        guard let base = plan.base, let hook = plan.strategy?.pointee.update_parameters else { return }
        _ = try told(plan, .updateParameters) { hook(base.pointer, memory, cContext, $0) }
    }

    // MARK: States that save themselves

    private func live(
        _ layout: StateLayout, _ plan: EntryPlan, _ counter: UnsafePointer<CounterKey>, _ slot: SubjectRecord.Slot?
    ) throws(Fault) -> UnsafeMutableRawPointer {
        let known = liveStates.first {
            $0.owner == plan.owner && $0.key.pointee.text.isSame(as: counter.pointee.text)
        }
        if let known { return known.memory }
        let table = layout.table
        let memory = arena.allocate(bytes: layout.size, alignment: 16)
        try enter(plan, .stateInit)
        table.pointee.state_init(table.pointee.type, memory)
        leave()
        liveStates.append(
            LiveState(
                memory: memory, layout: Lent(layout), owner: plan.owner, key: counter,
                entry: UInt16(truncatingIfNeeded: plan.index)))
        do throws(Fault) {
            if let slot { try load(slot, into: memory, layout, plan) }
            if let slot, slot.parameters != plan.parametersHash { try updateParameters(plan, memory) }
        } catch {
            destroy(liveStates.removeLast())
            throw error
        }
        return memory
    }

    private func load(
        _ slot: SubjectRecord.Slot, into memory: UnsafeMutableRawPointer, _ layout: StateLayout, _ plan: EntryPlan
    ) throws(Fault) {
        let table = layout.table
        let version = slot.shape & StateShape.isDeclared == 0 ? slot.shape : 0
        guard version <= table.pointee.state_version else {
            throw Fault(
                cause: .error,
                message:
                    "its stored state has version \(version), newer than the version \(table.pointee.state_version) this plugin knows",
                hook: .stateLoad)
        }
        let source = StateSource(try values(of: slot), arena: arena)
        try enter(plan, .stateLoad)
        let (status, error) = collectText { sink in
            source.withReader {
                table.pointee.state_load(
                    table.pointee.type, memory, version, record.latest.milliseconds, $0, sink)
            }
        }
        leave()
        guard status == BELFRY_OK else {
            throw Fault(
                cause: .error, message: "it cannot load its stored state" + (error.isEmpty ? "" : ": \(error)"),
                hook: .stateLoad)
        }
    }

    /// Lets go of the states that save themselves.
    @inline(__always)
    func endStates() { if !liveStates.isEmpty { destroyLiveStates() } }

    @inline(never)
    private func destroyLiveStates() {
        for state in liveStates { destroy(state) }
        liveStates.removeAll()
    }

    private func destroy(_ state: LiveState) {
        let table = state.layout.object.table
        // What it does not let go of is lost with the process.
        do throws(Fault) { try enter(state.entry, .stateDestroy) } catch { return }
        table.pointee.state_destroy(table.pointee.type, state.memory)
        leave()
    }

    @inline(__always)
    private func enter(_ plan: EntryPlan, _ hook: Hook) throws(Fault) {
        try enter(UInt16(truncatingIfNeeded: plan.index), hook)
    }

    // MARK: Telling

    /// Tells an entry something under a counter, and keeps what it makes of its state.
    ///
    /// - Parameter hook: gets the state, NULL for a strategy that keeps none, and where a failure is to be explained.
    /// - Throws: if it fails, or its state cannot be used; the state is what it was before.
    func call(
        _ plan: EntryPlan, _ counter: UnsafePointer<CounterKey>, _ name: Hook,
        _ hook: (UnsafeMutableRawPointer?, UnsafePointer<belfry_sink>) -> belfry_told
    ) throws(Fault) {
        guard let layout = plan.layout else {
            _ = try told(plan, name) { hook(nil, $0) }
            return
        }
        let key = SubjectRecord.SlotKey(owner: plan.owner, counter: counter.pointee)
        let slot = record.slot(key)
        // Never where it lies: what fails leaves no trace.
        let memory = try copy(of: slot, layout, plan, counter)
        let before = layout.isDeclared ? arena.copy(UnsafeRawBufferPointer(start: memory, count: layout.size)) : nil
        // Many say that a state changed which is what it was.
        let hasChanged =
            try told(plan, name) { hook(memory, $0) }
            && !(before.map { layout.isSame(memory, $0) } ?? false)
        let isOutdated = slot.map { !isCurrent($0, plan, layout) } ?? false
        if hasChanged || isOutdated { try keep(memory, layout, plan, key, slot) }
    }

    /// - Returns: whether the state changed.
    private func told(
        _ plan: EntryPlan, _ name: Hook, _ hook: (UnsafePointer<belfry_sink>) -> belfry_told
    ) throws(Fault) -> Bool {
        try enter(plan, name)
        let telling = Telling(hook)
        leave()
        switch telling {
        case .unchanged: return false
        case .changed: return true
        case .failed(let sentence): throw Fault(cause: .error, message: sentence, hook: name)
        }
    }

    private func keep(
        _ memory: UnsafeRawPointer, _ layout: StateLayout, _ plan: EntryPlan, _ key: SubjectRecord.SlotKey,
        _ slot: SubjectRecord.Slot?
    ) throws(Fault) {
        content.removeAll()
        if layout.isDeclared {
            guard layout.store(memory, in: &content) else {
                throw Fault(cause: .nonsense, message: "it left a text or list in its state that makes no sense")
            }
        } else {
            try save(memory, layout, plan, in: &content)
        }
        content.withBytes { keep($0, layout, plan, key, slot) }
    }

    /// A state that is as it was at first takes no place.
    private func keep(
        _ content: UnsafeRawBufferPointer, _ layout: StateLayout, _ plan: EntryPlan, _ key: SubjectRecord.SlotKey,
        _ slot: SubjectRecord.Slot?
    ) {
        if layout.isInitial(content) {
            if slot != nil { record.removeState(key) }
        } else {
            let slot = slot ?? record.addSlot(key)
            record.setState(slot, shape: layout.number, parameters: plan.parametersHash, to: content)
        }
        refreshSubject()
    }

    private func save(
        _ memory: UnsafeRawPointer, _ layout: StateLayout, _ plan: EntryPlan, in writer: inout ByteWriter
    ) throws(Fault) {
        let collector = StateCollector()
        try enter(plan, .stateSave)
        collector.withWriter { layout.table.pointee.state_save(layout.table.pointee.type, memory, $0) }
        leave()
        if let nonsense = collector.nonsense { throw Fault(cause: .nonsense, message: nonsense, hook: .stateSave) }
        writer.stateValues(collector.values)
    }
}

extension StateLayout {
    /// Whether that is what a new state is stored as. One that saves itself saves nothing then: one byte says so.
    fileprivate func isInitial(_ content: UnsafeRawBufferPointer) -> Bool {
        isDeclared ? initial.withUnsafeBytes { $0.hasBytes(of: content) } : content.count == 1
    }

    fileprivate func isSame(_ memory: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
        UnsafeRawBufferPointer(start: memory, count: size).hasBytes(
            of: UnsafeRawBufferPointer(start: other, count: size))
    }
}

extension belfry_text {
    func isSame(as other: belfry_text) -> Bool {
        (bytes == nil) == (other.bytes == nil) && utf8.hasBytes(of: other.utf8)
    }
}
