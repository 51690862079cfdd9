#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A point on the globe, in degrees: north and east are positive.
///
/// Longitudes 180 and -180 are the same meridian, and at a pole every longitude is the same point; `distance(to:)` knows,
/// `==` compares the numbers.
public struct Coordinate: Sendable, Hashable {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether both are numbers on the globe: latitude -90...90, longitude -180...180, ends included.
    public var isValid: Bool {
        // Comparisons with NaN are false, so this refuses it and the infinities without asking.
        abs(latitude) <= 90 && abs(longitude) <= 180
    }
}

extension Coordinate {
    /// The mean radius of the earth (IUGG), in metres.
    public static let earthRadius = 6_371_008.8

    /// The great-circle distance in metres on a sphere of `earthRadius`, by the haversine formula.
    ///
    /// Symmetric to the last bit, zero for a point and itself, never above half the globe. Meaningless unless both are valid.
    public func distance(to other: Coordinate) -> Double {
        distance(to: other, cosines: latitudeCosine * other.latitudeCosine)
    }

    /// The same with the product of both `latitudeCosine`s at hand; it gives the same bits.
    func distance(to other: Coordinate, cosines: Double) -> Double {
        // Subtracting before converting to radians keeps small distances exact to the last digits.
        let north = sin(abs(latitude - other.latitude) * Self.radiansPerDegree / 2)
        let east = sin(longitudeGap(to: other) * Self.radiansPerDegree / 2)
        let haversine = north * north + cosines * (east * east)
        // Rounding may lift antipodes above one, where the arcsine ends.
        return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
    }

    /// The cosine of the latitude.
    var latitudeCosine: Double { cos(latitude * Self.radiansPerDegree) }

    /// The difference in longitude the short way round, in degrees: 0...180.
    func longitudeGap(to other: Coordinate) -> Double {
        let gap = abs(longitude - other.longitude)
        return min(gap, 360 - gap)
    }

    static let radiansPerDegree = Double.pi / 180
}
