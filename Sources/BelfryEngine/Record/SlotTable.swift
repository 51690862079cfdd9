import CBelfry

/// The states of a subject's strategies, found by entry and counter.
///
/// Frees the memory of live states when it ends.
struct SlotTable: ~Copyable {
    /// Nil while nothing was ever in there.
    private var block: SlotBlock?

    init() {}

    init(_ slots: some Sequence<Slot>) { for slot in slots { append(slot) } }

    deinit {
        guard let block else { return }
        for slot in all { if case .live(let live) = slot.content { live.free() } }
        block.slots.deinitialize(count: block.count)
        block.deallocate()
    }

    /// Where they lie; nil while nothing was ever in there.
    var address: UnsafeRawPointer? { block?.address }

    var count: Int { block?.count ?? 0 }

    /// In the order of their first use.
    var all: UnsafeBufferPointer<Slot> { UnsafeBufferPointer(start: block?.slots, count: count) }

    subscript(index: Int) -> Slot {
        _read { yield address(of: index).pointee }
        _modify { yield &address(of: index).pointee }
    }

    /// Where a slot lies until one is added.
    @inline(__always)
    func address(of index: Int) -> UnsafeMutablePointer<Slot> {
        precondition(index < count)
        return block!.slots + index  // where there is a slot, there is a block
    }

    /// Notes that somebody has the state in hand, who may change it.
    @inline(__always)
    func touch(_ index: Int) {
        precondition(index < count)
        block!.marks[index].touch()  // as above
    }

    func index(of owner: SlotOwner, counter: UnsafePointer<CounterKey>) -> Int? {
        guard let block else { return nil }
        let hash = Self.hash(owner, counter.pointee.hash)
        if block.hasBuckets { return index(of: owner, counter, hash, in: block) }
        let hashes = block.hashes
        for place in 0..<block.count where hashes[place] == hash {
            if isSlot(block.slots + place, of: owner, counter) { return place }
        }
        return nil
    }

    @inline(never)
    private func index(
        of owner: SlotOwner, _ counter: UnsafePointer<CounterKey>, _ hash: UInt32, in block: SlotBlock
    ) -> Int? {
        let (buckets, hashes) = (block.buckets, block.hashes)
        var bucket = Int(hash) & (buckets.count - 1)
        while buckets[bucket] != SlotBlock.freeBucket {
            let place = Int(buckets[bucket])
            if hashes[place] == hash, isSlot(block.slots + place, of: owner, counter) { return place }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    @inline(__always)
    private func isSlot(
        _ slot: UnsafePointer<Slot>, of owner: SlotOwner, _ counter: UnsafePointer<CounterKey>
    ) -> Bool {
        (slot.pointee.owner === owner || slot.pointee.owner.isSame(as: owner))
            && counter.isSame(as: slot.pointee.counter)
    }

    /// - Parameter length: how many bytes of `WrittenParts` are its own.
    mutating func append(_ slot: Slot, writtenLength length: Int? = nil) {
        let block = withRoom()
        let place = block.count
        block.hashes[place] = Self.hash(slot.owner, slot.counter.map { stableHash($0) } ?? 0)
        block.marks[place] = SlotMark(writtenLength: length)
        (block.slots + place).initialize(to: slot)
        if block.isOrdered { block.order[place] = SlotBlock.unranked }
        block.count += 1
        if block.hasBuckets { block.enter(place) }
    }

    /// Makes a table of so many slots, which will be appended in order.
    init(capacity: Int) {
        if capacity > 0 { block = SlotBlock(capacity: capacity, isOrdered: true) }
    }

    private mutating func withRoom() -> SlotBlock {
        guard let old = block else {
            let first = SlotBlock(capacity: 1, isOrdered: false)
            block = first
            return first
        }
        if old.count < old.capacity { return old }
        let larger = old.moved(
            toCapacity: old.count < 4 ? old.count + 1 : old.count * 3 / 2, isOrdered: old.isOrdered)
        block = larger
        return larger
    }

    private static func hash(_ owner: SlotOwner, _ counter: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((owner.hash ^ counter) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}

// MARK: In order

extension SlotTable {
    /// Calls `body` with every slot that may remember something and its mark, where they lie, by entry, strategy and counter: an order
    /// that does not depend on the past.
    mutating func forEachInOrder(_ body: (UnsafeMutablePointer<Slot>, UnsafeMutablePointer<SlotMark>) -> Void) {
        guard let block = ordered() else { return }
        let (order, slots, marks) = (block.order, block.slots, block.marks)
        for rank in 0..<block.count {
            let place = Int(order[rank])
            if !slots[place].isStateless { body(slots + place, marks + place) }
        }
    }

    mutating func sorted() -> [Slot] {
        var sorted: [Slot] = []
        forEachInOrder { slot, _ in sorted.append(slot.pointee) }
        return sorted
    }

    /// Only who stores or shows the states needs an order, so there is none before that.
    private mutating func ordered() -> SlotBlock? {
        guard var block else { return nil }
        if !block.isOrdered {
            block = block.moved(toCapacity: block.capacity, isOrdered: true)
            self.block = block
        }
        var next = block.count
        while next > 0, block.order[next - 1] == SlotBlock.unranked { next -= 1 }
        for place in next..<block.count { Self.rank(place, in: block) }
        return block
    }

    /// Whether the slots lie in order. Takes them to be unwritten if not, since what was written is in order.
    mutating func isInOrder() -> Bool {
        guard let block = ordered() else { return true }
        if (0..<block.count).allSatisfy({ block.order[$0] == UInt32($0) }) { return true }
        block.marks.update(repeating: SlotMark(), count: block.count)
        return false
    }

    /// Puts a slot where it comes among those before it, after its equals.
    private static func rank(_ place: Int, in block: SlotBlock) {
        let (order, slots) = (block.order, block.slots)
        var (low, high) = (0, place)
        // Those that are read from a store come in order.
        if place > 0, !(slots[place] < slots[Int(order[place - 1])]) { low = place }
        while low < high {
            let middle = (low + high) / 2
            if slots[place] < slots[Int(order[middle])] { high = middle } else { low = middle + 1 }
        }
        (order + low + 1).update(from: order + low, count: place - low)
        order[low] = UInt32(place)
    }
}

extension Slot {
    fileprivate static func < (left: borrowing Slot, right: borrowing Slot) -> Bool {
        if left.owner !== right.owner {
            let order = left.entry.order(beside: right.entry)
            if order != 0 { return order < 0 }
            let strategies = left.strategy.order(beside: right.strategy)
            if strategies != 0 { return strategies < 0 }
        }
        return (left.counter ?? "").order(beside: right.counter ?? "") < 0
    }
}

extension String {
    /// Less than 0 if its bytes come before those of the other text, 0 if they are the same.
    fileprivate func order(beside other: String) -> Int {
        if isSameText(as: other) { return 0 }
        return withBytes { left in
            other.withBytes { right in
                for place in 0..<min(left.count, right.count) where left[place] != right[place] {
                    return Int(left[place]) - Int(right[place])
                }
                return left.count - right.count
            }
        }
    }
}
