extension GeofenceIndex {
    /// Where a position is at one level: its cell, and where in that, in parts of 256.
    struct Spot {
        let cell: Cell
        fileprivate let north: UInt8
        fileprivate let east: UInt8

        @inline(__always)
        init(_ steps: Steps, _ grid: Grid) {
            let row = grid.row(of: steps)
            let bits = grid.columnBits(inRow: row)
            cell = Cell(grid.level, row, grid.column(of: steps, bits: bits))
            (north, east) = (
                Frame.part(steps.north, of: grid.rowShift), Frame.part(steps.east, of: Grid.columnShift(bits))
            )
        }
    }

    /// The part of a cell that the bounding box of a fence covers, in steps of 1/256 of the cell. Rounding keeps the order, so no position in
    /// the box is left out.
    struct Frame: Sendable {
        fileprivate var south: UInt8 = 0
        fileprivate var north: UInt8 = 0
        fileprivate var west: UInt8 = 0
        fileprivate var east: UInt8 = 0

        @inline(__always)
        func contains(_ spot: Spot) -> Bool {
            spot.north >= south && spot.north <= north && spot.east >= west && spot.east <= east
        }

        /// Which part of its row or column a step is in, if that is so many powers of two long.
        @inline(__always)
        fileprivate static func part(_ step: Int, of shift: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: (step << 8) >> shift)
        }

        /// The parts from one step to another, as far as they are in the row or column of that number.
        fileprivate static func parts(_ first: Int, _ last: Int, of shift: Int, number: Int) -> (UInt8, UInt8) {
            let start = number << shift
            return (part(max(first, start), of: shift), part(min(last, start + 1 << shift - 1), of: shift))
        }
    }
}

extension GeofenceIndex.Grid {
    fileprivate var rowShift: Int { Self.finest - level }
    fileprivate static func columnShift(_ bits: Int) -> Int { GeofenceIndex.Steps.eastBits - bits }
}

extension GeofenceIndex.Fence {
    /// What it covers of a cell that it touches.
    func frame(in cell: GeofenceIndex.Cell) -> GeofenceIndex.Frame {
        let (southwest, northeast) = corners
        var frame = GeofenceIndex.Frame()
        (frame.south, frame.north) = GeofenceIndex.Frame.parts(
            southwest.north, northeast.north, of: grid.rowShift, number: cell.row)
        (frame.west, frame.east) = (0, .max)
        // One across the antimeridian may be anywhere in its columns.
        if center.longitude - longitudeReach >= -180, center.longitude + longitudeReach <= 180 {
            let shift = GeofenceIndex.Grid.columnShift(grid.columnBits(inRow: cell.row))
            (frame.west, frame.east) = GeofenceIndex.Frame.parts(
                southwest.east, northeast.east, of: shift, number: cell.column)
        }
        return frame
    }
}
