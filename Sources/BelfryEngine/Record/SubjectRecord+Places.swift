import BelfryModel

extension SubjectRecord {
    /// The last accepted position.
    public internal(set) var position: Coordinate? {
        get {
            let place = block.range(of: .position)
            if place.isEmpty { return nil }
            return Coordinate(
                latitude: Double(bitPattern: block.number(at: place.lowerBound)),
                longitude: Double(bitPattern: block.number(at: place.lowerBound + 8)))
        }
        set {
            guard let newValue else { return empty(.position) }
            block.resize(.position, block.range(of: .position), to: 16)
            let place = block.range(of: .position).lowerBound
            block.store(newValue.latitude.bitPattern, at: place)
            block.store(newValue.longitude.bitPattern, at: place + 8)
        }
    }

    /// Whether the subject is inside a region. A region without one is outside if there was a position and it is a geofence, else unknown.
    public struct Presence: Sendable, Hashable {
        public var region: String
        public var isInside: Bool
        public var since: Instant
        /// The device itself reported the crossing; then the want of sightings is no exit.
        public var isReported = false
    }

    /// A beacon within the threshold of a trigger. One that is not near has none.
    public struct Proximity: Sendable, Hashable {
        public var region: String
        public var campaign: String
        public var trigger: String
        /// `uuid/major/minor`, the uuid in lower case.
        public var beacon: String
    }

    /// Where the subject is, as far as regions go.
    struct Whereabouts {
        var presence: [Presence] = []
        /// The beacons that are near, for the triggers that wait for it.
        var proximity: [Proximity] = []
        /// The regions that strategies were told are watched; kept only where a strategy wants to know.
        var watched: Set<String> = []
    }

    var whereabouts: Whereabouts {
        get {
            if block.isEmpty(.presence) { return Whereabouts() }
            return Self.sound(.presence) { () throws(ByteReader.Damage) in
                var reader = ByteReader(block.bytes(of: .presence))
                return try reader.whereabouts()
            }
        }
        set {
            if newValue.presence.isEmpty, newValue.proximity.isEmpty, newValue.watched.isEmpty {
                return empty(.presence)
            }
            write(.presence) { $0.whereabouts(newValue) }
        }
    }

    public internal(set) var presence: [Presence] {
        get { whereabouts.presence }
        set { whereabouts.presence = newValue }
    }

    public internal(set) var proximity: [Proximity] {
        get { whereabouts.proximity }
        set { whereabouts.proximity = newValue }
    }

    public internal(set) var watched: Set<String> {
        get { whereabouts.watched }
        set { whereabouts.watched = newValue }
    }

    func presence(in region: String) -> Presence? { presence.first { $0.region == region } }

    mutating func setPresence(_ isInside: Bool, in regions: [String], at now: Instant, isReported: Bool) {
        guard !regions.isEmpty else { return }
        var whereabouts = whereabouts
        for region in regions {
            let new = Presence(region: region, isInside: isInside, since: now, isReported: isReported)
            if let index = whereabouts.presence.firstIndex(where: { $0.region == region }) {
                whereabouts.presence[index] = new
            } else {
                whereabouts.presence.append(new)
            }
        }
        self.whereabouts = whereabouts
    }
}

extension ByteWriter {
    fileprivate mutating func whereabouts(_ whereabouts: SubjectRecord.Whereabouts) {
        list(whereabouts.presence) {
            $0.text($1.region)
            $0.bool($1.isInside)
            $0.instant($1.since)
            $0.bool($1.isReported)
        }
        list(whereabouts.proximity) {
            $0.text($1.region)
            $0.text($1.campaign)
            $0.text($1.trigger)
            $0.text($1.beacon)
        }
        list(whereabouts.watched.sorted()) { $0.text($1) }
    }
}

extension ByteReader {
    @_lifetime(self: copy self)
    mutating func whereabouts() throws(Damage) -> SubjectRecord.Whereabouts {
        var whereabouts = SubjectRecord.Whereabouts()
        for _ in 0..<(try count()) {
            whereabouts.presence.append(
                SubjectRecord.Presence(
                    region: try text(), isInside: try bool(), since: try instant(), isReported: try bool()))
        }
        for _ in 0..<(try count()) {
            whereabouts.proximity.append(
                SubjectRecord.Proximity(
                    region: try text(), campaign: try text(), trigger: try text(), beacon: try text()))
        }
        whereabouts.watched = Set(try texts())
        return whereabouts
    }
}
