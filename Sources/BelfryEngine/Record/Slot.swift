import BelfryModel
import CBelfry

/// The place of one strategy's state for one counter, inside a subject's record.
///
/// Saved until it is first needed, live from then on: hooks get a pointer to it, and a hot decision decodes nothing.
public struct Slot {
    /// With the entry's own parameters as they were when the state was last used. The one of a saved state has that.
    private(set) var owner: SlotOwner
    /// Nil where the entry counts per subject.
    public let counter: String?
    /// Of a live state; NULL for a saved one, and for a strategy that keeps none. The table that the slot lies in frees it.
    private(set) var memory: UnsafeMutableRawPointer?

    /// The strategy that wrote it; state of one strategy is never given to another under the same entry id.
    public var strategy: String { owner.strategy }
    public var entry: String { owner.entry }
    var fingerprint: UInt64 { owner.fingerprint }

    enum Content {
        case saved(SavedState)
        case live(LiveState)
    }

    /// A saved state.
    init(owner: SlotOwner, counter: String?) { (self.owner, self.counter) = (owner, counter) }

    /// - Parameter owner: the one whose functions made the state.
    init(owner: SlotOwner, counter: String?, live: LiveState) {
        (self.owner, self.counter, memory) = (owner, counter, live.memory)
    }

    /// Whether it is of a strategy that keeps nothing, and so never has anything to save.
    var isStateless: Bool { memory == nil && owner.saved == nil }

    var content: Content {
        if let saved = owner.saved { return .saved(saved) }
        return .live(LiveState(owner.table!, memory))  // who made it has the functions
    }

    /// Gives it another owner, of which the live state is.
    mutating func take(_ live: LiveState, of owner: SlotOwner) {
        memory = live.memory
        self.owner = owner
    }

    /// The state by its keys, as it is stored.
    public var saved: SavedState {
        switch content {
        case .saved(let saved): saved
        case .live(let live): live.save()
        }
    }
}

extension SubjectRecord {
    /// Saves every live state and frees its memory. The next strategy that needs it loads it, as after a restart: what has nothing
    /// to save is forgotten.
    public func freeze() {
        let saved = slots.map { slot in Slot(owner: slot.owner.saving(slot.saved), counter: slot.counter) }
        states = SlotTable(saved.lazy.filter { !$0.saved.values.isEmpty })
    }

    /// The states that remember something, in an order that does not depend on the past: live, slots come in the order of their
    /// first use, and one that was empty when it was stored is first used again after a restart.
    package var usedSlots: [(slot: Slot, saved: SavedState)] {
        states.sorted().compactMap { slot in
            let saved = slot.saved
            return saved.values.isEmpty ? nil : (slot: slot, saved: saved)
        }
    }
}

/// A strategy's state at a fixed address, made and freed by the strategy's own functions.
struct LiveState {
    private let strategy: UnsafePointer<belfry_strategy>
    /// NULL for a strategy that keeps no state.
    let memory: UnsafeMutableRawPointer?

    fileprivate init(_ strategy: UnsafePointer<belfry_strategy>, _ memory: UnsafeMutableRawPointer?) {
        self.strategy = strategy
        self.memory = memory
    }

    init(_ strategy: UnsafePointer<belfry_strategy>) {
        self.strategy = strategy
        let table = strategy.pointee
        guard table.state_size > 0 else {
            memory = nil
            return
        }
        memory = .allocate(byteCount: Int(table.state_size), alignment: Int(table.state_alignment))
        table.state_init(table.type, memory)
    }

    /// The last thing that is done with it.
    func free() {
        guard let memory else { return }
        strategy.pointee.state_destroy(strategy.pointee.type, memory)
        memory.deallocate()
    }

    /// Why a saved state cannot be used; it is kept as it is.
    struct Unusable: Error {
        var message: String
    }

    init(_ strategy: UnsafePointer<belfry_strategy>, loading saved: SavedState) throws(Unusable) {
        self.init(strategy)
        do throws(Unusable) {
            try load(saved)
        } catch {
            free()
            throw error
        }
    }

    private func load(_ saved: SavedState) throws(Unusable) {
        let table = strategy.pointee
        guard let memory else { return }
        guard saved.version <= table.state_version else {
            throw Unusable(
                message:
                    "its stored state has version \(saved.version), newer than the version \(table.state_version) this plugin knows"
            )
        }
        let source = StateSource(saved, arena: Arena())
        let (status, error) = collectText { sink in
            source.withReader { table.state_load(table.type, memory, saved.version, $0, sink) }
        }
        guard status == BELFRY_OK else {
            throw Unusable(message: "it cannot load its stored state" + (error.isEmpty ? "" : ": \(error)"))
        }
    }

    func save() -> SavedState {
        let drain = StateDrain(version: version)
        drain.withWriter { save(to: $0) }
        return drain.saved
    }

    var version: UInt32 { strategy.pointee.state_version }

    func save(to writer: UnsafePointer<belfry_state_writer>) {
        if let memory { strategy.pointee.state_save(strategy.pointee.type, memory, writer) }
    }
}
