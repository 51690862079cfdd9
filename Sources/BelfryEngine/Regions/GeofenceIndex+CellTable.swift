extension GeofenceIndex {
    /// The fences of each cell: a hash table with open addressing over one flat list.
    struct CellTable: Sendable {
        /// A cell and its part of `fences`. An unused bucket has key zero.
        private struct Bucket {
            var key: UInt64 = 0
            var first: UInt32 = 0
            var end: UInt32 = 0
        }

        /// Cell after cell, by ascending region within a cell. A fence is repeated for each of its cells: the candidates of
        /// a lookup are then neighbours in memory, and among very many fences waiting for memory is most of the time.
        let fences: [Fence]
        private var buckets: [Bucket]
        /// How far a hash is shifted down to the number of a bucket.
        private let shift: UInt64

        /// Takes fences by ascending region.
        init(_ sorted: [Fence]) {
            var entries: [(cell: Cell, slot: Int)] = []
            for (slot, fence) in sorted.enumerated() {
                fence.forEachCell { entries.append(($0, slot)) }
            }
            entries.sort { $0 < $1 }
            fences = entries.map { sorted[$0.slot] }
            let cells = entries.map(\.cell)
            let distinct = zip(cells, cells.dropFirst()).count { $0 != $1 } + 1
            // At most half full, so that a search ends after a step or two.
            let bits = Int.bitWidth - (2 * distinct - 1).leadingZeroBitCount
            buckets = Array(repeating: Bucket(), count: 1 << bits)
            shift = UInt64(64 - bits)
            fill(from: cells)
        }

        /// The places in `fences` of those that touch the cell.
        subscript(cell: Cell) -> Range<Int> {
            let bucket = buckets[bucket(of: cell)]
            return Int(bucket.first)..<Int(bucket.end)
        }

        private mutating func fill(from cells: [Cell]) {
            for (place, cell) in cells.enumerated() {
                let bucket = bucket(of: cell)
                if buckets[bucket].key == 0 { buckets[bucket].first = UInt32(place) }
                buckets[bucket].key = cell.key
                buckets[bucket].end = UInt32(place + 1)
            }
        }

        /// The bucket of a cell, or the unused one where it would go.
        private func bucket(of cell: Cell) -> Int {
            // Multiplying by 2^64 / golden ratio spreads neighbouring cells; the upper bits are the well mixed ones. A seed
            // would protect from nobody: the fences are the operator's own.
            var bucket = Int(truncatingIfNeeded: (cell.key &* 0x9E37_79B9_7F4A_7C15) >> shift)
            while buckets[bucket].key != cell.key, buckets[bucket].key != 0 {
                bucket = (bucket + 1) & (buckets.count - 1)
            }
            return bucket
        }
    }
}
