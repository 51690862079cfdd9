#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension GeofenceIndex {
    /// One circle, with the bounding box that spares most distances and the level it is kept at.
    struct Fence: Sendable {
        let region: Int
        let center: Coordinate
        let radius: Double
        /// Of the center.
        let latitudeCosine: Double
        /// How far the circle goes from its center, in degrees. At 180 every latitude or longitude may be inside.
        let latitudeReach: Double
        let longitudeReach: Double

        init(region: Int, center: Coordinate, radius: Double) {
            precondition(center.isValid, "the fence of region \(region) has a center off the globe: \(center)")
            precondition(radius > 0, "the fence of region \(region) has no radius above zero: \(radius)")
            self.region = region
            self.center = center
            self.radius = radius
            latitudeCosine = center.latitudeCosine
            (latitudeReach, longitudeReach) = Self.reach(center: center, radius: radius)
        }
    }
}

extension GeofenceIndex.Fence {
    /// The finest grid whose rows are at least as high as the circle.
    var grid: GeofenceIndex.Grid {
        // The exponent is the logarithm to base two, rounded down.
        GeofenceIndex.Grid(level: max(0, min(GeofenceIndex.Grid.finest, (90 / latitudeReach).exponent)))
    }

    /// Whether the bounding box holds the position. No circle contains a position outside its box.
    @inline(__always)
    func mayContain(_ position: Coordinate) -> Bool {
        abs(position.latitude - center.latitude) <= latitudeReach && position.longitudeGap(to: center) <= longitudeReach
    }

    /// The definition, with the cosine of the position's latitude at hand.
    @inline(__always)
    func containsMeasured(_ position: Coordinate, latitudeCosine: Double) -> Bool {
        center.distance(to: position, cosines: self.latitudeCosine * latitudeCosine) <= radius
    }

    /// The half height and half width of the bounding box, in degrees.
    private static func reach(center: Coordinate, radius: Double) -> (latitude: Double, longitude: Double) {
        // A computed distance, and the box itself, are off by a few units in the last place, relative to the distance and
        // (across the antimeridian, near a pole) to the whole circle. This slack is a hundred times that, and still less
        // than a micrometre for a fence of a kilometre: a circle never loses a position that its distance admits.
        let angle = radius / Coordinate.earthRadius * (1 + 1e-12) + 1e-14
        // Near the antipode an error grows to its square root. A circle that large has no use for a box.
        guard angle <= .pi / 4 else { return (180, 180) }
        let latitude = angle / Coordinate.radiansPerDegree
        // Around a pole there is every longitude; elsewhere the outermost meridian is a tangent of the circle.
        guard abs(center.latitude) + latitude < 90 else { return (latitude, 180) }
        let tangent = asin(min(1, sin(angle) / center.latitudeCosine)) / Coordinate.radiansPerDegree
        return (latitude, min(180, tangent + latitude * 1e-12 + 1e-12))
    }
}
