import BelfryModel

extension SubjectRecord {
    /// What most subjects never have: apart from the record, it costs the others nothing.
    final class Particulars {
        @exclusivity(unchecked) var channels: [Channel] = []
        @exclusivity(unchecked) var lastChannel: String?
        @exclusivity(unchecked) var position: Coordinate?
        @exclusivity(unchecked) var presence: [Presence] = []
        @exclusivity(unchecked) var proximity: [Proximity] = []
        @exclusivity(unchecked) var watched: Set<String> = []
        @exclusivity(unchecked) var timers: [Timer] = []
        @exclusivity(unchecked) var nextSequence: UInt64 = 0
        @exclusivity(unchecked) var geotriggers: [HistoryEntry] = []
        @exclusivity(unchecked) var otherTallies: [Tally] = []
        @exclusivity(unchecked) var requestKeys = FingerprintSet()
        @exclusivity(unchecked) var storedParts = StoredParts()

        init(nextSequence: UInt64 = 0) { self.nextSequence = nextSequence }
    }

    /// Made as soon as there is something to keep.
    private var ownParticulars: Particulars {
        if let particulars { return particulars }
        let new = Particulars()
        particulars = new
        return new
    }

    private func particulars(isNeeded: Bool) -> Particulars? { isNeeded ? ownParticulars : particulars }
}

extension SubjectRecord {
    public internal(set) var channels: [Channel] {
        get { particulars?.channels ?? [] }
        set {
            use.isBodyStored = false
            particulars(isNeeded: !newValue.isEmpty)?.channels = newValue
        }
        _modify {
            use.isBodyStored = false
            yield &ownParticulars.channels
        }
    }

    var hasChannels: Bool { particulars.map { !$0.channels.isEmpty } ?? false }

    /// The channel registered last.
    public internal(set) var lastChannel: String? {
        get { particulars?.lastChannel }
        set {
            use.isBodyStored = false
            particulars(isNeeded: newValue != nil)?.lastChannel = newValue
        }
        _modify {
            use.isBodyStored = false
            yield &ownParticulars.lastChannel
        }
    }

    /// The last accepted position.
    public internal(set) var position: Coordinate? {
        get { particulars?.position }
        set { particulars(isNeeded: newValue != nil)?.position = newValue }
        _modify { yield &ownParticulars.position }
    }

    public internal(set) var presence: [Presence] {
        get { particulars?.presence ?? [] }
        set { particulars(isNeeded: !newValue.isEmpty)?.presence = newValue }
        _modify { yield &ownParticulars.presence }
    }

    /// The beacons that are near, for the triggers that wait for it.
    public internal(set) var proximity: [Proximity] {
        get { particulars?.proximity ?? [] }
        set { particulars(isNeeded: !newValue.isEmpty)?.proximity = newValue }
        _modify { yield &ownParticulars.proximity }
    }

    /// The regions that strategies were told are watched; kept only where a strategy wants to know.
    public internal(set) var watched: Set<String> {
        get { particulars?.watched ?? [] }
        set { particulars(isNeeded: !newValue.isEmpty)?.watched = newValue }
        _modify { yield &ownParticulars.watched }
    }

    public internal(set) var timers: [Timer] {
        get { particulars?.timers ?? [] }
        set { particulars(isNeeded: !newValue.isEmpty)?.timers = newValue }
        _modify { yield &ownParticulars.timers }
    }

    /// Given to the next timer: ties in time go by it.
    var nextSequence: UInt64 {
        get { particulars?.nextSequence ?? 0 }
        set { particulars(isNeeded: newValue != 0)?.nextSequence = newValue }
        _modify { yield &ownParticulars.nextSequence }
    }

    public internal(set) var geotriggers: [HistoryEntry] {
        get { particulars?.geotriggers ?? [] }
        set {
            use.isBodyStored = false
            particulars(isNeeded: !newValue.isEmpty)?.geotriggers = newValue
        }
        _modify {
            use.isBodyStored = false
            yield &ownParticulars.geotriggers
        }
    }

    /// Of the campaigns of whose newest creation nothing else is kept: geotriggers, and notifications that were forgotten.
    var otherTallies: [Tally] {
        get { particulars?.otherTallies ?? [] }
        set {
            use.isBodyStored = false
            particulars(isNeeded: !newValue.isEmpty)?.otherTallies = newValue
        }
        _modify {
            use.isBodyStored = false
            yield &ownParticulars.otherTallies
        }
    }

    /// Hashes of (campaign, key) of the requests that had a key.
    var requestKeys: FingerprintSet {
        _read {
            if let particulars { yield particulars.requestKeys } else { yield FingerprintSet() }
        }
        _modify { yield &ownParticulars.requestKeys }
    }

    /// As far as somebody notes it, who stores the record again and again.
    package var storedParts: StoredParts {
        get { particulars?.storedParts ?? StoredParts() }
        set { particulars(isNeeded: !newValue.isEmpty)?.storedParts = newValue }
    }

    /// Their numbers.
    package var partNumbers: [Int] {
        let pages = (0..<storedParts.pages).map { PartSeal.firstPageNumber + $0 }
        return (storedParts.body == nil ? [] : [PartSeal.bodyNumber])
            + (storedParts.states == nil ? [] : [PartSeal.statesNumber]) + pages
    }

    /// Whether it has timers, or might have had some; costs nothing.
    package var mayHaveTimers: Bool { particulars.map { $0.nextSequence > 0 || !$0.timers.isEmpty } ?? false }

    /// When the next timer is due.
    public var nextDue: Instant? { timers.lazy.map(\.due).min() }
}
