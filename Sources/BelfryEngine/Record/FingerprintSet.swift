/// A set of hashes that are spread evenly already, so that they need no hashing of their own; it knows in which order they came.
///
/// In one allocation: how many there are, then the hashes, and, when they are many, a table to find them in.
struct FingerprintSet: ~Copyable {
    /// Nil while nothing was ever in there.
    private var memory: UnsafeMutablePointer<Header>?

    private struct Header {
        var count: UInt32 = 0
        let capacity: UInt32
    }

    /// As long as there is room for no more, looking at all of them is as fast.
    private static let few = 16

    init() {}

    init(_ fingerprints: some Sequence<UInt64>) { for fingerprint in fingerprints { insert(fingerprint) } }

    deinit { memory.map { UnsafeMutableRawPointer($0).deallocate() } }

    var count: Int { Int(memory?.pointee.count ?? 0) }

    private var capacity: Int { Int(memory?.pointee.capacity ?? 0) }

    /// The first one first. They lie there until something is added.
    var all: UnsafeBufferPointer<UInt64> { UnsafeBufferPointer(start: memory.map(Self.start), count: count) }

    /// Where it lies, for somebody who has the processor fetch it.
    var address: UnsafeRawPointer? { memory.map { UnsafeRawPointer($0) } }

    func contains(_ fingerprint: UInt64) -> Bool {
        guard capacity > Self.few else { return all.contains(fingerprint) }
        return places[place(of: fingerprint)] != 0
    }

    mutating func insert(_ fingerprint: UInt64) {
        guard !contains(fingerprint) else { return }
        let count = count
        if count == capacity { reserve(Self.capacity(for: count + 1)) }
        let memory = memory!  // there is room
        Self.start(memory)[count] = fingerprint
        memory.pointee.count += 1
        if capacity > Self.few { places[place(of: fingerprint)] = UInt32(count + 1) }
    }

    /// Adds hashes that are known to be new, in little endian.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let former = count
        let new = former + bytes.count / 8
        if new > capacity { reserve(Self.capacity(for: new)) }
        guard let memory else { return }
        let room = UnsafeMutableRawBufferPointer(start: Self.start(memory) + former, count: (new - former) * 8)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<room.count]))
        memory.pointee.count = UInt32(new)
        if capacity > Self.few { for index in former..<new { places[place(of: all[index])] = UInt32(index + 1) } }
    }

    /// With many, the table is filled by three quarters at most.
    private static func capacity(for count: Int) -> Int {
        if count <= few { return count <= 8 ? (count + 1) & ~1 : (count + 3) & ~3 }
        var capacity = 3 * few
        while capacity < count { capacity *= 2 }
        return capacity
    }

    private static func start(_ memory: UnsafeMutablePointer<Header>) -> UnsafeMutablePointer<UInt64> {
        UnsafeMutableRawPointer(memory + 1).assumingMemoryBound(to: UInt64.self)
    }

    private mutating func reserve(_ capacity: Int) {
        let places = capacity > Self.few ? capacity / 3 * 4 : 0
        let size = MemoryLayout<Header>.size + capacity * 8 + places * 4
        let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
            .bindMemory(to: Header.self, capacity: 1)
        larger.initialize(to: Header(count: UInt32(count), capacity: UInt32(capacity)))
        if let memory {
            Self.start(larger).initialize(from: Self.start(memory), count: count)
            UnsafeMutableRawPointer(memory).deallocate()
        }
        memory = larger
        if places > 0 { fillPlaces() }
    }

    // MARK: Many

    /// One above the index in `all`: open addressing with linear probing, 0 marks a free place. Their number is a power of two.
    private var places: UnsafeMutableBufferPointer<UInt32> {
        let start = UnsafeMutableRawPointer(Self.start(memory!) + capacity)  // there are many
        return UnsafeMutableBufferPointer(start: start.assumingMemoryBound(to: UInt32.self), count: capacity / 3 * 4)
    }

    private func fillPlaces() {
        places.initialize(repeating: 0)
        for index in 0..<count { places[place(of: all[index])] = UInt32(index + 1) }
    }

    /// Where it is, or the free place where it belongs.
    private func place(of fingerprint: UInt64) -> Int {
        let (all, places) = (all, places)
        let mask = places.count - 1
        // The upper half too: FNV-1a spreads its last byte over the lower bits only slowly.
        var place = Int(truncatingIfNeeded: fingerprint ^ fingerprint >> 32) & mask
        while places[place] != 0, all[Int(places[place]) - 1] != fingerprint { place = (place + 1) & mask }
        return place
    }
}
