/// Where things are in a list, by their hash: open addressing with linear probing. The things themselves, and whether two are the same,
/// are the business of the list's owner.
package struct HashIndex: ~Copyable {
    /// A hash, and one above the place in the list; 0 where it is free. At most three quarters are taken.
    private var slots: UnsafeMutableBufferPointer<Slot>
    package private(set) var count = 0

    private struct Slot {
        /// The lower half: enough to put it anew, and to pass over nearly every other one.
        var hash: UInt32 = 0
        var place: UInt32 = 0
    }

    /// - Parameter capacity: how many things there will be, if that is known.
    package init(capacity: Int = 0) { slots = Self.slots(forCount: capacity) }

    deinit { slots.deallocate() }

    private static func slots(forCount count: Int) -> UnsafeMutableBufferPointer<Slot> {
        var size = 16
        while size * 3 < count * 4 { size *= 2 }
        let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: size)
        slots.initialize(repeating: Slot())
        return slots
    }

    /// The place of the thing that `isIt` says yes to, among those of that hash; nil if there is none.
    @inline(__always)
    package func find(_ hash: UInt64, _ isIt: (Int) -> Bool) -> Int? {
        let hash = UInt32(truncatingIfNeeded: hash)
        var index = Int(hash) & (slots.count - 1)
        while slots[index].place != 0 {
            let place = Int(slots[index].place) - 1
            if slots[index].hash == hash, isIt(place) { return place }
            index = (index + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a thing that is not there yet.
    package mutating func insert(_ hash: UInt64, at place: Int) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        put(Slot(hash: UInt32(truncatingIfNeeded: hash), place: UInt32(place + 1)))
        count += 1
    }

    private func put(_ slot: Slot) {
        var index = Int(slot.hash) & (slots.count - 1)
        while slots[index].place != 0 { index = (index + 1) & (slots.count - 1) }
        slots[index] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = Self.slots(forCount: old.count)
        for slot in old where slot.place != 0 { put(slot) }
        old.deallocate()
    }

    /// Gives things other places, by their former ones; those of -1 are removed.
    package mutating func move(to places: [Int]) {
        let old = slots
        count = places.count { $0 >= 0 }
        slots = Self.slots(forCount: count + 1)
        for slot in old where slot.place != 0 && places[Int(slot.place) - 1] >= 0 {
            put(Slot(hash: slot.hash, place: UInt32(places[Int(slot.place) - 1] + 1)))
        }
        old.deallocate()
    }

    /// Where the processor is to fetch from before a search.
    package func address(of hash: UInt64) -> UnsafeRawPointer {
        UnsafeRawPointer(slots.baseAddress! + Int(UInt32(truncatingIfNeeded: hash)) & (slots.count - 1))
    }
}
