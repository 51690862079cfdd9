import BelfryCore
import BelfryEngine
import BelfryModel

/// Fences of 200 m on a grid, a kilometre apart: as many in a neighbourhood, however many there are.
private struct Grid {
    let side: Int

    init(fences: Int) { side = Int(Double(fences).squareRoot().rounded(.up)) }

    func center(_ number: Int) -> Coordinate {
        Coordinate(latitude: 40 + Double(number / side) / 110, longitude: 4 + Double(number % side) / 85)
    }

    /// Somewhere on the grid, one time in eight inside a fence.
    func position(_ random: inout Sequence64) -> Coordinate {
        let end = Double(side)
        return Coordinate(
            latitude: 40 + Double.random(in: 0..<end, using: &random) / 110,
            longitude: 4 + Double.random(in: 0..<end, using: &random) / 85)
    }
}

extension Workload {
    /// Which fences a position is in.
    static let fences = [1000, 10_000, 100_000].map { count in
        Workload("geofence/\(count)", operations: 2_000_000) { _ in
            let grid = Grid(fences: count)
            let index = GeofenceIndex((0..<count).map { ($0, grid.center($0), 200) })
            var random = Sequence64()
            let positions = (0..<65_536).map { _ in grid.position(&random) }
            var found: [Int] = []
            var next = 0
            return Work { count in
                for _ in 0..<count {
                    index.regions(containing: positions[next & 65_535], into: &found)
                    next += 1
                }
                use(found)
            }
        }
    }

    /// A position of a subject, with what follows from it: crossings, and a chain of four for each entry.
    static let positions = [1000, 100_000].map { count in
        Workload("position/\(count)", operations: 200_000) { isCount in
            let grid = Grid(fences: count)
            let catalog = try Workbench.catalog(chain: Workbench.fourPlugins, campaigns: 1) { configuration in
                configuration.regions = (0..<count).map {
                    Configuration.Region(id: "region-\($0)", kind: .geofence(center: grid.center($0), radius: 200))
                }
                configuration.campaigns[0].triggers = [Configuration.Trigger(id: "1", on: .enter)]
            }
            let walk = try Walk(catalog, subjects: isCount ? 200 : 1000, grid.position)
            try walk.run(isCount ? 2000 : 50_000)
            return Work(walk.run)
        }
    }
}

/// Subjects who are now here, now there.
private final class Walk {
    private let decider: SubjectSet
    private let belt: SignalBelt
    private var next = 0
    private var now = Instant(milliseconds: 1_767_254_400_000)

    init(_ catalog: Catalog, subjects: Int, _ position: (inout Sequence64) -> Coordinate) throws {
        decider = SubjectSet(Engine(catalog))
        var random = Sequence64()
        belt = SignalBelt(
            (0..<65_536).map { number in
                let place = position(&random)
                return Signal(
                    subject: "u\(number % subjects)", time: Instant(milliseconds: 0), cause: "s-\(number)",
                    type: "location.updated",
                    event: .located(latitude: place.latitude, longitude: place.longitude, accuracy: nil))
            })
    }

    func run(_ count: Int) throws {
        for _ in 0..<count {
            now = now + Duration(milliseconds: 10)
            try belt.pass(next & 65_535, at: now) { _ = try decider.decide($0) }
            next += 1
        }
    }
}
