import BelfryModel
import CBelfry

/// A state that saves itself, as long as a candidate is asked about.
struct LiveState {
    let memory: UnsafeMutableRawPointer
    fileprivate let states: UnsafePointer<StatePlan>
    fileprivate let key: UnsafePointer<CounterKey>
}

/// Why a plugin could not be asked, or told, something.
struct Fault: Error {
    let cause: Decision.FaultCause
    let message: String
    /// The function that failed, if it is not the one that was to be called.
    var hook: Hook?
}

extension CallScope {
    /// The state of an entry for a question, where it lies in the record or in a copy: nothing is to be written there.
    @inline(__always)
    func state(
        _ states: UnsafePointer<StatePlan>, _ counter: UnsafePointer<CounterKey>, _ slot: SubjectRecord.Slot?
    ) throws(Fault) -> UnsafeMutableRawPointer {
        if let slot {
            if states.pointee.isPlain, states.pointee.isCurrent(slot) { return lentState(slot) }
        } else if states.pointee.isDeclared {
            return states.pointee.new
        }
        return try copy(of: slot, states, counter)
    }

    func slot(_ states: UnsafePointer<StatePlan>, _ counter: UnsafePointer<CounterKey>) -> SubjectRecord.Slot? {
        record.slot(SubjectRecord.SlotKey(owner: states.pointee.owner, counter: counter.pointee))
    }

    /// What a slot holds, until the record changes.
    @inline(__always)
    private func lentState(_ slot: SubjectRecord.Slot) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(mutating: record.block.address + slot.content.lowerBound)
    }

    /// A state in memory of the scope. Texts and lists of declared fields stay in the record.
    private func copy(
        of slot: SubjectRecord.Slot?, _ states: UnsafePointer<StatePlan>, _ counter: UnsafePointer<CounterKey>
    ) throws(Fault) -> UnsafeMutableRawPointer {
        guard states.pointee.isDeclared else { return try live(states, counter, slot) }
        let memory = arena.allocate(bytes: states.pointee.size, alignment: 16)
        guard let slot else {
            memory.copyWords(from: states.pointee.new, states.pointee.size)
            return memory
        }
        if states.pointee.isPlain, states.pointee.isCurrent(slot) {
            memory.copyWords(from: lentState(slot), states.pointee.size)
            return memory
        }
        if slot.shape == states.pointee.shape {
            states.pointee.layout.with { $0.load(lentState(slot), into: memory) }
        } else {
            let (shape, values) = try content(of: slot)
            states.pointee.layout.object.load(values, of: shape, into: memory, arena)
        }
        if slot.parameters != states.pointee.parameters { try updateParameters(states, memory) }
        return memory
    }

    func values(of slot: SubjectRecord.Slot) throws(Fault) -> [StatePair] { try content(of: slot).values }

    private func content(of slot: SubjectRecord.Slot) throws(Fault) -> (shape: StateShape, values: [StatePair]) {
        guard let shape = record.shape(slot.shape, catalog.services.states),
            let values = try? shape.values(in: record.block.bytes.extracting(slot.content))
        else { throw Fault(cause: .error, message: "its stored state has fields that are described nowhere") }
        return (shape, values)
    }

    private func updateParameters(
        _ states: UnsafePointer<StatePlan>, _ memory: UnsafeMutableRawPointer
    ) throws(Fault) {
        let plan = states.pointee.plan.object
        guard let base = plan.base, let hook = plan.strategy?.pointee.update_parameters else { return }
        _ = try told(states.pointee.entry, .updateParameters) { hook(base.pointer, memory, cContext, $0) }
    }

    // MARK: States that save themselves

    private func live(
        _ states: UnsafePointer<StatePlan>, _ counter: UnsafePointer<CounterKey>, _ slot: SubjectRecord.Slot?
    ) throws(Fault) -> UnsafeMutableRawPointer {
        let known = liveStates.first {
            $0.states.pointee.owner == states.pointee.owner && $0.key.pointee.text.isSame(as: counter.pointee.text)
        }
        if let known { return known.memory }
        let table = states.pointee.layout.object.table
        let memory = arena.allocate(bytes: states.pointee.size, alignment: 16)
        try enter(states.pointee.entry, .stateInit)
        table.pointee.state_init(table.pointee.type, memory)
        leave()
        liveStates.append(LiveState(memory: memory, states: states, key: counter))
        do throws(Fault) {
            if let slot { try load(slot, into: memory, states) }
            if let slot, slot.parameters != states.pointee.parameters { try updateParameters(states, memory) }
        } catch {
            destroy(liveStates.removeLast())
            throw error
        }
        return memory
    }

    private func load(
        _ slot: SubjectRecord.Slot, into memory: UnsafeMutableRawPointer, _ states: UnsafePointer<StatePlan>
    ) throws(Fault) {
        let table = states.pointee.layout.object.table
        let version = slot.shape & StateShape.isDeclared == 0 ? slot.shape : 0
        guard version <= table.pointee.state_version else {
            throw Fault(
                cause: .error,
                message:
                    "its stored state has version \(version), newer than the version \(table.pointee.state_version) this plugin knows",
                hook: .stateLoad)
        }
        let source = StateSource(try values(of: slot), arena: arena)
        try enter(states.pointee.entry, .stateLoad)
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
        let table = state.states.pointee.layout.object.table
        // What it does not let go of is lost with the process.
        do throws(Fault) { try enter(state.states.pointee.entry, .stateDestroy) } catch { return }
        table.pointee.state_destroy(table.pointee.type, state.memory)
        leave()
    }

    // MARK: Telling

    /// Tells an entry something under a counter, and keeps what it makes of its state.
    ///
    /// - Parameters:
    ///   - slot: where its state is, as `slot` finds it.
    ///   - hook: gets the state, and where a failure is to be explained.
    /// - Throws: if it fails, or its state cannot be used; the state is what it was before.
    @inline(__always)
    func call(
        _ states: UnsafePointer<StatePlan>, _ counter: UnsafePointer<CounterKey>, _ slot: SubjectRecord.Slot?,
        _ name: Hook, _ hook: (UnsafeMutableRawPointer, UnsafePointer<belfry_sink>) -> belfry_told
    ) throws(Fault) {
        // Never where it lies: what fails leaves no trace.
        let memory = try copy(of: slot, states, counter)
        let hasChanged = try told(states.pointee.entry, name) { hook(memory, $0) }
        let isOutdated = slot.map { !states.pointee.isCurrent($0) } ?? false
        if hasChanged || isOutdated { try keep(memory, states, counter, slot, name) }
    }

    /// - Returns: whether the state changed.
    @inline(__always)
    func told(
        _ entry: UInt16, _ name: Hook, _ hook: (UnsafePointer<belfry_sink>) -> belfry_told
    ) throws(Fault) -> Bool {
        try enter(entry, name)
        let told = hook(sentence.begin())
        leave()
        if told == BELFRY_TOLD_UNCHANGED { return false }
        guard told == BELFRY_TOLD_CHANGED else {
            throw Fault(cause: .error, message: sentence.text ?? .wordlessFailure, hook: name)
        }
        return true
    }

    /// - Parameter name: of the hook that left the state so.
    @inline(never)
    private func keep(
        _ memory: UnsafeRawPointer, _ states: UnsafePointer<StatePlan>, _ counter: UnsafePointer<CounterKey>,
        _ slot: SubjectRecord.Slot?, _ name: Hook
    ) throws(Fault) {
        if states.pointee.isPlain {
            let bytes = UnsafeRawBufferPointer(start: memory, count: states.pointee.size)
            return keep(bytes, states, counter, slot)
        }
        guard states.pointee.isDeclared else {
            content.removeAll()
            try save(memory, states, in: &content)
            return content.withBytes { keep($0, states, counter, slot) }
        }
        // Its texts and lists lie wherever the plugin says.
        note.pointee.resume(states.pointee.entry, name)
        let stored = states.pointee.layout.with { $0.stored(memory, in: arena) }
        let misfit = stored == nil ? states.pointee.layout.object.misfit(in: memory) : ""
        leave()
        guard let stored else { throw Fault(cause: .nonsense, message: misfit) }
        keep(stored, states, counter, slot)
    }

    /// A state that is as it was at first takes no place.
    @inline(__always)
    private func keep(
        _ content: UnsafeRawBufferPointer, _ states: UnsafePointer<StatePlan>, _ counter: UnsafePointer<CounterKey>,
        _ slot: SubjectRecord.Slot?
    ) {
        // Many say that a state changed which is what it was.
        if let slot, states.pointee.isCurrent(slot), slot.content.count == content.count,
            UnsafeRawPointer(lentState(slot)).hasWords(of: content)
        {
            return
        }
        let key = SubjectRecord.SlotKey(owner: states.pointee.owner, counter: counter.pointee)
        if states.pointee.layout.with({ $0.isInitial(content) }) {
            if slot != nil { record.removeState(key) }
        } else {
            record.setState(
                key, slot, shape: states.pointee.shape, parameters: states.pointee.parameters, to: content)
        }
        refreshSubject()
    }

    private func save(
        _ memory: UnsafeRawPointer, _ states: UnsafePointer<StatePlan>, in writer: inout ByteWriter
    ) throws(Fault) {
        let table = states.pointee.layout.object.table
        let collector = StateCollector()
        try enter(states.pointee.entry, .stateSave)
        collector.withWriter { table.pointee.state_save(table.pointee.type, memory, $0) }
        leave()
        if let nonsense = collector.nonsense { throw Fault(cause: .nonsense, message: nonsense, hook: .stateSave) }
        writer.stateValues(collector.values)
    }
}

// States are a few words mostly: to call a function of the C library takes longer.

extension UnsafeRawPointer {
    @inline(__always)
    fileprivate func hasWords(of other: UnsafeRawBufferPointer) -> Bool {
        let count = other.count
        if count > 64 || count & 7 != 0 {
            return UnsafeRawBufferPointer(start: self, count: count).hasBytes(of: other)
        }
        var place = 0
        while place < count {
            let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if word != other.loadUnaligned(fromByteOffset: place, as: UInt64.self) { return false }
            place += 8
        }
        return true
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    fileprivate func copyWords(from other: UnsafeRawPointer, _ count: Int) {
        if count > 64 || count & 7 != 0 { return copyMemory(from: other, byteCount: count) }
        var place = 0
        while place < count {
            storeBytes(of: other.load(fromByteOffset: place, as: UInt64.self), toByteOffset: place, as: UInt64.self)
            place += 8
        }
    }
}

extension StateLayout {
    /// Whether that is what a new state is stored as. One that saves itself saves nothing then: one byte says so.
    fileprivate func isInitial(_ content: UnsafeRawBufferPointer) -> Bool {
        isDeclared ? initial.withUnsafeBytes { $0.hasBytes(of: content) } : content.count == 1
    }
}

extension belfry_text {
    func isSame(as other: belfry_text) -> Bool {
        (bytes == nil) == (other.bytes == nil) && utf8.hasBytes(of: other.utf8)
    }
}
