extension GeofenceIndex {
    /// The division of the globe into cells at one level.
    ///
    /// Level n has 2^n rows of equal height from the south pole to the north pole. Meridians converge, so a row is divided
    /// into fewer columns the closer it is to a pole: always a power of two, such that a cell is 0.7 to 1.6 times as wide as
    /// it is high (but for the four slices around each pole).
    struct Grid: Sendable, Hashable {
        /// Rows of 1.2 m. Smaller fences share it.
        static let finest = 24

        let level: Int

        @inline(__always)
        func row(of steps: Steps) -> Int { steps.north >> (Self.finest - level) }

        /// The number of columns, as a power of two.
        @inline(__always)
        func columnBits(inRow row: Int) -> Int {
            let rowsToPole = min(row, (1 << level) - 1 - row)
            return 2 + Int.bitWidth - 1 - (2 * rowsToPole + 1).leadingZeroBitCount
        }

        @inline(__always)
        func column(of steps: Steps, bits: Int) -> Int { steps.east >> (Steps.eastBits - bits) }
    }

    /// A position in whole steps: rows and columns of the finest level.
    ///
    /// Rounded once, here; rows and columns of every level follow by shifting. So fences and positions cannot disagree
    /// about a border, and a level costs no arithmetic on fractions.
    struct Steps: Sendable {
        static let eastBits = Grid.finest + 1

        /// From the south pole: 0..<2^24.
        let north: Int
        /// From longitude -180: 0..<2^25.
        let east: Int

        /// A latitude beyond a pole counts as at the pole; the longitude is one of -180...180.
        init(latitude: Double, longitude: Double) {
            let (rows, columns) = (1 << Grid.finest, 1 << Self.eastBits)
            north = max(0, min(rows - 1, Int((latitude + 90) * (Double(rows) / 180))))
            east = min(columns - 1, Int((longitude + 180) * (Double(columns) / 360)))
        }
    }

    /// The name of a cell: level, row and column in one number. It is never zero.
    struct Cell: Sendable, Hashable, Comparable {
        let key: UInt64

        init(_ level: Int, _ row: Int, _ column: Int) {
            // At the finest level a row takes 24 bits and a column 25.
            key = UInt64(level + 1) << 49 | UInt64(row) << 25 | UInt64(column)
        }

        var row: Int { Int(key >> 25 & 0xFF_FFFF) }
        var column: Int { Int(key & 0x1FF_FFFF) }

        static func < (left: Cell, right: Cell) -> Bool { left.key < right.key }
    }
}

extension GeofenceIndex.Fence {
    /// Calls `body` once with each cell that the bounding box touches, at the fence's level.
    func forEachCell(_ body: (GeofenceIndex.Cell) -> Void) {
        let grid = grid
        let (southwest, northeast) = corners
        for row in grid.row(of: southwest)...grid.row(of: northeast) {
            let bits = grid.columnBits(inRow: row)
            let columns = 1 << bits
            let first = grid.column(of: southwest, bits: bits)
            let last = grid.column(of: northeast, bits: bits)
            // A box that is not around a pole spans half a circle at most, a column a quarter: when its ends share a
            // column, that is the only one. A smaller last column means the box crosses the antimeridian.
            let count = longitudeReach < 180 ? (last - first + columns) % columns + 1 : columns
            for step in 0..<count { body(GeofenceIndex.Cell(grid.level, row, (first + step) % columns)) }
        }
    }

    var corners: (southwest: GeofenceIndex.Steps, northeast: GeofenceIndex.Steps) {
        let west = center.longitude - longitudeReach
        let east = center.longitude + longitudeReach
        return (
            GeofenceIndex.Steps(
                latitude: center.latitude - latitudeReach, longitude: west < -180 ? west + 360 : west),
            GeofenceIndex.Steps(
                latitude: center.latitude + latitudeReach, longitude: east > 180 ? east - 360 : east)
        )
    }
}
