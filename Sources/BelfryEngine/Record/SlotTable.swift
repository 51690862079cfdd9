import CBelfry

/// The strategy and the chain entry that a state belongs to. They are what counts; an entry may come with other parameters.
final class SlotOwner: Sendable {
    let strategy: String
    let entry: String
    /// Of the entry's own parameters; what `update_parameters` goes by.
    let fingerprint: UInt64
    let hash: UInt64

    init(strategy: String, entry: String, fingerprint: UInt64) {
        self.strategy = strategy
        self.entry = entry
        self.fingerprint = fingerprint
        hash = stableHash(entry, seed: stableHash("\u{0}", seed: stableHash(strategy)))
    }

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
        guard var counter else { return text.bytes == nil }
        guard text.bytes != nil else { return false }
        return counter.withUTF8 { utf8 in
            guard utf8.count == text.utf8.count else { return false }
            for place in utf8.indices where utf8[place] != text.utf8[place] { return false }
            return true
        }
    }
}

/// The states of a subject's strategies, found by entry and counter.
///
/// Frees the memory of live states when it ends.
struct SlotTable: ~Copyable {
    private var slots = ShortList<Slot>()
    /// For many: slots by their hash, open addressing; -1 is free.
    private var buckets: [Int32] = []
    /// The places of the slots by entry, counter and strategy, as far as somebody asked for that.
    private var order: [Int32] = []
    private static let few = 16

    init() {}

    init(_ slots: some Sequence<Slot>) { for slot in slots { append(slot) } }

    deinit {
        for slot in slots.elements {
            if case .live(let live) = slot.content { live.free() }
        }
    }

    var count: Int { slots.count }

    /// In the order of their first use.
    var all: [Slot] { Array(slots.elements) }

    subscript(index: Int) -> Slot {
        _read { yield slots[index] }
        _modify { yield &slots[index] }
    }

    /// Calls `body` with every slot that may remember something, where it lies, by entry, counter and strategy: an order that does not
    /// depend on the past.
    mutating func forEachInOrder(_ body: (UnsafeMutablePointer<Slot>) -> Void) {
        while order.count < slots.count { rankNext() }
        let slots = slots.elements
        for place in order where !slots[Int(place)].isStateless {
            body(UnsafeMutablePointer(mutating: slots.baseAddress! + Int(place)))  // the memory is its own
        }
    }

    mutating func sorted() -> [Slot] {
        var sorted: [Slot] = []
        forEachInOrder { sorted.append($0.pointee) }
        return sorted
    }

    /// Only for what came since the last time a place is sought.
    private mutating func rankNext() {
        let next = order.count
        var (low, high) = (0, next)
        while low < high {
            let middle = (low + high) / 2
            if slots[Int(order[middle])] < slots[next] { low = middle + 1 } else { high = middle }
        }
        order.insert(Int32(next), at: low)
    }

    func index(of owner: SlotOwner, counter: CounterKey) -> Int? {
        let hash = Self.hash(owner, counter.hash)
        if buckets.isEmpty {
            for index in slots.indices where slots[index].hash == hash {
                if isSlot(index, of: owner, counter) { return index }
            }
            return nil
        }
        var bucket = bucket(of: hash)
        while case let index = Int(buckets[bucket]), index >= 0 {
            if slots[index].hash == hash, isSlot(index, of: owner, counter) { return index }
            bucket = (bucket + 1) & (buckets.count - 1)
        }
        return nil
    }

    mutating func append(_ slot: Slot) {
        slots.append(slot)
        slots[slots.count - 1].hash = Self.hash(slot.owner, slot.counter.map { stableHash($0) } ?? 0)
        if slots.count > Self.few { noteLast() }
    }

    private func isSlot(_ index: Int, of owner: SlotOwner, _ counter: CounterKey) -> Bool {
        slots[index].owner.isSame(as: owner) && counter.isSame(as: slots[index].counter)
    }

    private static func hash(_ owner: SlotOwner, _ counter: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((owner.hash ^ counter) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    private func bucket(of hash: UInt32) -> Int { Int(hash) & (buckets.count - 1) }

    private mutating func noteLast() {
        guard slots.count * 2 > buckets.count else { return note(slots.count - 1) }
        var size = 64
        while size < slots.count * 4 { size *= 2 }
        buckets = Array(repeating: -1, count: size)
        for index in slots.indices { note(index) }
    }

    private mutating func note(_ index: Int) {
        var bucket = bucket(of: slots[index].hash)
        while buckets[bucket] >= 0 { bucket = (bucket + 1) & (buckets.count - 1) }
        buckets[bucket] = Int32(index)
    }
}

extension Slot {
    fileprivate static func < (left: borrowing Slot, right: borrowing Slot) -> Bool {
        if left.owner === right.owner { return (left.counter ?? "") < (right.counter ?? "") }
        return (left.entry, left.counter ?? "", left.strategy) < (right.entry, right.counter ?? "", right.strategy)
    }
}
