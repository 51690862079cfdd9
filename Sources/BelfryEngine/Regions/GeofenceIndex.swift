/// Circular fences on the globe, and which of them a position is inside.
///
/// A fence contains a position when `center.distance(to: position) <= radius`, so exactly at the radius is inside. The answer
/// is that of asking every fence, to the last bit; the index only leaves out fences that are certainly too far away.
///
/// How it works: the globe is divided into cells at several levels, each level with half the cell size of the one before
/// (`Grid`). A fence is listed in all cells it touches at the one level whose cells are about its size, a dozen cells at
/// most (`Fence`). A lookup therefore reads one cell per level that is in use, whatever the number of fences
/// (`CellTable`), and measures the distance to those listed there whose bounding box holds the position; what of the cell a box
/// covers is kept with the cell (`Frame`).
public struct GeofenceIndex: Sendable {
    private let cells: CellTable
    /// By ascending region.
    private let fences: [Fence]
    /// Bit n is set when some fence is kept at level n.
    private let levels: UInt32

    /// Takes fences of any size and in any order. Region numbers are the caller's, each used once; radii are in metres.
    ///
    /// A center off the globe, a radius that is not above zero and a repeated region trap: configuration is checked
    /// before it gets here. A radius of half the globe or more (infinity too) contains every position.
    public init(_ fences: [(region: Int, center: Coordinate, radius: Double)]) {
        let sorted = fences.sorted { $0.region < $1.region }.map(Fence.init)
        for (fence, next) in zip(sorted, sorted.dropFirst()) {
            precondition(fence.region != next.region, "region \(fence.region) has two fences")
        }
        cells = CellTable(sorted)
        self.fences = sorted
        levels = sorted.reduce(0) { $0 | 1 << UInt32($1.grid.level) }
    }

    /// Replaces the contents of `regions` by the regions that `position` is inside, ascending.
    ///
    /// Allocates nothing as long as the result fits the array's capacity. A position off the globe is inside none.
    public func regions(containing position: Coordinate, into regions: inout [Int]) {
        measuredRegions(containing: position, into: &regions)
    }
}

extension GeofenceIndex {
    /// What one lookup took.
    struct Effort: Hashable {
        var cells = 0
        var candidates = 0
        var distances = 0
    }

    /// The lookup itself, which also counts its work.
    @discardableResult
    func measuredRegions(containing position: Coordinate, into regions: inout [Int]) -> Effort {
        if !regions.isEmpty { regions.removeAll(keepingCapacity: true) }
        var effort = Effort()
        guard position.isValid else { return effort }
        let steps = Steps(latitude: position.latitude, longitude: position.longitude)
        var remaining = levels
        while remaining != 0 {
            let grid = Grid(level: remaining.trailingZeroBitCount)
            remaining &= remaining - 1
            effort.cells += 1
            let listed = cells.forEachCandidate(at: Spot(steps, grid)) {
                collect($0, position, &regions, &effort)
            }
            effort.candidates += listed
        }
        regions.sortInPlaceUnlessAscending()
        return effort
    }

    /// What few fences get to: no trigonometry for the others.
    @inline(never)
    private func collect(_ place: Int, _ position: Coordinate, _ regions: inout [Int], _ effort: inout Effort) {
        guard fences[place].mayContain(position) else { return }
        effort.distances += 1
        if fences[place].containsMeasured(position, latitudeCosine: position.latitudeCosine) {
            regions.append(fences[place].region)
        }
    }
}

extension [Int] {
    /// Sorts by heap: the standard sort takes scratch memory from 64 elements on.
    fileprivate mutating func sortInPlaceUnlessAscending() {
        // One cell lists its fences in order, so this is for fences found at several levels.
        guard count > 1, !(1..<count).allSatisfy({ self[$0 - 1] < self[$0] }) else { return }
        for root in stride(from: count / 2 - 1, through: 0, by: -1) { siftDown(from: root, end: count) }
        for end in stride(from: count - 1, to: 0, by: -1) {
            swapAt(0, end)
            siftDown(from: 0, end: end)
        }
    }

    private mutating func siftDown(from start: Int, end: Int) {
        var root = start
        while case var child = 2 * root + 1, child < end {
            if child + 1 < end, self[child] < self[child + 1] { child += 1 }
            guard self[root] < self[child] else { return }
            swapAt(root, child)
            root = child
        }
    }
}
