import BelfryModel
import CBelfry

extension SubjectRecord {
    /// The live state of an entry under a counter: made if the strategy is new to it, loaded if it was saved.
    ///
    /// Tells the strategy first when the entry's own parameters have changed since the state was last used.
    ///
    /// - Throws: if the saved state cannot be loaded; it stays as it is.
    func state(
        of entry: EntryPlan, _ table: UnsafePointer<belfry_strategy>, counter: CounterKey, _ scope: CallScope
    ) throws(LiveState.Unusable) -> UnsafeMutableRawPointer? {
        slots[try liveSlot(of: entry, table, counter: counter, scope)].memory
    }

    /// The same as the position of its slot, which stays what it is while a signal is worked on.
    func liveSlot(
        of entry: EntryPlan, _ table: UnsafePointer<belfry_strategy>, counter: CounterKey, _ scope: CallScope
    ) throws(LiveState.Unusable) -> Int {
        guard let index = slots.index(of: entry.owner, counter: counter) else {
            slots.append(
                Slot(
                    owner: entry.owner, counter: counter.text.string, fingerprint: entry.fingerprint,
                    content: .live(LiveState(table))))
            return slots.count - 1
        }
        if case .saved(let saved) = slots[index].content {
            slots[index].content = .live(try LiveState(table, loading: saved))
        }
        if slots[index].fingerprint != entry.fingerprint, let base = entry.base {
            slots[index].fingerprint = entry.fingerprint
            table.pointee.update_parameters?(base.pointer, slots[index].memory, scope.cContext)
        }
        return index
    }
}
