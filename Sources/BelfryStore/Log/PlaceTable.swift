/// Where the newest version of each record lies, by subject: open addressing with linear probing, without the subjects.
struct PlaceTable {
    private var slots: [Slot] = []
    private(set) var count = 0

    private struct Slot {
        let hash: SubjectHash
        var place: LogPlace
    }

    private static let free = Slot(hash: SubjectHash(""), place: .none)

    subscript(hash: SubjectHash) -> LogPlace? {
        guard count > 0 else { return nil }
        let place = slots[index(of: hash)].place
        return place == .none ? nil : place
    }

    /// Of two versions, the later one is kept.
    mutating func note(_ place: LogPlace, of hash: SubjectHash) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        let index = index(of: hash)
        if slots[index].place == .none {
            slots[index] = Slot(hash: hash, place: place)
            count += 1
        } else if slots[index].place < place {
            slots[index].place = place
        }
    }

    /// In no order.
    var places: some Sequence<LogPlace> { slots.lazy.map(\.place).filter { $0 != .none } }

    /// Its own slot, or the free one that it would get.
    private func index(of hash: SubjectHash) -> Int {
        var index = hash.index(in: slots.count)
        while slots[index].place != .none, slots[index].hash != hash { index = (index + 1) & (slots.count - 1) }
        return index
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Self.free, count: max(1024, old.count * 2))
        for slot in old where slot.place != .none { slots[index(of: slot.hash)] = slot }
    }
}
