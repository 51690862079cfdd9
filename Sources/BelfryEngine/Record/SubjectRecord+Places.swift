import BelfryModel

// Where the subject is: of each region for which that is known, one behind the other; then beacons that are near, and regions that are watched.
//
//     size  what
//     4     how many bytes the regions have
//           for each region:
//     8     since when, in ms
//     4     length of its id
//     1     marks: 1 inside, 2 as the device reported
//     …     its id
//     …     a list of beacons, and one of the regions that are watched

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
        var watched: Set<SubjectKey> = []
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
        get {
            var presence: [Presence] = []
            forEachPresence { presence.append(self.presence(at: $0)) }
            return presence
        }
        set { whereabouts.presence = newValue }
    }

    public internal(set) var proximity: [Proximity] {
        get { whereabouts.proximity }
        set { whereabouts.proximity = newValue }
    }

    public internal(set) var watched: Set<SubjectKey> {
        get { whereabouts.watched }
        set { whereabouts.watched = newValue }
    }

    // MARK: Presence

    private static let fixedPresenceSize = 13

    func presence(in region: String) -> Presence? { place(ofPresenceIn: region).map { presence(at: $0) } }

    /// The regions that the subject is known to be inside of.
    var regionsInside: [String] {
        var regions: [String] = []
        forEachPresence { if marks(ofPresenceAt: $0).contains(.inside) { regions.append(presence(at: $0).region) } }
        return regions
    }

    mutating func setPresence(_ isInside: Bool, in regions: [String], at now: Instant, isReported: Bool) {
        let marks = PresenceMarks(isInside: isInside, isReported: isReported)
        for region in regions {
            let offset = place(ofPresenceIn: region) ?? addPresence(in: region)
            block.store(now.milliseconds, at: offset)
            block.store(marks.rawValue, at: offset + 12)
        }
    }

    /// What is known of a region, from the beginning of the header. Time and marks are not set.
    private mutating func addPresence(in region: String) -> Int {
        if block.isEmpty(.presence) { write(.presence) { $0.whereabouts(Whereabouts()) } }
        let range = presenceRange
        let length = Self.fixedPresenceSize + region.utf8.count
        block.resize(.presence, range.upperBound..<range.upperBound, to: length)
        block.store(UInt32(range.count + length), at: range.lowerBound - 4)
        block.store(UInt32(region.utf8.count), at: range.upperBound + 8)
        region.withBytes { block.copy($0, to: range.upperBound + Self.fixedPresenceSize) }
        return range.upperBound
    }

    /// Of all regions.
    private var presenceRange: Range<Int> {
        let section = block.range(of: .presence)
        if section.isEmpty { return section }
        let start = section.lowerBound + 4
        return start..<start + Int(block.number(at: section.lowerBound, as: UInt32.self))
    }

    private func forEachPresence(_ body: (Int) -> Void) {
        let range = presenceRange
        var offset = range.lowerBound
        while offset < range.upperBound {
            body(offset)
            offset += Self.fixedPresenceSize + length(ofRegionAt: offset)
        }
    }

    private func place(ofPresenceIn region: String) -> Int? {
        var place: Int?
        region.withBytes { id in
            forEachPresence { offset in
                if length(ofRegionAt: offset) == id.count, block.has(id, at: offset + Self.fixedPresenceSize) {
                    place = offset
                }
            }
        }
        return place
    }

    private func length(ofRegionAt offset: Int) -> Int { Int(block.number(at: offset + 8, as: UInt32.self)) }

    private func marks(ofPresenceAt offset: Int) -> PresenceMarks {
        PresenceMarks(rawValue: block.number(at: offset + 12))
    }

    private func presence(at offset: Int) -> Presence {
        let id = offset + Self.fixedPresenceSize
        let marks = marks(ofPresenceAt: offset)
        return Presence(
            region: String(checking: block.bytes.extracting(id..<id + length(ofRegionAt: offset))) ?? "",
            isInside: marks.contains(.inside), since: Instant(milliseconds: block.number(at: offset)),
            isReported: marks.contains(.reported))
    }
}

private struct PresenceMarks: OptionSet {
    let rawValue: UInt8

    static let inside = PresenceMarks(rawValue: 1)
    static let reported = PresenceMarks(rawValue: 2)
    static let all = PresenceMarks(rawValue: 3)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(isInside: Bool, isReported: Bool) {
        self.init()
        if isInside { insert(.inside) }
        if isReported { insert(.reported) }
    }
}

extension ByteWriter {
    fileprivate mutating func whereabouts(_ whereabouts: SubjectRecord.Whereabouts) {
        var regions = ByteWriter()
        for presence in whereabouts.presence { regions.presence(presence) }
        fixed(UInt32(regions.count))
        regions.withBytes { raw($0) }
        list(whereabouts.proximity) {
            $0.text($1.region)
            $0.text($1.campaign)
            $0.text($1.trigger)
            $0.text($1.beacon)
        }
        list(whereabouts.watched.sorted()) { $0.text($1.text) }
    }

    private mutating func presence(_ presence: SubjectRecord.Presence) {
        fixed(presence.since.milliseconds)
        fixed(UInt32(presence.region.utf8.count))
        byte(PresenceMarks(isInside: presence.isInside, isReported: presence.isReported).rawValue)
        presence.region.withBytes { raw($0) }
    }
}

extension ByteReader {
    @_lifetime(self: copy self)
    mutating func whereabouts() throws(Damage) -> SubjectRecord.Whereabouts {
        var whereabouts = SubjectRecord.Whereabouts()
        var regions = ByteReader(bytes(in: try skip(Int(try fixed(UInt32.self)))))
        while regions.rest > 0 { whereabouts.presence.append(try regions.presence()) }
        for _ in 0..<(try count()) {
            whereabouts.proximity.append(
                SubjectRecord.Proximity(
                    region: try text(), campaign: try text(), trigger: try text(), beacon: try text()))
        }
        whereabouts.watched = Set(try texts().map { SubjectKey($0) })
        return whereabouts
    }

    @_lifetime(self: copy self)
    private mutating func presence() throws(Damage) -> SubjectRecord.Presence {
        let (since, length) = (Instant(milliseconds: try fixed()), try fixed(UInt32.self))
        let marks = PresenceMarks(rawValue: try byte())
        guard marks.isSubset(of: .all), let region = String(checking: bytes(in: try skip(Int(length)))) else {
            throw damage
        }
        return SubjectRecord.Presence(
            region: region, isInside: marks.contains(.inside), since: since, isReported: marks.contains(.reported))
    }
}
