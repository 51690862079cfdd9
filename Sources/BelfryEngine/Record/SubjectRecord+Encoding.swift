import BelfryModel

// The content of a stored record, in this order. A member is added at the end only, with a new version of the format.

extension Seal {
    /// Of a subject's record. Version 1 had no writer, version 2 another checksum, version 3 no parts, and everything in another order.
    package static let record = Seal(magic: "BLFR", version: 4, firstNamed: 2, firstByWords: 3, name: "a record")
}

extension SubjectRecord {
    private static let firstWithParts: UInt16 = 4

    /// The record as it is stored, in one piece. A slot whose strategy has nothing to remember is left out.
    ///
    /// - Parameter writer: the version of the belfry that stores it.
    public func encoded(by writer: String) -> [UInt8] {
        var bytes = ByteWriter()
        var known = StoredParts()
        let change = encode(by: writer, beside: &known, in: &bytes)
        return change.parts.flatMap(\.bytes) + change.bytes
    }

    /// What a store is to write that has all that this said before.
    ///
    /// - Parameter bytes: memory for it; what was in there is lost.
    package func change(by writer: String, in bytes: inout ByteWriter) -> Change {
        var known = storedParts
        var change = encode(by: writer, beside: &known, in: &bytes)
        storedParts = known
        change.keepsParts = !use.hasOtherParts
        (use.hasOtherParts, use.isBodyStored) = (false, true)
        return change
    }

    /// What a store is to write of a record.
    package struct Change {
        /// What comes after the parts.
        package let bytes: [UInt8]
        /// Those that are not in the store yet; no bytes: it is to go.
        package let parts: [Part]
        /// Whether the store keeps the others.
        package fileprivate(set) var keepsParts = true

        package typealias Part = (number: Int, bytes: [UInt8])
    }

    private func encode(by writer: String, beside known: inout StoredParts, in bytes: inout ByteWriter) -> Change {
        bytes.cut(to: 0)
        var parts: [Change.Part] = []
        // What was not touched since it was stored is not looked at.
        let body =
            known.body != nil && use.isBodyStored
            ? nil
            : encode(.body, PartSeal.bodyNumber, by: writer, beside: &known.body, in: &bytes, &parts) {
                writeBody(to: &$0)
            }
        let states = encode(.states, PartSeal.statesNumber, by: writer, beside: &known.states, in: &bytes, &parts) {
            writeStates(to: &$0)
        }
        parts += newPages(by: writer, beside: &known)
        let start = bytes.count
        Seal.record.close(writer: writer, in: &bytes) { bytes in
            writeHead(to: &bytes)
            bytes.optional(body) { $0.repeat($1) }
            bytes.optional(states) { $0.repeat($1) }
        }
        return Change(bytes: Array(bytes.bytes(from: start)), parts: parts)
    }

    /// Writes what is a part if it is large.
    ///
    /// - Returns: where it lies in the bytes; nil if it is a part.
    private func encode(
        _ part: PartSeal, _ number: Int, by writer: String, beside known: inout UInt64?, in bytes: inout ByteWriter,
        _ parts: inout [Change.Part], _ write: (inout ByteWriter) -> Void
    ) -> Range<Int>? {
        let start = bytes.count
        write(&bytes)
        let content = bytes.bytes(from: start)
        let isApart = content.count >= PartSeal.smallest
        let hash = isApart ? Seal.hash(content) : nil
        if hash != known {
            known = hash
            parts.append((number, isApart ? part.sealed(content, by: writer) : []))
        }
        return isApart ? nil : start..<bytes.count
    }

    private func newPages(by writer: String, beside known: inout StoredParts) -> [Change.Part] {
        let first = known.pages
        known.pages = processed.count / PartSeal.idsOfPage
        return (first..<known.pages).map { page in
            var content = ByteWriter()
            for id in processed.all[page * PartSeal.idsOfPage..<(page + 1) * PartSeal.idsOfPage] {
                content.fixed(id)
            }
            return (PartSeal.firstPageNumber + page, PartSeal.page.sealed(content.bytes(from: 0), by: writer))
        }
    }

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

    /// A copy of its own, states included.
    func copy() -> SubjectRecord {
        do {
            return try SubjectRecord(subject: subject, decoding: encoded(by: ""))
        } catch {
            preconditionFailure("a record that was just encoded cannot be decoded: \(error.reason)")
        }
    }

    // MARK: Writing

    /// What changes with nearly every signal.
    private func writeHead(to writer: inout ByteWriter) {
        writer.instant(latest)
        writer.optional(isEnabled) { $0.bool($1) }
        writer.appState(app)
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
        writer.fixed(requestKeys.all[...])
        let pages = processed.count / PartSeal.idsOfPage
        writer.unsigned(UInt64(pages))
        writer.fixed(processed.all[(pages * PartSeal.idsOfPage)...])
    }

    private func writeBody(to writer: inout ByteWriter) {
        writer.fields(user)
        writer.list(channels) {
            $0.text($1.id)
            $0.fields($1.attributes)
            $0.fields($1.automatic)
        }
        writer.text(lastChannel)
        writeSent(to: &writer)
        writer.list(counts.elements) {
            $0.text($1.campaign)
            $0.signed($1.count)
            $0.instant($1.lastAt)
        }
    }

    private func writeStates(to writer: inout ByteWriter) {
        writer.list { writer in
            var count = 0
            states.forEachInOrder { if writer.slot($0) { count += 1 } }
            return count
        }
    }

    /// What was sent, and geotriggers. A notice is written where it is needed first, and has a number from then on.
    private func writeSent(to writer: inout ByteWriter) {
        var shelf = NoticeShelf(capacity: sent.count + geotriggers.count)
        writer.unsigned(UInt64(sent.count))
        for place in sent.indices { writer.sent(sent[place], &shelf) }
        writer.unsigned(UInt64(geotriggers.count))
        for entry in geotriggers { writer.geotrigger(entry, &shelf) }
    }

    // MARK: Reading

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
        latest = try reader.instant()
        isEnabled = try reader.optional { reader throws(Damage) in try reader.bool() }
        app = try reader.appState()
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

    /// Of versions 1 to 3.
    private func readFirstFormat(from reader: inout ByteReader) throws(ByteReader.Damage) {
        typealias Damage = ByteReader.Damage
        latest = try reader.instant()
        isEnabled = try reader.optional { reader throws(Damage) in try reader.bool() }
        app = try reader.appState()
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

    fileprivate mutating func sent(_ sent: borrowing SubjectRecord.Sent, _ shelf: inout NoticeShelf) {
        text(sent.notification)
        notice(sent.notice, &shelf)
        instant(sent.at)
        optional(sent.openedAt) { $0.instant($1) }
        byte((sent.isCurrent ? 1 : 0) | (sent.isDeletedOnExit ? 2 : 0) | (sent.isInHistory ? 4 : 0))
    }

    fileprivate mutating func geotrigger(_ entry: SubjectRecord.HistoryEntry, _ shelf: inout NoticeShelf) {
        notice(entry.notice, &shelf)
        instant(entry.sentAt)
        optional(entry.openedAt) { $0.instant($1) }
    }

    private mutating func notice(_ notice: SubjectRecord.Notice, _ shelf: inout NoticeShelf) {
        let (number, isNew) = shelf.number(of: notice)
        unsigned(UInt64(number))
        if isNew { self.notice(notice) }
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
