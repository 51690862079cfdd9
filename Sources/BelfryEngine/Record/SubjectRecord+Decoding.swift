import BelfryModel

// Reads what `SubjectRecord+Encoding.swift` writes, and what was written before.

extension SubjectRecord {
    private static let firstWithParts: UInt16 = 4

    public convenience init(subject: String, decoding bytes: [UInt8]) throws(RecordDamage) {
        self.init(subject: subject)
        var rest = bytes[...]
        let body = try PartSeal.body.takeContent(from: &rest)
        let states = try PartSeal.states.takeContent(from: &rest)
        while let page = try PartSeal.page.takeContent(from: &rest) {
            try read(page) { record, reader throws(ByteReader.Damage) in try record.readPage(from: &reader) }
        }
        let opened = try Seal.record.open(rest)
        try read(opened.content) { record, reader throws(ByteReader.Damage) in
            try record.readAll(from: &reader, opened.version, body, states)
        }
    }

    /// The version of the belfry that stored a record; nil in the first format.
    public static func writer(of bytes: [UInt8]) throws(RecordDamage) -> String? {
        try Seal.record.open(PartSeal.skipAll(bytes)).writer
    }

    /// Whether the bytes of a stored record begin with parts.
    package static func hasParts(_ bytes: [UInt8]) -> Bool { PartSeal.skipAll(bytes).startIndex > 0 }

    private func read(
        _ content: ArraySlice<UInt8>, _ body: (SubjectRecord, inout ByteReader) throws(ByteReader.Damage) -> Void
    ) throws(RecordDamage) {
        var reader = ByteReader(content)
        do {
            try body(self, &reader)
            try reader.end()
        } catch {
            throw RecordDamage(reason: "its contents end or make no sense at byte \(error.offset)")
        }
    }

    private func readPage(from reader: inout ByteReader) throws(ByteReader.Damage) {
        for _ in 0..<PartSeal.idsOfPage { processed.insert(try reader.fixed()) }
        storedParts.pages += 1
    }

    private func readAll(
        from reader: inout ByteReader, _ version: UInt16, _ body: ArraySlice<UInt8>?, _ states: ArraySlice<UInt8>?
    ) throws(ByteReader.Damage) {
        latest = try reader.instant()
        isEnabled = try reader.optional { reader throws(ByteReader.Damage) in try reader.bool() }
        app = try reader.appState()
        guard version >= Self.firstWithParts else { return try readFirstFormat(from: &reader) }
        try readHead(from: &reader)
        storedParts.body = try read(body, from: &reader) { record, reader throws(ByteReader.Damage) in
            try record.readBody(from: &reader)
        }
        storedParts.states = try read(states, from: &reader) { record, reader throws(ByteReader.Damage) in
            try record.readStates(from: &reader)
        }
    }

    /// Reads what may be a part.
    ///
    /// - Returns: a hash of the part; nil if it is none.
    private func read(
        _ part: ArraySlice<UInt8>?, from reader: inout ByteReader,
        _ body: (SubjectRecord, inout ByteReader) throws(ByteReader.Damage) -> Void
    ) throws(ByteReader.Damage) -> UInt64? {
        guard try reader.bool() == (part == nil) else { throw reader.damage }
        guard let part else {
            try body(self, &reader)
            return nil
        }
        var rest = ByteReader(part)
        try body(self, &rest)
        try rest.end()
        return part.withUnsafeBytes(Seal.hash)
    }

    private func readHead(from reader: inout ByteReader) throws(ByteReader.Damage) {
        typealias Damage = ByteReader.Damage
        try readPlaces(from: &reader)
        requestKeys = FingerprintSet(try reader.list { reader throws(Damage) in try reader.fixed() })
        let (pages, count) = (try reader.unsigned(), storedParts.pages)
        guard pages == UInt64(count), processed.count == count * PartSeal.idsOfPage else { throw reader.damage }
        for id in try reader.list({ reader throws(Damage) in try reader.fixed() }) { processed.insert(id) }
    }

    private func readPlaces(from reader: inout ByteReader) throws(ByteReader.Damage) {
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

    private func readBody(from reader: inout ByteReader) throws(ByteReader.Damage) {
        try readAttributes(from: &reader)
        var notices: [Notice] = []
        sent = ShortList(try reader.list { reader throws(ByteReader.Damage) in try reader.sent(&notices) })
        geotriggers = try reader.list { reader throws(ByteReader.Damage) in try reader.geotrigger(&notices) }
        try readCounts(from: &reader)
    }

    private func readStates(from reader: inout ByteReader) throws(ByteReader.Damage) {
        states = SlotTable(try reader.list { reader throws(ByteReader.Damage) in try reader.slot() })
    }

    private func readAttributes(from reader: inout ByteReader) throws(ByteReader.Damage) {
        user = try reader.fields()
        channels = try reader.list { reader throws(ByteReader.Damage) in
            Channel(id: try reader.text(), attributes: try reader.fields(), automatic: try reader.fields())
        }
        lastChannel = try reader.optionalText()
    }

    private func readCounts(from reader: inout ByteReader) throws(ByteReader.Damage) {
        tallies = try reader.list { reader throws(ByteReader.Damage) in
            Tally(campaign: try reader.text(), count: try reader.tally(), lastAt: try reader.instant())
        }
    }

    /// What follows in versions 1 to 3.
    private func readFirstFormat(from reader: inout ByteReader) throws(ByteReader.Damage) {
        typealias Damage = ByteReader.Damage
        try readAttributes(from: &reader)
        try readPlaces(from: &reader)
        let current = try reader.list { reader throws(Damage) in try reader.current() }
        sent = ShortList(Sent.merging(current, try reader.list { reader throws(Damage) in try reader.history() }))
        geotriggers = try reader.list { reader throws(Damage) in try reader.history() }
        try readCounts(from: &reader)
        requestKeys = FingerprintSet(try reader.list { reader throws(Damage) in try reader.fixed() })
        processed = FingerprintSet(try reader.list { reader throws(Damage) in try reader.fixed() })
        try readStates(from: &reader)
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

    fileprivate mutating func sent(_ notices: inout [SubjectRecord.Notice]) throws(Damage) -> SubjectRecord.Sent {
        var sent = SubjectRecord.Sent(
            notification: try text(), notice: try notice(&notices), at: try instant(),
            openedAt: try optional { reader throws(Damage) in try reader.instant() })
        let flags = try byte()
        sent.isCurrent = flags & 1 != 0
        sent.isDeletedOnExit = flags & 2 != 0
        sent.isInHistory = flags & 4 != 0
        return sent
    }

    fileprivate mutating func geotrigger(
        _ notices: inout [SubjectRecord.Notice]
    ) throws(Damage) -> SubjectRecord.HistoryEntry {
        SubjectRecord.HistoryEntry(
            notification: nil, notice: try notice(&notices), sentAt: try instant(),
            openedAt: try optional { reader throws(Damage) in try reader.instant() })
    }

    private mutating func notice(_ notices: inout [SubjectRecord.Notice]) throws(Damage) -> SubjectRecord.Notice {
        let number = try unsigned()
        guard number <= UInt64(notices.count) else { throw damage }
        if number == UInt64(notices.count) { notices.append(try notice()) }
        return notices[Int(number)]
    }

    fileprivate mutating func current() throws(Damage) -> SubjectRecord.Current {
        SubjectRecord.Current(
            notification: try text(), notice: try notice(), createdAt: try instant(),
            openedAt: try optional { reader throws(Damage) in try reader.instant() }, isDeletedOnExit: try bool())
    }

    fileprivate mutating func history() throws(Damage) -> SubjectRecord.HistoryEntry {
        SubjectRecord.HistoryEntry(
            notification: try optionalText(), notice: try notice(), sentAt: try instant(),
            openedAt: try optional { reader throws(Damage) in try reader.instant() })
    }

    private mutating func notice() throws(Damage) -> SubjectRecord.Notice {
        SubjectRecord.Notice(
            campaign: try text(), trigger: try optionalText(), region: try optionalText(),
            channel: try optionalText(), eventData: try optionalValue(), content: try content())
    }

    private mutating func content() throws(Damage) -> Decision.Content {
        Decision.Content(
            title: try optionalText(), message: try optionalText(), data: try optionalValue(),
            presentation: try optionalValue(),
            handler: try text(), category: try optionalText(), buttons: try optionalValue())
    }

    fileprivate mutating func slot() throws(Damage) -> Slot {
        let (strategy, entry, counter) = (try text(), try text(), try optionalText())
        let fingerprint = try fixed()
        var saved = SavedState(version: UInt32(truncatingIfNeeded: try unsigned()))
        saved.values = try list { reader throws(Damage) in
            SavedState.Pair(key: try reader.text(), value: try reader.state())
        }
        return Slot(
            owner: SlotOwner(strategy: strategy, entry: entry, fingerprint: fingerprint), counter: counter,
            content: .saved(saved))
    }

    private mutating func state() throws(Damage) -> StateValue {
        switch try byte() {
        case 0: .integer(try signed())
        case 1: .number(try number())
        case 2: .bool(try bool())
        case 3: .text(try text())
        case 4: .bytes(try list { reader throws(Damage) in try reader.byte() })
        case 5: .instant(try instant())
        default: .integers(try list { reader throws(Damage) in try reader.signed() })
        }
    }
}
