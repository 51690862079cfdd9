import BelfryModel

extension SubjectRecord {
    /// - Returns: what they remember as it lies there, if it would be written like that.
    func readStates(from reader: inout ByteReader) throws(ByteReader.Damage) -> ArraySlice<UInt8>? {
        typealias Damage = ByteReader.Damage
        let groups = try reader.list { reader throws(Damage) in try reader.slotGroup() }
        let slots = reader.rest
        // Each takes two bytes at least.
        states = SlotTable(capacity: groups.reduce(0) { min($0 + $1.count, slots.count / 2) })
        for group in groups {
            for _ in 0..<group.count {
                let before = reader.rest.count
                let slot = try reader.slot(of: group)
                states.append(slot, writtenLength: before - reader.rest.count)
            }
        }
        return states.isInOrder() ? slots.dropLast(reader.rest.count) : nil
    }
}

/// Whose states follow each other, and how many they are.
private struct SlotGroup {
    let strategy: String
    let entry: String
    let hash: UInt64
    let fingerprint: UInt64
    let version: UInt32
    let count: Int
}

extension ByteReader {
    fileprivate mutating func slotGroup() throws(Damage) -> SlotGroup {
        let (strategy, entry) = (try text(), try text())
        return SlotGroup(
            strategy: strategy, entry: entry, hash: SlotOwner.hash(strategy, entry), fingerprint: try fixed(),
            version: UInt32(truncatingIfNeeded: try unsigned()), count: try count())
    }

    fileprivate mutating func slot(of group: SlotGroup) throws(Damage) -> Slot {
        let counter = try counter()
        var saved = SavedState(version: group.version)
        saved.values = try savedValues()
        return Slot(
            owner: SlotOwner(
                strategy: group.strategy, entry: group.entry, fingerprint: group.fingerprint, hash: group.hash,
                saved: saved),
            counter: counter)
    }

    /// Its length and one comes first.
    private mutating func counter() throws(Damage) -> String? {
        let length = try unsigned()
        return length == 0 ? nil : try text(ofLength: length - 1)
    }

    mutating func savedValues() throws(Damage) -> [SavedState.Pair] {
        try list { reader throws(Damage) in SavedState.Pair(key: try reader.text(), value: try reader.state()) }
    }

    private mutating func state() throws(Damage) -> StateValue {
        switch try byte() {
        case 0: .integer(try signed())
        case 1: .number(try number())
        case 2: .bool(try bool())
        case 3: .text(try text())
        case 4: .bytes(try list { reader throws(Damage) in try reader.byte() })
        case 5: .instant(try instant())
        default: .integers(try list { reader throws(Damage) in try reader.signed() })
        }
    }
}
