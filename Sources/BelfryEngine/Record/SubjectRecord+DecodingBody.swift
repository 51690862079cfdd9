import BelfryModel

extension SubjectRecord {
    func readBody(from reader: inout ByteReader) throws(ByteReader.Damage) {
        try readAttributes(from: &reader)
        try readSent(from: &reader)
        otherTallies = try reader.list { reader throws(ByteReader.Damage) in try reader.tally() }
    }

    func readAttributes(from reader: inout ByteReader) throws(ByteReader.Damage) {
        user = try reader.fields()
        channels = try reader.list { reader throws(ByteReader.Damage) in
            Channel(id: try reader.text(), attributes: try reader.fields(), automatic: try reader.fields())
        }
        lastChannel = try reader.optionalText()
    }

    private func readSent(from reader: inout ByteReader) throws(ByteReader.Damage) {
        typealias Damage = ByteReader.Damage
        var notices: [Notice] = []
        var former = Instant(milliseconds: 0)
        sent = ShortList(
            try reader.list { reader throws(Damage) in
                let sent = try reader.sent(&notices, since: former)
                former = sent.at
                return sent
            })
        geotriggers = try reader.list { reader throws(Damage) in
            try reader.geotrigger(&notices) { reader throws(Damage) in try reader.notice() }
        }
    }
}

extension ByteReader {
    fileprivate mutating func sent(
        _ notices: inout [SubjectRecord.Notice], since former: Instant
    ) throws(Damage) -> SubjectRecord.Sent {
        let bits = try unsigned()
        let (number, marks) = SubjectRecord.Sent.numberAndMarks(bits)
        guard number <= SubjectRecord.Sent.largestNumber else { throw damage }
        let notice = try notice(&notices) { reader throws(Damage) in try reader.notice() }
        let at = try instant(after: former)
        let openedAt = marks.contains(.opened) ? try instant(after: at) : nil
        return SubjectRecord.Sent(
            number: number, notice: notice, at: at, openedAt: openedAt, marks: marks)
    }

    private mutating func instant(after former: Instant) throws(Damage) -> Instant {
        Instant(milliseconds: former.milliseconds &+ (try signed()))
    }

    mutating func geotrigger(
        _ notices: inout [SubjectRecord.Notice],
        _ read: (inout ByteReader) throws(Damage) -> SubjectRecord.Notice
    ) throws(Damage) -> SubjectRecord.HistoryEntry {
        SubjectRecord.HistoryEntry(
            notification: nil, notice: try notice(&notices, read), sentAt: try instant(),
            openedAt: try optional { reader throws(Damage) in try reader.instant() })
    }

    /// By its number, or a new one.
    mutating func notice(
        _ notices: inout [SubjectRecord.Notice],
        _ read: (inout ByteReader) throws(Damage) -> SubjectRecord.Notice
    ) throws(Damage) -> SubjectRecord.Notice {
        let number = try unsigned()
        guard number <= UInt64(notices.count) else { throw damage }
        if number == UInt64(notices.count) { notices.append(try read(&self)) }
        return notices[Int(number)]
    }

    fileprivate mutating func notice() throws(Damage) -> SubjectRecord.Notice {
        let content = try raw(try count())
        guard let notices else { return try Self.notice(content) }
        return try notices.notice(content) { () throws(Damage) in try Self.notice(content) }
    }

    private static func notice(_ content: ArraySlice<UInt8>) throws(Damage) -> SubjectRecord.Notice {
        var reader = ByteReader(content)
        let notice = try reader.noticeContent()
        try reader.end()
        return notice
    }

    private mutating func noticeContent() throws(Damage) -> SubjectRecord.Notice {
        let campaign = try text()
        let parts = SubjectRecord.NoticeParts(rawValue: try unsigned())
        guard parts.isSubset(of: .all) else { throw damage }
        var content = Decision.Content()
        if parts.contains(.title) { content.title = try text() }
        if parts.contains(.message) { content.message = try text() }
        let trigger = parts.contains(.trigger) ? try text() : nil
        let region = parts.contains(.region) ? try text() : nil
        if parts.contains(.data) { content.data = try value() }
        content.handler = parts.contains(.handler) ? try text() : SubjectRecord.NoticeParts.usualHandler
        if parts.contains(.presentation) { content.presentation = try value() }
        let channel = parts.contains(.channel) ? try text() : nil
        let eventData = parts.contains(.eventData) ? try value() : nil
        if parts.contains(.category) { content.category = try text() }
        if parts.contains(.buttons) { content.buttons = try value() }
        return SubjectRecord.Notice(
            campaign: campaign, trigger: trigger, region: region, channel: channel, eventData: eventData,
            content: content)
    }

    mutating func tally() throws(Damage) -> SubjectRecord.Tally {
        SubjectRecord.Tally(
            campaign: try text(), count: try number(upTo: SubjectRecord.Sent.largestNumber), lastAt: try instant())
    }
}
