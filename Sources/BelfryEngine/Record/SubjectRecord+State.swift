import BelfryModel
import CBelfry

extension SubjectRecord {
    /// The live state of an entry under a counter: made if the strategy is new to it, loaded if it was saved.
    ///
    /// Tells the strategy first when the entry's own parameters have changed since the state was last used.
    ///
    /// - Throws: if the saved state cannot be loaded; it stays as it is.
    func state(
        of entry: EntryPlan, _ table: UnsafePointer<belfry_strategy>, counter: String?, _ scope: CallScope
    ) throws(LiveState.Unusable) -> UnsafeMutableRawPointer? {
        guard let index = slotIndex(of: entry, counter: counter) else {
            let live = LiveState(table)
            slots.append(
                Slot(
                    strategy: entry.entry.strategy, entry: entry.entry.id, counter: counter,
                    fingerprint: entry.fingerprint,
                    content: .live(live)))
            return live.memory
        }
        let live: LiveState
        switch slots[index].content {
        case .live(let existing): live = existing
        case .saved(let saved):
            live = try LiveState(table, loading: saved)
            slots[index].content = .live(live)
        }
        if slots[index].fingerprint != entry.fingerprint, let base = entry.base {
            slots[index].fingerprint = entry.fingerprint
            table.pointee.update_parameters?(base.pointer, live.memory, scope.cContext)
        }
        return live.memory
    }

    private func slotIndex(of entry: EntryPlan, counter: String?) -> Int? {
        slots.firstIndex { $0.counter == counter && $0.entry == entry.entry.id && $0.strategy == entry.entry.strategy }
    }
}
