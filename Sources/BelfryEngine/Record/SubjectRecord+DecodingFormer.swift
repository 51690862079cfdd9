import BelfryModel

// What was written by earlier belfries.

/// What tells formats of records apart.
enum FormerFormat {
    /// The version of a record that first had parts: the one before today's.
    static let firstWithParts: UInt16 = 4
    /// The version of its body and its states, where these were parts.
    static let ofParts: UInt16 = 1
}

// MARK: Version 4: notifications by their ids, every campaign counted, each state with its owner

extension SubjectRecord {
    func readFormerBody(from reader: inout ByteReader) throws(ByteReader.Damage) {
        typealias Damage = ByteReader.Damage
        try readAttributes(from: &reader)
        var notices: [Notice] = []
        sent = ShortList(try reader.list { reader throws(Damage) in try reader.formerSent(&notices) })
        geotriggers = try reader.list { reader throws(Damage) in
            try reader.geotrigger(&notices) { reader throws(Damage) in try reader.formerNotice() }
        }
        take(try reader.list { reader throws(Damage) in try reader.tally() })
    }

    func readFormerStates(from reader: inout ByteReader) throws(ByteReader.Damage) {
        states = SlotTable(try reader.list { reader throws(ByteReader.Damage) in try reader.formerSlot() })
    }
}

extension ByteReader {
    fileprivate mutating func formerSent(
        _ notices: inout [SubjectRecord.Notice]
    ) throws(Damage) -> SubjectRecord.Sent {
        let id = try text()
        let notice = try notice(&notices) { reader throws(Damage) in try reader.formerNotice() }
        let at = try instant()
        let openedAt = try optional { reader throws(Damage) in try reader.instant() }
        // The marks that there were then have kept their places.
        let marks = SubjectRecord.Sent.Marks(rawValue: UInt64(try byte() & 7))
        guard let sent = SubjectRecord.Sent(id, notice, at: at, openedAt: openedAt, marks: marks) else { throw damage }
        return sent
    }

    fileprivate mutating func formerNotice() throws(Damage) -> SubjectRecord.Notice {
        SubjectRecord.Notice(
            campaign: try text(), trigger: try optionalText(), region: try optionalText(),
            channel: try optionalText(), eventData: try optionalValue(), content: try formerContent())
    }

    private mutating func formerContent() throws(Damage) -> Decision.Content {
        Decision.Content(
            title: try optionalText(), message: try optionalText(), data: try optionalValue(),
            presentation: try optionalValue(),
            handler: try text(), category: try optionalText(), buttons: try optionalValue())
    }

    fileprivate mutating func formerSlot() throws(Damage) -> Slot {
        let (strategy, entry, counter) = (try text(), try text(), try optionalText())
        let fingerprint = try fixed()
        var saved = SavedState(version: UInt32(truncatingIfNeeded: try unsigned()))
        saved.values = try savedValues()
        return Slot(
            owner: SlotOwner(
                strategy: strategy, entry: entry, fingerprint: fingerprint, hash: SlotOwner.hash(strategy, entry),
                saved: saved),
            counter: counter)
    }
}

// MARK: Versions 1 to 3: no parts, the current notifications and the history apart

extension SubjectRecord {
    /// What follows the beginning.
    func readFormerRecord(from reader: inout ByteReader) throws(ByteReader.Damage) {
        typealias Damage = ByteReader.Damage
        try readAttributes(from: &reader)
        try readPlaces(from: &reader)
        let current = try reader.list { reader throws(Damage) in try reader.formerCurrent() }
        let history = try reader.list { reader throws(Damage) in try reader.formerHistory() }
        guard let sent = Sent.merging(current, history) else { throw reader.damage }
        self.sent = ShortList(sent)
        geotriggers = try reader.list { reader throws(Damage) in try reader.formerHistory() }
        take(try reader.list { reader throws(Damage) in try reader.tally() })
        try readRequestKeys(from: &reader)
        try reader.ids(try reader.count(), into: &processed)
        try readFormerStates(from: &reader)
    }
}

extension ByteReader {
    fileprivate mutating func formerCurrent() throws(Damage) -> SubjectRecord.Current {
        SubjectRecord.Current(
            notification: try text(), notice: try formerNotice(), createdAt: try instant(),
            openedAt: try optional { reader throws(Damage) in try reader.instant() }, isDeletedOnExit: try bool())
    }

    fileprivate mutating func formerHistory() throws(Damage) -> SubjectRecord.HistoryEntry {
        SubjectRecord.HistoryEntry(
            notification: try optionalText(), notice: try formerNotice(), sentAt: try instant(),
            openedAt: try optional { reader throws(Damage) in try reader.instant() })
    }
}

extension SubjectRecord.Sent {
    /// Nil if the id is none of the notice's campaign.
    fileprivate init?(
        _ id: String?, _ notice: SubjectRecord.Notice, at: Instant, openedAt: Instant?, marks: Marks
    ) {
        guard let id = id.flatMap({ SubjectRecord.parts(of: $0) }), id.campaign == notice.campaign,
            id.number <= Self.largestNumber
        else { return nil }
        self.init(number: id.number, notice: notice, at: at, openedAt: openedAt, marks: marks)
    }

    private init?(_ current: SubjectRecord.Current) {
        self.init(
            current.notification, current.notice, at: current.createdAt, openedAt: current.openedAt,
            marks: current.isDeletedOnExit ? [.current, .deletedOnExit] : .current)
    }

    private init?(_ entry: SubjectRecord.HistoryEntry) {
        self.init(entry.notification, entry.notice, at: entry.sentAt, openedAt: entry.openedAt, marks: .inHistory)
    }

    /// Both lists in one, in their order.
    ///
    /// - Returns: nil if something has no id of its campaign.
    fileprivate static func merging(
        _ current: [SubjectRecord.Current], _ history: [SubjectRecord.HistoryEntry]
    ) -> [SubjectRecord.Sent]? {
        var sent: [SubjectRecord.Sent?] = []
        sent.reserveCapacity(max(current.count, history.count))
        var rest = current[...]
        for entry in history {
            while let first = rest.first, first.createdAt < entry.sentAt {
                sent.append(SubjectRecord.Sent(first))
                rest.removeFirst()
            }
            var both = rest.first.flatMap { SubjectRecord.Sent($0) }
            if let found = both, SubjectRecord.HistoryEntry(found) == entry {
                both?[.inHistory] = true
                sent.append(both)
                rest.removeFirst()
            } else {
                sent.append(SubjectRecord.Sent(entry))
            }
        }
        sent += rest.map { SubjectRecord.Sent($0) }
        let known = sent.compactMap { $0 }
        return known.count == sent.count ? known : nil
    }
}
