/// A set of hashes that are spread evenly already, so that they need no hashing of their own; it knows in which order they came.
struct FingerprintSet: Sendable {
    /// The first one first.
    private(set) var all: [UInt64] = []
    /// One above the index in `all`: open addressing with linear probing, 0 marks a free place. Empty while they are few.
    private var places: [UInt32] = []

    /// As long as there are no more, looking at all of them is as fast.
    private static let few = 16

    var count: Int { all.count }

    /// Where a set of few lies, for somebody who has the processor fetch it. Nothing is looked at there.
    var address: UnsafeRawPointer { unsafeBitCast(places.isEmpty ? all : [], to: UnsafeRawPointer.self) }

    func contains(_ fingerprint: UInt64) -> Bool {
        places.isEmpty ? all.contains(fingerprint) : places[place(of: fingerprint)] != 0
    }

    mutating func insert(_ fingerprint: UInt64) {
        guard !contains(fingerprint) else { return }
        all.append(fingerprint)
        if all.count > Self.few { enter(fingerprint) }
    }

    /// Puts the newest one into the table, which is filled by three quarters at most.
    private mutating func enter(_ fingerprint: UInt64) {
        if all.count * 4 >= places.count * 3 { return rebuild() }
        places[place(of: fingerprint)] = UInt32(all.count)
    }

    private mutating func rebuild() {
        places = Array(repeating: 0, count: max(4 * Self.few, places.count * 2))
        for index in all.indices { places[place(of: all[index])] = UInt32(index + 1) }
    }

    /// Where it is, or the free place where it belongs.
    private func place(of fingerprint: UInt64) -> Int {
        let mask = places.count - 1
        // The upper half too: FNV-1a spreads its last byte over the lower bits only slowly.
        var place = Int(truncatingIfNeeded: fingerprint ^ fingerprint >> 32) & mask
        while places[place] != 0, all[Int(places[place]) - 1] != fingerprint { place = (place + 1) & mask }
        return place
    }
}

extension FingerprintSet: ExpressibleByArrayLiteral {
    init(_ fingerprints: some Sequence<UInt64>) { for fingerprint in fingerprints { insert(fingerprint) } }
    init(arrayLiteral elements: UInt64...) { self.init(elements) }
}
