/// A set of hashes that are spread evenly already, so that they need no hashing of their own: 8 to 16 bytes each.
struct FingerprintSet: Sendable {
    /// Open addressing with linear probing; 0 marks a free place.
    private var table: [UInt64] = []
    /// 0 cannot lie in the table.
    private var hasZero = false
    private var used: Int32 = 0
    /// All but `fresh`, in ascending order, as far as somebody asked for that; and those that came since.
    private var ordered: [UInt64] = []
    private var fresh: [UInt64] = []

    var count: Int { Int(used) + (hasZero ? 1 : 0) }

    func contains(_ fingerprint: UInt64) -> Bool {
        if fingerprint == 0 { return hasZero }
        return !table.isEmpty && table[place(of: fingerprint)] == fingerprint
    }

    mutating func insert(_ fingerprint: UInt64) {
        if fingerprint == 0 {
            hasZero = true
            return
        }
        if Int(used) * 4 >= table.count * 3 { grow() }
        let place = place(of: fingerprint)
        if table[place] == fingerprint { return }
        table[place] = fingerprint
        used += 1
        if !ordered.isEmpty { fresh.append(fingerprint) }
    }

    /// In ascending order. Only what came since the last time is sorted: a record is stored again and again.
    mutating func sorted() -> [UInt64] {
        if ordered.isEmpty { ordered = table.filter { $0 != 0 }.sorted() }
        if fresh.count == 1 {
            insertInOrder(fresh[0])
        } else if !fresh.isEmpty {
            fresh.sort()
            ordered = Self.merge(ordered, fresh)
        }
        fresh.removeAll(keepingCapacity: true)
        return hasZero ? [0] + ordered : ordered
    }

    private mutating func insertInOrder(_ fingerprint: UInt64) {
        var place = ordered.count
        while place > 0, ordered[place - 1] > fingerprint { place -= 1 }
        ordered.insert(fingerprint, at: place)
    }

    private static func merge(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
        Array(unsafeUninitializedCapacity: left.count + right.count) { merged, count in
            var (first, second) = (0, 0)
            while count < left.count + right.count {
                let takesLeft = second == right.count || (first < left.count && left[first] < right[second])
                merged.initializeElement(at: count, to: takesLeft ? left[first] : right[second])
                if takesLeft { first += 1 } else { second += 1 }
                count += 1
            }
        }
    }

    /// Where it is, or the free place where it belongs.
    private func place(of fingerprint: UInt64) -> Int {
        let mask = table.count - 1
        // The upper half too: FNV-1a spreads its last byte over the lower bits only slowly.
        var place = Int(truncatingIfNeeded: fingerprint ^ fingerprint >> 32) & mask
        while table[place] != 0, table[place] != fingerprint { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = table
        table = Array(repeating: 0, count: max(4, old.count * 2))
        for fingerprint in old where fingerprint != 0 { table[place(of: fingerprint)] = fingerprint }
    }
}

extension FingerprintSet: ExpressibleByArrayLiteral {
    init(_ fingerprints: some Sequence<UInt64>) { for fingerprint in fingerprints { insert(fingerprint) } }
    init(arrayLiteral elements: UInt64...) { self.init(elements) }
}
