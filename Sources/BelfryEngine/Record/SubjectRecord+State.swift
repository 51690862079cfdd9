import BelfryModel
import CBelfry

extension SubjectRecord {
    /// Lends the live state of an entry under a counter; NULL if the strategy keeps none.
    ///
    /// A state that cannot be loaded is not lent: that is reported when the entry is asked.
    func withState(
        of entry: EntryPlan, _ table: UnsafePointer<belfry_strategy>, counter: UnsafePointer<CounterKey>,
        _ scope: CallScope, _ body: (UnsafeMutableRawPointer?) -> Void
    ) {
        guard table.pointee.state_size > 0 else { return body(nil) }
        guard let slot = try? liveSlot(of: entry, table, counter: counter, scope) else { return }
        body(slot.memory)
    }

    /// The live state of an entry under a counter, and its position, which stays what it is while a signal is worked on: made if
    /// the strategy is new to it, loaded if it was saved.
    ///
    /// Tells the strategy first when the entry's own parameters have changed since the state was last used.
    ///
    /// - Throws: if the saved state cannot be loaded; it stays as it is.
    @inline(__always)
    func liveSlot(
        of entry: EntryPlan, _ table: UnsafePointer<belfry_strategy>, counter: UnsafePointer<CounterKey>,
        _ scope: CallScope
    ) throws(LiveState.Unusable) -> (index: Int, memory: UnsafeMutableRawPointer?) {
        guard let index = states.index(of: entry.owner, counter: counter) else {
            return newSlot(of: entry, table, counter)
        }
        let slot = states.address(of: index)
        states.touch(index)
        if slot.pointee.owner !== entry.owner { try hand(index, to: entry, table, scope) }
        return (index, slot.pointee.memory)
    }

    @inline(never)
    private func newSlot(
        of entry: EntryPlan, _ table: UnsafePointer<belfry_strategy>, _ counter: UnsafePointer<CounterKey>
    ) -> (index: Int, memory: UnsafeMutableRawPointer?) {
        let live = LiveState(table)
        states.append(Slot(owner: entry.owner, counter: counter.pointee.text.string, live: live))
        return (states.count - 1, live.memory)
    }

    /// Makes an entry the owner of a state that another one had before, which knew it by the same names; saved or live.
    @inline(never)
    private func hand(
        _ index: Int, to entry: EntryPlan, _ table: UnsafePointer<belfry_strategy>, _ scope: CallScope
    ) throws(LiveState.Unusable) {
        let isAsBefore = states[index].fingerprint == entry.owner.fingerprint
        states[index].take(try live(states[index].content, table), of: entry.owner)
        guard !isAsBefore, let base = entry.base else { return }
        table.pointee.update_parameters?(base.pointer, states[index].memory, scope.cContext)
    }

    /// Apart: in one piece with what comes before, optimized, Swift 6.3 lets go of what was saved before it is read.
    @inline(never)
    private func live(
        _ content: Slot.Content, _ table: UnsafePointer<belfry_strategy>
    ) throws(LiveState.Unusable) -> LiveState {
        switch content {
        case .saved(let saved): try LiveState(table, loading: saved)
        case .live(let live): live
        }
    }
}
