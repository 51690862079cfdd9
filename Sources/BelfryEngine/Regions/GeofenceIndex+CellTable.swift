import BelfryModel

extension GeofenceIndex {
    /// The fences of each cell: a hash table with open addressing.
    ///
    /// Among very many fences, most of the time goes into waiting for memory. So a cell and its first fence take sixteen bytes: a part of
    /// the cell's hash, and roughly where in the cell the fence is. The fence itself is read only if the position lies there.
    final class CellTable: Sendable {
        private let places: Constant<UnsafePointer<Bucket>>
        private let mask: Int
        private let hash: CellHash
        /// The other fences of each cell, one after the other.
        private let others: [Listed]

        private struct Bucket {
            /// Of the cell; zero: it is unused.
            var tag: UInt32 = 0
            var first = Listed(frame: Frame(), fence: 0, isLast: true)
            /// Where the others begin, if the first is not the last.
            var others: UInt32 = 0
        }

        /// A fence in a cell.
        private struct Listed {
            let frame: Frame
            private let bits: UInt32

            init(frame: Frame, fence: Int, isLast: Bool) {
                self.frame = frame
                bits = UInt32(fence) << 1 | (isLast ? 1 : 0)
            }

            /// Its place among the fences.
            var fence: Int { Int(bits >> 1) }
            var isLast: Bool { bits & 1 == 1 }
        }

        /// - Parameter fences: by ascending region.
        init(_ fences: [Fence]) {
            var entries: [(cell: Cell, fence: Int)] = []
            for (place, fence) in fences.enumerated() {
                fence.forEachCell { entries.append(($0, place)) }
            }
            entries.sort { $0 < $1 }
            let cells = entries.indices.filter { $0 == 0 || entries[$0].cell != entries[$0 - 1].cell }
            // At most three quarters full, so that a search ends after some steps, most of them in one line of memory.
            let bits = Int.bitWidth - (cells.count * 4 / 3).leadingZeroBitCount
            mask = 1 << bits - 1
            let line = 64
            let buckets = UnsafeMutableRawPointer.allocate(
                byteCount: max(line, MemoryLayout<Bucket>.stride << bits), alignment: line
            ).bindMemory(to: Bucket.self, capacity: 1 << bits)
            let places: [Int]
            (hash, places) = CellHash.placing(cells.map { entries[$0].cell }, bits: bits)
            buckets.initialize(repeating: Bucket(), count: mask + 1)
            var others: [Listed] = []
            for (number, first) in cells.enumerated() {
                let end = number + 1 < cells.count ? cells[number + 1] : entries.count
                let listed = (first..<end).map {
                    let (cell, fence) = entries[$0]
                    return Listed(frame: fences[fence].frame(in: cell), fence: fence, isLast: $0 + 1 == end)
                }
                buckets[places[number]] = Bucket(
                    tag: hash(entries[first].cell).tag, first: listed[0], others: UInt32(others.count))
                others += listed.dropFirst()
            }
            self.others = others
            self.places = Constant(UnsafePointer(buckets))
        }

        deinit { places.pointer.deallocate() }

        /// Calls `body` with the place of each fence that touches the cell of a spot and may hold it, by ascending region.
        ///
        /// - Returns: how many fences it looked at.
        @inline(__always)
        func forEachCandidate(at spot: Spot, _ body: (Int) -> Void) -> Int {
            let buckets = places.pointer
            var (place, tag) = hash(spot.cell)
            while buckets[place].tag != tag {
                if buckets[place].tag == 0 { return 0 }
                place = (place + 1) & mask
            }
            let bucket = buckets + place
            if bucket.pointee.first.frame.contains(spot) { body(bucket.pointee.first.fence) }
            return bucket.pointee.first.isLast ? 1 : 1 + forEachOther(from: Int(bucket.pointee.others), spot, body)
        }

        private func forEachOther(from first: Int, _ spot: Spot, _ body: (Int) -> Void) -> Int {
            var place = first
            while true {
                if others[place].frame.contains(spot) { body(others[place].fence) }
                if others[place].isLast { return place - first + 1 }
                place += 1
            }
        }
    }
}

/// Where a cell is looked for, and what tells it from the others that may be there.
///
/// No two cells of the table can be mistaken for one another: `placing` tries factors until that is so. A cell that is not in the table may be
/// taken for one of it; then no fence of that one contains the position.
struct CellHash: Sendable {
    private let factor: UInt64
    /// How far a hash is shifted down to a place.
    private let shift: UInt64

    @inline(__always)
    func callAsFunction(_ cell: GeofenceIndex.Cell) -> (place: Int, tag: UInt32) {
        // Both halves of the product, so that every bit of the cell changes every bit of the hash. No seed: the fences are the operator's
        // own, and no attacker's.
        let product = cell.key.multipliedFullWidth(by: factor)
        let hash = product.high ^ product.low
        // Where there are two places only, all of it is shifted out.
        return (Int(truncatingIfNeeded: hash >> shift), max(1, UInt32(truncatingIfNeeded: hash)))
    }

    /// Finds a hash that tells the cells from one another.
    ///
    /// - Parameter bits: of as many places.
    /// - Returns: also the place of each.
    static func placing(_ cells: [GeofenceIndex.Cell], bits: Int) -> (CellHash, places: [Int]) {
        var factor: UInt64 = 0x9E37_79B9_7F4A_7C15
        while true {
            let hash = CellHash(factor: factor, shift: UInt64(64 - bits))
            if let places = hash.places(of: cells, among: 1 << bits) { return (hash, places) }
            factor &+= 0x2545_F491_4F6C_DD1E  // even, so that it stays odd
        }
    }

    /// Nil if one is taken for another.
    private func places(of cells: [GeofenceIndex.Cell], among count: Int) -> [Int]? {
        var tags = [UInt32](repeating: 0, count: count)
        var places: [Int] = []
        places.reserveCapacity(cells.count)
        for cell in cells {
            var (place, tag) = self(cell)
            while tags[place] != 0 {
                if tags[place] == tag { return nil }
                place = (place + 1) & (count - 1)
            }
            tags[place] = tag
            places.append(place)
        }
        return places
    }
}
