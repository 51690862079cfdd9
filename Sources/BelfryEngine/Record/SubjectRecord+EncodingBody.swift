import BelfryModel

extension SubjectRecord {
    /// What changes now and then.
    func writeBody(to writer: inout ByteWriter) {
        writer.fields(user)
        writer.list(channels) {
            $0.text($1.id)
            $0.fields($1.attributes)
            $0.fields($1.automatic)
        }
        writer.text(lastChannel)
        writeSent(to: &writer)
        writer.list(otherTallies) {
            $0.text($1.campaign)
            $0.signed($1.count)
            $0.instant($1.lastAt)
        }
    }

    /// What was sent, and geotriggers. A notice is written where it is needed first, and has a number from then on.
    private func writeSent(to writer: inout ByteWriter) {
        var shelf = NoticeShelf(capacity: sent.count + geotriggers.count)
        var former = Instant(milliseconds: 0)
        writer.unsigned(UInt64(sent.count))
        for place in sent.indices { writer.sent(sent[place], &shelf, since: &former) }
        writer.unsigned(UInt64(geotriggers.count))
        for entry in geotriggers { writer.geotrigger(entry, &shelf) }
    }
}

extension ByteWriter {
    /// Instants are told by how long they are after the one before, and when it was opened by how long after it was sent.
    fileprivate mutating func sent(
        _ sent: borrowing SubjectRecord.Sent, _ shelf: inout NoticeShelf, since former: inout Instant
    ) {
        unsigned(sent.bits)
        notice(sent.notice, &shelf)
        distance(from: former, to: sent.at)
        if let openedAt = sent.openedAt { distance(from: sent.at, to: openedAt) }
        former = sent.at
    }

    private mutating func distance(from former: Instant, to instant: Instant) {
        signed(instant.milliseconds &- former.milliseconds)
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

    private mutating func notice(_ notice: SubjectRecord.Notice) {
        if let stored = notice.stored {
            unsigned(UInt64(stored.count))
            raw(stored)
        } else {
            list { writer in
                let place = writer.count
                writer.content(of: notice)
                return writer.count - place
            }
        }
    }

    /// Its campaign, what else it has, and that in the order of `NoticeParts`.
    mutating func content(of notice: SubjectRecord.Notice) {
        text(notice.campaign)
        unsigned(SubjectRecord.NoticeParts(notice).rawValue)
        text(ifAny: notice.content.title)
        text(ifAny: notice.content.message)
        text(ifAny: notice.trigger)
        text(ifAny: notice.region)
        value(ifAny: notice.content.data)
        if notice.content.handler != SubjectRecord.NoticeParts.usualHandler { text(notice.content.handler) }
        value(ifAny: notice.content.presentation)
        text(ifAny: notice.channel)
        value(ifAny: notice.eventData)
        text(ifAny: notice.content.category)
        value(ifAny: notice.content.buttons)
    }

    private mutating func text(ifAny text: String?) { if let text { self.text(text) } }
    private mutating func value(ifAny value: Value?) { if let value { self.value(value) } }
}

extension SubjectRecord {
    /// What a notice has besides its campaign. What most of them have comes first: then this is one byte.
    struct NoticeParts: OptionSet {
        let rawValue: UInt64

        static let title = NoticeParts(rawValue: 1)
        static let message = NoticeParts(rawValue: 2)
        static let trigger = NoticeParts(rawValue: 4)
        static let region = NoticeParts(rawValue: 8)
        static let data = NoticeParts(rawValue: 16)
        /// Another one than the usual.
        static let handler = NoticeParts(rawValue: 32)
        static let presentation = NoticeParts(rawValue: 64)
        static let channel = NoticeParts(rawValue: 128)
        static let eventData = NoticeParts(rawValue: 256)
        static let category = NoticeParts(rawValue: 512)
        static let buttons = NoticeParts(rawValue: 1024)

        static let all = NoticeParts(rawValue: 2047)
        static let usualHandler = "none"
    }
}

extension SubjectRecord.NoticeParts {
    fileprivate init(_ notice: SubjectRecord.Notice) {
        self.init()
        let content = notice.content
        if content.title != nil { insert(.title) }
        if content.message != nil { insert(.message) }
        if notice.trigger != nil { insert(.trigger) }
        if notice.region != nil { insert(.region) }
        if content.data != nil { insert(.data) }
        if content.handler != Self.usualHandler { insert(.handler) }
        if content.presentation != nil { insert(.presentation) }
        if notice.channel != nil { insert(.channel) }
        if notice.eventData != nil { insert(.eventData) }
        if content.category != nil { insert(.category) }
        if content.buttons != nil { insert(.buttons) }
    }
}
