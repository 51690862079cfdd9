/// The memory of a table of slots, in one piece: how many there are, their hashes side by side, their marks, the slots themselves,
/// and, once somebody asked for it, their places in order. So a search looks at few lines of memory, and a short table takes little.
struct SlotBlock {
    private let header: UnsafeMutablePointer<Header>

    private struct Header {
        var count: UInt32
        let capacity: UInt32

        /// In `capacity`: whether there is an order.
        static let ordered: UInt32 = 1 << 31
    }

    init(capacity: Int, isOrdered: Bool) {
        let room = Self.size(capacity, isOrdered: isOrdered) + Self.bucketCount(capacity) * 4
        header = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
            .bindMemory(to: Header.self, capacity: 1)
        header.initialize(to: Header(count: 0, capacity: UInt32(capacity) | (isOrdered ? Header.ordered : 0)))
        buckets.initialize(repeating: Self.freeBucket)
    }

    /// Without the buckets.
    private static func size(_ capacity: Int, isOrdered: Bool) -> Int {
        MemoryLayout<Header>.size + capacity * (8 + MemoryLayout<Slot>.stride + (isOrdered ? 4 : 0))
    }

    /// Does not end the slots.
    func deallocate() { UnsafeMutableRawPointer(header).deallocate() }

    var address: UnsafeRawPointer { UnsafeRawPointer(header) }

    var count: Int {
        get { Int(header.pointee.count) }
        nonmutating set { header.pointee.count = UInt32(newValue) }
    }

    var capacity: Int { Int(header.pointee.capacity & ~Header.ordered) }
    var isOrdered: Bool { header.pointee.capacity & Header.ordered != 0 }

    /// By place.
    var hashes: UnsafeMutablePointer<UInt32> {
        UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: UInt32.self)
    }

    /// By place.
    var marks: UnsafeMutablePointer<SlotMark> {
        UnsafeMutableRawPointer(hashes + capacity).assumingMemoryBound(to: SlotMark.self)
    }

    /// By place: in the order of their first use.
    var slots: UnsafeMutablePointer<Slot> {
        UnsafeMutableRawPointer(marks + capacity).assumingMemoryBound(to: Slot.self)
    }

    /// The places of the slots in order, as far as they have a rank, if there is an order; then `unranked`.
    var order: UnsafeMutablePointer<UInt32> {
        UnsafeMutableRawPointer(slots + capacity).assumingMemoryBound(to: UInt32.self)
    }

    static let unranked = UInt32.max

    // MARK: Many

    private static let few = 16
    static let freeBucket = UInt32.max

    /// A power of two, of which at most half is used; 0 for few.
    private static func bucketCount(_ capacity: Int) -> Int {
        capacity > few ? 1 << (Int.bitWidth - (2 * capacity - 1).leadingZeroBitCount) : 0
    }

    /// Places by their hash, open addressing; empty for few.
    var buckets: UnsafeMutableBufferPointer<UInt32> {
        let start = UnsafeMutableRawPointer(header) + Self.size(capacity, isOrdered: isOrdered)
        return UnsafeMutableBufferPointer(
            start: start.assumingMemoryBound(to: UInt32.self), count: Self.bucketCount(capacity))
    }

    var hasBuckets: Bool { capacity > Self.few }

    /// Enters a slot that has its hash.
    func enter(_ place: Int) {
        let buckets = buckets
        var bucket = Int(hashes[place]) & (buckets.count - 1)
        while buckets[bucket] != Self.freeBucket { bucket = (bucket + 1) & (buckets.count - 1) }
        buckets[bucket] = UInt32(place)
    }

    // MARK: Growing

    /// Another one with everything that was in this one, which is no more.
    func moved(toCapacity capacity: Int, isOrdered: Bool) -> SlotBlock {
        let new = SlotBlock(capacity: capacity, isOrdered: isOrdered)
        new.hashes.initialize(from: hashes, count: count)
        new.marks.initialize(from: marks, count: count)
        new.slots.moveInitialize(from: slots, count: count)
        if isOrdered {
            new.order.initialize(repeating: Self.unranked, count: capacity)
            if self.isOrdered { new.order.update(from: order, count: count) }
        }
        new.count = count
        if new.hasBuckets { for place in 0..<count { new.enter(place) } }
        deallocate()
        return new
    }
}

/// What is known of a slot's state as it was written last.
struct SlotMark {
    private var bits: UInt32

    /// - Parameter length: nil if it was not written yet.
    init(writtenLength length: Int? = nil) { bits = length.map { Self.bits($0) } ?? 0 }

    private static let touched: UInt32 = 1 << 31
    private static let empty: UInt32 = 1 << 30

    /// Whether the state may have changed since then.
    var isTouched: Bool { bits & Self.touched != 0 }

    /// Whether it had nothing to save, and was not used since: then it is not asked again.
    var isKnownEmpty: Bool { bits & (Self.touched | Self.empty) == Self.empty }

    /// How many bytes of `WrittenParts` are its own.
    var writtenLength: Int { Int(bits & (Self.empty - 1)) }

    mutating func touch() { bits |= Self.touched }

    mutating func wrote(_ length: Int) { bits = Self.bits(length) }

    private static func bits(_ length: Int) -> UInt32 { length == 0 ? empty : UInt32(length) & (empty - 1) }
}
