import BelfryModel

extension SubjectRecord {
    /// What begins every version.
    func readBeginning(from reader: inout ByteReader) throws(ByteReader.Damage) {
        latest = try reader.instant()
        isEnabled = try reader.optional { reader throws(ByteReader.Damage) in try reader.bool() }
        app = try reader.appState()
    }

    func readHead(from reader: inout ByteReader) throws(ByteReader.Damage) {
        try readPlaces(from: &reader)
        try readRequestKeys(from: &reader)
        let (pages, count) = (try reader.unsigned(), storedParts.pages)
        guard pages == UInt64(count), processed.count == count * PartSeal.idsOfPage else { throw reader.damage }
        try reader.ids(try reader.count(), into: &processed)
    }

    func readRequestKeys(from reader: inout ByteReader) throws(ByteReader.Damage) {
        let count = try reader.count()
        if count > 0 { try reader.ids(count, into: &requestKeys) }
    }

    func readPlaces(from reader: inout ByteReader) throws(ByteReader.Damage) {
        typealias Damage = ByteReader.Damage
        position = try reader.optional { reader throws(Damage) in
            Coordinate(latitude: try reader.number(), longitude: try reader.number())
        }
        presence = try reader.list { reader throws(Damage) in
            Presence(
                region: try reader.text(), isInside: try reader.bool(), since: try reader.instant(),
                isReported: try reader.bool())
        }
        proximity = try reader.list { reader throws(Damage) in
            Proximity(
                region: try reader.text(), campaign: try reader.text(), trigger: try reader.text(),
                beacon: try reader.text())
        }
        watched = Set(try reader.list { reader throws(Damage) in try reader.text() })
        timers = try reader.list { reader throws(Damage) in try reader.timer() }
        nextSequence = try reader.unsigned()
        guard nextSequence <= .max / 2 else { throw reader.damage }
    }
}

extension ByteReader {
    fileprivate mutating func appState() throws(Damage) -> SubjectRecord.AppState {
        switch try byte() {
        case 1: .foreground(since: try instant())
        case 2: .background(since: try instant())
        default: .unknown
        }
    }

    fileprivate mutating func timer() throws(Damage) -> SubjectRecord.Timer {
        SubjectRecord.Timer(
            due: try instant(), sequence: try unsigned(), cause: try text(), channel: try optionalText(),
            campaign: try text(), trigger: try optionalText(), region: try optionalText(), purpose: try purpose())
    }

    private mutating func purpose() throws(Damage) -> SubjectRecord.Timer.Purpose {
        switch try byte() {
        case 1: .deferral(try asked())
        case 2: .exit
        case 3: .deferral(try askedWithCategory())
        default: .dwell
        }
    }

    private mutating func asked() throws(Damage) -> SubjectRecord.Asked {
        SubjectRecord.Asked(
            title: try optionalText(), message: try optionalText(), data: try optionalValue(),
            eventData: try optionalValue())
    }

    private mutating func askedWithCategory() throws(Damage) -> SubjectRecord.Asked {
        var asked = try asked()
        asked.category = Signal.Category(
            id: try text(),
            buttons: try optional { reader throws(Damage) in
                try reader.list { reader throws(Damage) in try reader.value() }
            })
        return asked
    }

    mutating func ids(_ count: Int, into set: inout FingerprintSet) throws(Damage) {
        guard count <= Int.max / 8 else { throw damage }
        try raw(count * 8).withUnsafeBytes { set.append($0) }
    }
}
