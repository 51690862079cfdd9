import BelfryModel

// The content of a stored record, in this order, after pages of ids. A member is added at the end only, with a new version of the format.

extension Seal {
    /// Of a subject's record. Version 1 had no writer, version 2 another checksum, version 3 no pages.
    static let record = Seal(magic: "BLFR", version: 4, firstNamed: 2, firstByWords: 3, name: "a record")
}

extension SubjectRecord {
    /// The version that ends with the number of pages.
    private static let firstWithPages: UInt16 = 4

    /// How many pages its ids fill.
    package var pages: Int { processed.count / IDPage.count }

    /// The record as it is stored. A slot whose strategy has nothing to remember is left out.
    ///
    /// - Parameter writer: the version of the belfry that stores it.
    public func encoded(by writer: String) -> [UInt8] {
        var bytes = ByteWriter()
        encode(by: writer, withoutPages: 0, in: &bytes)
        return bytes.bytes
    }

    /// The same, for somebody who stores many, and has the first pages already.
    ///
    /// - Parameter bytes: what was in there is lost.
    /// - Returns: how many of the bytes are pages.
    @discardableResult
    package func encode(by writer: String, withoutPages stored: Int, in bytes: inout ByteWriter) -> Int {
        bytes.cut(to: 0)
        for page in stored..<pages {
            let start = page * IDPage.count
            IDPage.write(processed.all[start..<start + IDPage.count], by: writer, to: &bytes)
        }
        let size = bytes.count
        Seal.record.close(writer: writer, in: &bytes) { writeContent(pages: pages, to: &$0) }
        return size
    }

    public convenience init(subject: String, decoding bytes: [UInt8]) throws(RecordDamage) {
        var ids: FingerprintSet = []
        let opened = try Seal.record.open(try IDPage.read(bytes[...], into: &ids))
        try self.init(subject: subject, ids, content: opened.content, version: opened.version)
    }

    /// How many of the bytes of a stored record are pages.
    package static func sizeOfPages(in bytes: [UInt8]) -> Int { IDPage.skip(bytes).startIndex }

    /// The version of the belfry that stored a record; nil in the first format.
    public static func writer(of bytes: [UInt8]) throws(RecordDamage) -> String? {
        try Seal.record.open(IDPage.skip(bytes)).writer
    }

    /// A copy of its own, states included.
    func copy() -> SubjectRecord {
        var bytes = ByteWriter()
        writeContent(pages: 0, to: &bytes)
        do {
            return try SubjectRecord(subject: subject, [], content: bytes.bytes[...], version: Self.firstWithPages)
        } catch {
            preconditionFailure("a record that was just encoded cannot be decoded: \(error.reason)")
        }
    }

    /// - Parameter pages: so many of the ids are elsewhere.
    private func writeContent(pages: Int, to writer: inout ByteWriter) {
        writer.instant(latest)
        writer.optional(isEnabled) { $0.bool($1) }
        writer.appState(app)
        writer.fields(user)
        writer.list(channels) {
            $0.text($1.id)
            $0.fields($1.attributes)
            $0.fields($1.automatic)
        }
        writer.text(lastChannel)
        writer.optional(position) {
            $0.number($1.latitude)
            $0.number($1.longitude)
        }
        writer.list(presence) {
            $0.text($1.region)
            $0.bool($1.isInside)
            $0.instant($1.since)
            $0.bool($1.isReported)
        }
        writer.list(proximity) {
            $0.text($1.region)
            $0.text($1.campaign)
            $0.text($1.trigger)
            $0.text($1.beacon)
        }
        writer.list(watched.isEmpty ? [] : watched.sorted()) { $0.text($1) }
        writer.list(timers) { $0.timer($1) }
        writer.unsigned(nextSequence)
        list(where: { $0.isCurrent }, in: &writer) { $0.current(Current($1)) }
        list(where: { $0.isInHistory }, in: &writer) { $0.history(HistoryEntry($1)) }
        writer.list(geotriggers) { $0.history($1) }
        writer.list(counts.elements) {
            $0.text($1.campaign)
            $0.signed($1.count)
            $0.instant($1.lastAt)
        }
        writer.fixed(requestKeys.all[...])
        writer.fixed(processed.all[(pages * IDPage.count)...])
        writer.list { writer in
            var count = 0
            states.forEachInOrder { if writer.slot($0) { count += 1 } }
            return count
        }
        writer.unsigned(UInt64(pages))
    }

    private func list(
        where isMeant: (Sent) -> Bool, in writer: inout ByteWriter, _ write: (inout ByteWriter, Sent) -> Void
    ) {
        writer.list { writer in
            var count = 0
            for place in sent.indices where isMeant(sent[place]) {
                write(&writer, sent[place])
                count += 1
            }
            return count
        }
    }

    /// - Parameter ids: those of the pages.
    private convenience init(
        subject: String, _ ids: FingerprintSet, content: ArraySlice<UInt8>, version: UInt16
    ) throws(RecordDamage) {
        self.init(subject: subject)
        processed = ids
        var reader = ByteReader(content)
        do {
            try read(from: &reader, version)
            try reader.end()
        } catch {
            throw RecordDamage(reason: "its contents end or make no sense at byte \(error.offset)")
        }
    }

    private func read(from reader: inout ByteReader, _ version: UInt16) throws(ByteReader.Damage) {
        typealias Damage = ByteReader.Damage
        latest = try reader.instant()
        isEnabled = try reader.optional { reader throws(Damage) in try reader.bool() }
        app = try reader.appState()
        user = try reader.fields()
        channels = try reader.list { reader throws(Damage) in
            Channel(id: try reader.text(), attributes: try reader.fields(), automatic: try reader.fields())
        }
        lastChannel = try reader.optionalText()
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
        let current = try reader.list { reader throws(Damage) in try reader.current() }
        sent = ShortList(Sent.merging(current, try reader.list { reader throws(Damage) in try reader.history() }))
        geotriggers = try reader.list { reader throws(Damage) in try reader.history() }
        tallies = try reader.list { reader throws(Damage) in
            Tally(campaign: try reader.text(), count: try reader.tally(), lastAt: try reader.instant())
        }
        requestKeys = FingerprintSet(try reader.list { reader throws(Damage) in try reader.fixed() })
        let latest = try reader.list { reader throws(Damage) in try reader.fixed() }
        states = SlotTable(try reader.list { reader throws(Damage) in try reader.slot() })
        let pages = version < Self.firstWithPages ? 0 : try reader.unsigned()
        guard pages == UInt64(self.pages), processed.count == self.pages * IDPage.count else { throw reader.damage }
        use.storedPages = UInt32(self.pages)
        for id in latest { processed.insert(id) }
    }
}

extension ByteWriter {
    fileprivate mutating func appState(_ state: SubjectRecord.AppState) {
        switch state {
        case .unknown: byte(0)
        case .foreground(let since):
            byte(1)
            instant(since)
        case .background(let since):
            byte(2)
            instant(since)
        }
    }

    fileprivate mutating func timer(_ timer: borrowing SubjectRecord.Timer) {
        instant(timer.due)
        unsigned(timer.sequence)
        text(timer.cause)
        text(timer.channel)
        text(timer.campaign)
        text(timer.trigger)
        text(timer.region)
        switch timer.purpose {
        case .dwell: byte(0)
        case .exit: byte(2)
        case .deferral(let deferred):
            // A purpose of its own for those with a category, so that the others stay as they always were.
            byte(deferred.category == nil ? 1 : 3)
            text(deferred.title)
            text(deferred.message)
            value(deferred.data)
            value(deferred.eventData)
            if let category = deferred.category { self.category(category) }
        }
    }

    private mutating func category(_ category: Signal.Category) {
        text(category.id)
        optional(category.buttons) { $0.list($1) { $0.value($1) } }
    }

    fileprivate mutating func current(_ current: borrowing SubjectRecord.Current) {
        text(current.notification)
        notice(current.notice)
        instant(current.createdAt)
        optional(current.openedAt) { $0.instant($1) }
        bool(current.isDeletedOnExit)
    }

    fileprivate mutating func history(_ entry: borrowing SubjectRecord.HistoryEntry) {
        text(entry.notification)
        notice(entry.notice)
        instant(entry.sentAt)
        optional(entry.openedAt) { $0.instant($1) }
    }

    private mutating func notice(_ notice: borrowing SubjectRecord.Notice) {
        text(notice.campaign)
        text(notice.trigger)
        text(notice.region)
        text(notice.channel)
        value(notice.eventData)
        content(notice.content)
    }

    private mutating func content(_ content: borrowing Decision.Content) {
        text(content.title)
        text(content.message)
        value(content.data)
        value(content.presentation)
        text(content.handler)
        text(content.category)
        value(content.buttons)
    }

    fileprivate mutating func fixed(_ list: ArraySlice<UInt64>) {
        unsigned(UInt64(list.count))
        for number in list { fixed(number) }
    }

    /// - Returns: false, with nothing written, if it remembers nothing.
    fileprivate mutating func slot(_ slot: UnsafeMutablePointer<Slot>) -> Bool {
        if slot.pointee.isKnownEmpty { return false }
        let place = count
        text(slot.pointee.owner.strategy)
        text(slot.pointee.owner.entry)
        text(slot.pointee.counter)
        fixed(slot.pointee.fingerprint)
        let values: Int
        switch slot.pointee.content {
        case .saved(let saved):
            unsigned(UInt64(saved.version))
            list(saved.values) { $0.pair($1) }
            values = saved.values.count
        case .live(let live):
            unsigned(UInt64(live.version))
            values = state(of: live)
        }
        guard values == 0 else { return true }
        cut(to: place)
        slot.pointee.isKnownEmpty = true
        return false
    }

    private mutating func pair(_ pair: SavedState.Pair) {
        text(pair.key)
        state(pair.value)
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
