/// The memory of a table of slots, in one piece: how many there are, their hashes side by side, their places in order, and then the
/// slots themselves. So a search looks at few lines of memory, and a short table takes little.
struct SlotBlock {
    private let header: UnsafeMutablePointer<Header>

    private struct Header {
        var count: UInt32
        let capacity: UInt32
    }

    init(capacity: Int) {
        let size = MemoryLayout<Header>.size + capacity * (8 + MemoryLayout<Slot>.stride)
        header = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
            .bindMemory(to: Header.self, capacity: 1)
        header.initialize(to: Header(count: 0, capacity: UInt32(capacity)))
    }

    /// Does not end the slots.
    func deallocate() { UnsafeMutableRawPointer(header).deallocate() }

    var address: UnsafeRawPointer { UnsafeRawPointer(header) }

    var count: Int {
        get { Int(header.pointee.count) }
        nonmutating set { header.pointee.count = UInt32(newValue) }
    }

    var capacity: Int { Int(header.pointee.capacity) }

    /// By place.
    var hashes: UnsafeMutablePointer<UInt32> {
        UnsafeMutableRawPointer(header + 1).assumingMemoryBound(to: UInt32.self)
    }

    /// The places of the slots by entry, counter and strategy, as far as somebody asked for that; then `unranked`.
    var order: UnsafeMutablePointer<UInt32> { hashes + capacity }

    static let unranked = UInt32.max

    /// By place: in the order of their first use.
    var slots: UnsafeMutablePointer<Slot> {
        UnsafeMutableRawPointer(order + capacity).assumingMemoryBound(to: Slot.self)
    }

    /// A larger one with everything that was in this one, which is no more.
    func moved(toCapacity capacity: Int) -> SlotBlock {
        let larger = SlotBlock(capacity: capacity)
        larger.hashes.initialize(from: hashes, count: count)
        larger.order.initialize(from: order, count: count)
        larger.slots.moveInitialize(from: slots, count: count)
        larger.count = count
        deallocate()
        return larger
    }
}
