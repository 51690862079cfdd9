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
    let hash: UInt64
    /// Both names as they are stored, of an owner of live states.
    let storedNames: UnsafeRawBufferPointer?

    init(
        strategy: String, entry: String, fingerprint: UInt64, table: UnsafePointer<belfry_strategy>? = nil
    ) {
        self.strategy = strategy
        self.entry = entry
        self.fingerprint = fingerprint
        self.table = table
        hash = stableHash(entry, seed: stableHash("\u{0}", seed: stableHash(strategy)))
        storedNames =
            table == nil
            ? nil
            : .allocating { names in
                names.text(strategy)
                names.text(entry)
            }
    }

    deinit { storedNames?.deallocate() }

    func isSame(as other: SlotOwner) -> Bool {
        self === other || (hash == other.hash && strategy == other.strategy && entry == other.entry)
    }
}

/// The key of a counter, lent for the length of a call; absent for the subject's own.
struct CounterKey {
    let text: belfry_text
    let hash: UInt64

    static var subject: CounterKey { CounterKey(text: .absent, hash: 0) }
}

extension CounterKey {
    init(_ text: CText) { self.init(text: text.c, hash: text.hash) }

    /// - Parameter text: lent for as long as the key is used.
    init(_ text: belfry_text) { self.init(text: text, hash: stableHash(text.utf8)) }

    fileprivate func isSame(as counter: String?) -> Bool {
        guard let counter else { return text.bytes == nil }
        return text.bytes != nil && counter.hasBytes(of: text.utf8)
    }
}

/// The states of a subject's strategies, found by entry and counter.
///
/// Frees the memory of live states when it ends.
struct SlotTable: ~Copyable {
    /// Nil while nothing was ever in there.
    private var block: SlotBlock?
    /// For many: places by their hash, open addressing; -1 is free.
    private var buckets: [Int32] = []
    private static let few = 16

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

    /// Calls `body` with every slot that may remember something, where it lies, by entry, counter and strategy: an order that does not
    /// depend on the past.
    mutating func forEachInOrder(_ body: (UnsafeMutablePointer<Slot>) -> Void) {
        guard let block else { return }
        rankNew(in: block)
        for rank in 0..<block.count {
            let slot = block.slots + Int(block.order[rank])
            if !slot.pointee.isStateless { body(slot) }
        }
    }

    mutating func sorted() -> [Slot] {
        var sorted: [Slot] = []
        forEachInOrder { sorted.append($0.pointee) }
        return sorted
    }

    func index(of owner: SlotOwner, counter: CounterKey) -> Int? {
        guard let block else { return nil }
        let hash = Self.hash(owner, counter.hash)
        if buckets.isEmpty {
            let hashes = block.hashes
            for place in 0..<block.count where hashes[place] == hash {
                if isSlot(block.slots + place, of: owner, counter) { return place }
            }
            return nil
        }
        var bucket = bucket(of: hash)
        while case let place = Int(buckets[bucket]), place >= 0 {
            if block.hashes[place] == hash, isSlot(block.slots + place, of: owner, counter) { return place }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    private func isSlot(_ slot: UnsafePointer<Slot>, of owner: SlotOwner, _ counter: CounterKey) -> Bool {
        slot.pointee.owner.isSame(as: owner) && counter.isSame(as: slot.pointee.counter)
    }

    mutating func append(_ slot: Slot) {
        let block = withRoom()
        let place = block.count
        block.hashes[place] = Self.hash(slot.owner, slot.counter.map { stableHash($0) } ?? 0)
        (block.slots + place).initialize(to: slot)
        block.order[place] = SlotBlock.unranked
        block.count += 1
        if block.count > Self.few { note(place, in: block) }
    }

    private mutating func withRoom() -> SlotBlock {
        if let block, block.count < block.capacity { return block }
        let capacity = count < 4 ? count + 1 : count * 3 / 2
        let larger = block?.moved(toCapacity: capacity) ?? SlotBlock(capacity: capacity)
        block = larger
        return larger
    }

    private func rankNew(in block: SlotBlock) {
        var next = block.count
        while next > 0, block.order[next - 1] == SlotBlock.unranked { next -= 1 }
        for place in next..<block.count { rank(place, in: block) }
    }

    /// Puts a slot where it comes among those before it.
    private func rank(_ place: Int, in block: SlotBlock) {
        let (order, slots) = (block.order, block.slots)
        var (low, high) = (0, place)
        while low < high {
            let middle = (low + high) / 2
            if slots[Int(order[middle])] < slots[place] { low = middle + 1 } else { high = middle }
        }
        (order + low + 1).update(from: order + low, count: place - low)
        order[low] = UInt32(place)
    }

    private static func hash(_ owner: SlotOwner, _ counter: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((owner.hash ^ counter) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    private func bucket(of hash: UInt32) -> Int { Int(hash) & (buckets.count - 1) }

    private mutating func note(_ last: Int, in block: SlotBlock) {
        guard block.count * 2 > buckets.count else { return put(last, block.hashes[last]) }
        var size = 64
        while size < block.count * 4 { size *= 2 }
        buckets = Array(repeating: -1, count: size)
        for place in 0..<block.count { put(place, block.hashes[place]) }
    }

    private mutating func put(_ place: Int, _ hash: UInt32) {
        var bucket = bucket(of: hash)
        while buckets[bucket] >= 0 { bucket = (bucket + 1) & (buckets.count - 1) }
        buckets[bucket] = Int32(place)
    }
}

extension Slot {
    fileprivate static func < (left: borrowing Slot, right: borrowing Slot) -> Bool {
        if left.owner === right.owner { return (left.counter ?? "") < (right.counter ?? "") }
        return (left.entry, left.counter ?? "", left.strategy) < (right.entry, right.counter ?? "", right.strategy)
    }
}
