import BelfryModel
import Testing

@testable import BelfryEngine

@Suite struct CoordinateTests {
    private static let degree = 6_371_008.8 * Double.pi / 180

    @Test(arguments: [
        (Coordinate(latitude: 52, longitude: 4), Coordinate(latitude: 53, longitude: 4), degree),
        (Coordinate(latitude: 0, longitude: 179.5), Coordinate(latitude: 0, longitude: -179.5), degree),
        (Coordinate(latitude: 60, longitude: 0), Coordinate(latitude: 60, longitude: 180), 60 * degree),
        (Coordinate(latitude: 89, longitude: 0), Coordinate(latitude: 89, longitude: 180), 2 * degree),
        (Coordinate(latitude: 36.12, longitude: -86.67), Coordinate(latitude: 33.94, longitude: -118.4), 2_886_448.43),
    ])
    func `a distance is that of the great circle`(_ a: Coordinate, _ b: Coordinate, metres: Double) {
        #expect(abs(a.distance(to: b) - metres) <= 1e-9 * metres)
        #expect(a.distance(to: b) == b.distance(to: a))
    }

    @Test func `antipodes are half the globe apart, to within half a metre and never more`() {
        var random = Random(seed: 5)
        for _ in 0..<10_000 {
            let a = Coordinate(latitude: random.number(in: -90...90), longitude: random.number(in: 0...180))
            let b = Coordinate(latitude: -a.latitude, longitude: a.longitude - 180)
            #expect((-0.5...0).contains(a.distance(to: b) - 180 * Self.degree), "\(a)")
        }
    }

    @Test(arguments: [
        (Coordinate(latitude: 52.37, longitude: 4.89), Coordinate(latitude: 52.37, longitude: 4.89)),
        (Coordinate(latitude: 3, longitude: 180), Coordinate(latitude: 3, longitude: -180)),
    ])
    func `the same point is at distance zero, under both names of its meridian`(_ a: Coordinate, _ b: Coordinate) {
        #expect(a.distance(to: b) == 0)
    }

    @Test(arguments: [
        (90, 180, true), (-90, -180, true), (0, 0, true), (90.1, 0, false), (-91, 0, false), (0, 180.5, false),
        (Double.nan, 0, false), (0, Double.nan, false), (0, -Double.infinity, false),
    ])
    func `a coordinate is valid on the globe, ends included`(_ latitude: Double, _ longitude: Double, valid: Bool) {
        #expect(Coordinate(latitude: latitude, longitude: longitude).isValid == valid)
    }
}

@Suite struct GeofenceIndexTests {
    typealias Fences = [(region: Int, center: Coordinate, radius: Double)]

    /// Where fences and positions of a test lie: latitudes, longitudes (beyond 180 goes on at -180) and radii.
    struct World: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let latitudes, longitudes, radii: ClosedRange<Double>
        var fences = 400
    }

    static let worlds = [
        World(testDescription: "the globe", latitudes: -90...90, longitudes: -180...180, radii: 1...3e6),
        World(testDescription: "enormous fences", latitudes: -90...90, longitudes: -180...180, radii: 4e6...2.1e7),
        World(testDescription: "a dense city", latitudes: 40.6...40.9, longitudes: -74.1...(-73.8), radii: 20...900),
        World(testDescription: "a shop", latitudes: 40.7...40.70005, longitudes: 9...9.00005, radii: 0.01...2),
        World(testDescription: "the north pole", latitudes: 89.5...90, longitudes: -180...180, radii: 1...90_000),
        World(testDescription: "the south pole", latitudes: -90...(-85), longitudes: -180...180, radii: 1...900_000),
        World(
            testDescription: "steps from the pole", latitudes: 89.999_99...90, longitudes: -180...180, radii: 0.01...2),
        World(testDescription: "the antimeridian", latitudes: -20...70, longitudes: 179...181, radii: 100...200_000),
        World(
            testDescription: "every size in one town", latitudes: 10...10.01, longitudes: 20...20.01, radii: 0.1...2e7),
    ]

    @Test(arguments: worlds, [1, 2, 3] as [UInt64])
    func `the answer is that of asking every fence`(in world: World, seed: UInt64) {
        var random = Random(seed: seed)
        let fences = random.fences(in: world)
        let index = GeofenceIndex(fences.reversed())
        var found: [Int] = []
        for _ in 0..<400 {
            let position = random.position(in: world, around: fences)
            let expected = fences.filter { $0.center.distance(to: position) <= $0.radius }.map(\.region)
            index.regions(containing: position, into: &found)
            #expect(found == expected, "at \(position)")
        }
    }

    @Test(arguments: worlds)
    func `a position exactly at the radius is inside, the next number below is not`(in world: World) {
        var random = Random(seed: 7)
        var found: [Int] = []
        for _ in 0..<2_000 {
            let (center, position) = (random.coordinate(in: world), random.coordinate(in: world))
            let radius = center.distance(to: position)
            guard radius > 0 else { continue }
            let index = GeofenceIndex([(1, center, radius), (2, center, radius.nextDown), (3, center, radius.nextUp)])
            index.regions(containing: position, into: &found)
            #expect(found == [1, 3], "\(center) to \(position)")
        }
    }

    @Test func `the last position due north, east, south or west is inside`() {
        var random = Random(seed: 11)
        var found: [Int] = []
        for _ in 0..<3_000 {
            let center = Coordinate(latitude: random.number(in: -89...89), longitude: random.number(in: -180...180))
            let step = random.number(in: -0.9...0.9)
            let position = Coordinate(
                latitude: random.coin() ? center.latitude + step : center.latitude,
                longitude: random.coin() ? center.longitude : max(-180, min(180, center.longitude + step)))
            let radius = center.distance(to: position)
            guard radius > 0 else { continue }
            GeofenceIndex([(5, center, radius)]).regions(containing: position, into: &found)
            #expect(found == [5], "\(center) to \(position)")
        }
    }

    @Test func `a position exactly at the radius is inside near the antipode, where distances are rough`() {
        var random = Random(seed: 13)
        var found: [Int] = []
        for _ in 0..<3_000 {
            let center = Coordinate(latitude: -90 + random.number(in: 0...1e-6), longitude: 10)
            let position = Coordinate(latitude: 90 - random.number(in: 0...1e-6), longitude: 10)
            GeofenceIndex([(5, center, center.distance(to: position))]).regions(containing: position, into: &found)
            #expect(found == [5], "\(center) to \(position)")
        }
    }

    @Test(arguments: [
        Coordinate(latitude: .nan, longitude: 0), Coordinate(latitude: 91, longitude: 0),
        Coordinate(latitude: 0, longitude: .infinity), Coordinate(latitude: 0, longitude: -181),
    ])
    func `a position off the globe is inside no fence`(_ position: Coordinate) {
        let index = GeofenceIndex([(1, Coordinate(latitude: 0, longitude: 0), .infinity)])
        var found = [99]
        index.regions(containing: position, into: &found)
        #expect(found.isEmpty)
    }

    @Test func `no fences contain nothing`() {
        let (empty, here) = (GeofenceIndex([]), Coordinate(latitude: 1, longitude: 1))
        var found = [99]
        empty.regions(containing: here, into: &found)
        #expect(found.isEmpty)
    }

    @Test func `regions come ascending into the caller's own storage, whatever their order and size`() {
        let here = Coordinate(latitude: 48, longitude: 11)
        // Sizes from a millimetre to the whole globe put them at every level.
        let index = GeofenceIndex(
            (0..<340).map { ($0 * 7_919 % 340, here, Double(sign: .plus, exponent: $0 % 36 - 10, significand: 1)) })
        var found: [Int] = []
        found.reserveCapacity(340)
        let storage = found.withUnsafeBufferPointer(\.baseAddress)
        index.regions(containing: here, into: &found)
        #expect(found == Array(0..<340))
        #expect(found.withUnsafeBufferPointer(\.baseAddress) == storage)
    }

    @Test(arguments: worlds)
    func `a fence is listed in a dozen cells at most`(in world: World) {
        var random = Random(seed: 3)
        for fence in random.fences(in: world) {
            var cells: [GeofenceIndex.Cell] = []
            GeofenceIndex.Fence(region: fence.region, center: fence.center, radius: fence.radius)
                .forEachCell { cells.append($0) }
            #expect(cells.count <= 12, "\(fence)")
            #expect(Set(cells).count == cells.count, "\(fence)")
        }
    }

    @Test(arguments: [100, 10_000, 100_000])
    func `a lookup takes no more work among many fences than among few`(fences count: Int) {
        // A city's grid of fences 300 m apart, and a position in every one of them or of 2,000.
        let side = Int(Double(count).squareRoot().rounded(.up))
        let fences: Fences = (0..<count).map {
            (
                $0, Coordinate(latitude: 40 + 0.0027 * Double($0 / side), longitude: -74 + 0.0037 * Double($0 % side)),
                100
            )
        }
        let index = GeofenceIndex(fences)
        var found: [Int] = []
        for fence in stride(from: 0, to: count, by: max(1, count / 2_000)).map({ fences[$0] }) {
            let effort = index.measuredRegions(containing: fence.center, into: &found)
            #expect(found == [fence.region])
            #expect(effort.cells == 1)
            #expect(effort.candidates <= 6)
            #expect(effort.distances == 1)
        }
    }
}

/// The same numbers on every machine.
private struct Random {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    mutating func number(in range: ClosedRange<Double>) -> Double {
        let unit = Double(numbers.next() >> 11) / Double(1 << 53)
        return min(range.upperBound, range.lowerBound + unit * (range.upperBound - range.lowerBound))
    }

    mutating func coin() -> Bool { number(in: 0...1) < 0.5 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(number(in: 0...Double(elements.count).nextDown))]
    }

    mutating func coordinate(in world: GeofenceIndexTests.World) -> Coordinate {
        // Now and then a round number: cell borders, poles and the antimeridian itself.
        let round = number(in: 0...1) < 0.1
        let (latitude, longitude) = (number(in: world.latitudes), number(in: world.longitudes))
        return Self.onGlobe(round ? latitude.rounded() : latitude, round ? longitude.rounded() : longitude)
    }

    /// Small radii as often as large ones.
    mutating func fences(in world: GeofenceIndexTests.World) -> GeofenceIndexTests.Fences {
        (0..<world.fences).map { number in
            var radius = self.number(in: world.radii)
            while radius / 2 > world.radii.lowerBound, coin() { radius /= 2 }
            return (number * 3, coordinate(in: world), radius)
        }
    }

    /// Anywhere in the world, or near the edge of a fence, where mistakes show.
    mutating func position(in world: GeofenceIndexTests.World, around fences: GeofenceIndexTests.Fences) -> Coordinate {
        guard coin() else { return coordinate(in: world) }
        let fence = pick(fences)
        let degrees = fence.radius / 111_195 * number(in: 0.99...1.01)
        let north = number(in: -degrees...degrees)
        let east = (max(0, degrees * degrees - north * north)).squareRoot() / max(1e-6, fence.center.latitudeCosine)
        return Self.onGlobe(fence.center.latitude + north, fence.center.longitude + (coin() ? east : -east))
    }

    private static func onGlobe(_ latitude: Double, _ longitude: Double) -> Coordinate {
        let around = longitude.remainder(dividingBy: 360)
        return Coordinate(latitude: max(-90, min(90, latitude)), longitude: around)
    }
}
