import CBelfry

/// The strategy and the chain entry that a state belongs to. They are what counts; an entry may come with other parameters.
final class SlotOwner: @unchecked Sendable {
    // Unchecked: the table of a strategy is constant.
    let strategy: String
    let entry: String
    /// Of the entry's own parameters; what `update_parameters` goes by.
    let fingerprint: UInt64
    /// The functions of its live states; nil where the names were read with a saved one.
    let table: UnsafePointer<belfry_strategy>?
    /// What it has saved, until that is loaded; nil of an owner of live states.
    let saved: SavedState?
    let hash: UInt64
    /// Both names and the fingerprint as they are stored, of an owner of live states.
    let stored: UnsafeRawBufferPointer?

    /// Of an entry of the chain.
    init(strategy: String, entry: String, fingerprint: UInt64, table: UnsafePointer<belfry_strategy>?) {
        (self.strategy, self.entry, self.fingerprint) = (strategy, entry, fingerprint)
        (self.table, saved) = (table, nil)
        hash = Self.hash(strategy, entry)
        stored = table == nil ? nil : .allocating { $0.owner(strategy, entry, fingerprint) }
    }

    /// Of one saved state.
    init(strategy: String, entry: String, fingerprint: UInt64, hash: UInt64, saved: SavedState) {
        (self.strategy, self.entry, self.fingerprint) = (strategy, entry, fingerprint)
        (table, self.saved) = (nil, saved)
        (self.hash, stored) = (hash, nil)
    }

    deinit { stored?.deallocate() }

    /// The same with something saved.
    func saving(_ saved: SavedState) -> SlotOwner {
        SlotOwner(strategy: strategy, entry: entry, fingerprint: fingerprint, hash: hash, saved: saved)
    }

    static func hash(_ strategy: String, _ entry: String) -> UInt64 {
        stableHash(entry, seed: stableHash("\u{0}", seed: stableHash(strategy)))
    }

    @inline(never)
    func isSame(as other: SlotOwner) -> Bool {
        self === other || (hash == other.hash && strategy == other.strategy && entry == other.entry)
    }
}

extension ByteWriter {
    mutating func owner(_ owner: SlotOwner) {
        if let stored = owner.stored {
            raw(stored)
        } else {
            self.owner(owner.strategy, owner.entry, owner.fingerprint)
        }
    }

    fileprivate mutating func owner(_ strategy: String, _ entry: String, _ fingerprint: UInt64) {
        text(strategy)
        text(entry)
        fixed(fingerprint)
    }
}
