import BelfryModel

extension SubjectRecord {
    /// A notification: current until it is deleted, and in the history until that is cleared or too long. One that is both is kept once.
    ///
    /// The newest one of a campaign tells how often that was created.
    struct Sent {
        let notice: Notice
        let at: Instant
        private var firstOpenedAt: Instant
        /// The number, and below it the marks: its campaign is the notice's, and so its id need not be kept.
        private(set) var bits: UInt64

        struct Marks: OptionSet {
            let rawValue: UInt64

            static let current = Marks(rawValue: 1)
            static let deletedOnExit = Marks(rawValue: 2)
            static let inHistory = Marks(rawValue: 4)
            static let newest = Marks(rawValue: 8)
            static let opened = Marks(rawValue: 16)

            fileprivate static let width: UInt64 = 5
            fileprivate static let all = Marks(rawValue: 1 << width - 1)
        }

        /// - Parameter number: up to `largestNumber`.
        init(number: Int64, notice: Notice, at: Instant, openedAt: Instant? = nil, marks: Marks) {
            (self.notice, self.at) = (notice, at)
            firstOpenedAt = openedAt ?? at
            bits = UInt64(number) << Marks.width | marks.subtracting(.opened).rawValue
            if openedAt != nil { bits |= Marks.opened.rawValue }
        }

        /// As far as numbers that were stored are believed, so that they bear to be counted on.
        static let largestNumber = Int64.max >> Int64(Marks.width + 1)

        static func numberAndMarks(_ bits: UInt64) -> (number: Int64, marks: Marks) {
            (Int64(bits >> Marks.width), Marks(rawValue: bits).intersection(.all))
        }

        var number: Int64 { Int64(bits >> Marks.width) }
        var notification: String { SubjectRecord.notification(notice.campaign, number) }

        var openedAt: Instant? {
            get { self[.opened] ? firstOpenedAt : nil }
            set {
                firstOpenedAt = newValue ?? at
                self[.opened] = newValue != nil
            }
        }

        subscript(mark: Marks) -> Bool {
            get { bits & mark.rawValue != 0 }
            set { bits = newValue ? bits | mark.rawValue : bits & ~mark.rawValue }
        }

        func isOf(_ campaign: String) -> Bool { notice.campaign.isSameText(as: campaign) }

        func isNotification(_ id: (campaign: String, number: Int64)) -> Bool {
            number == id.number && isOf(id.campaign)
        }

        /// Whether it is where it was put, and only newer ones make it leave.
        fileprivate var isUntouched: Bool {
            let places: Marks = [.current, .inHistory]
            return bits & places.union(.deletedOnExit).rawValue == places.rawValue
        }

        fileprivate var isForgotten: Bool { bits & (Marks.current.rawValue | Marks.inHistory.rawValue) == 0 }
    }

    /// Those that were created and not deleted yet, oldest first.
    public var current: [Current] { sent.elements.compactMap { $0[.current] ? Current($0) : nil } }

    /// The history, oldest first.
    public var notifications: [HistoryEntry] { sent.elements.compactMap { $0[.inHistory] ? HistoryEntry($0) : nil } }

    func current(_ notification: String) -> Current? {
        guard let id = Self.parts(of: notification) else { return nil }
        return sent.elements.first { $0[.current] && $0.isNotification(id) }.map { Current($0) }
    }

    /// It is current no longer.
    func delete(_ notification: String) {
        guard let id = Self.parts(of: notification) else { return }
        for place in sent.indices where sent[place].isNotification(id) { sent[place][.current] = false }
        forget()
    }

    func clearHistory() {
        for place in sent.indices { sent[place][.inHistory] = false }
        forget()
    }

    /// Of the history, and of current notifications that only a request can delete, keeps the newest: a record must not grow for ever.
    func forgetOldest(keeping limit: Int) {
        guard sent.count > limit else { return }
        // Nearly always the oldest one leaves both.
        if limit > 0, sent.elements.allSatisfy({ $0.isUntouched }) { return forgetFirst(sent.count - limit) }
        forgetOldest(ofTouched: limit)
    }

    private func forgetFirst(_ surplus: Int) {
        for place in 0..<surplus where sent[place][.newest] { otherTallies.append(Tally(sent[place])) }
        sent.removeFirst(surplus)
    }

    @inline(never)
    private func forgetOldest(ofTouched limit: Int) {
        var (inHistory, current) = (0, 0)
        for place in sent.indices.reversed() {
            inHistory += sent[place][.inHistory] ? 1 : 0
            current += sent[place][.current] && !sent[place][.deletedOnExit] ? 1 : 0
            if inHistory > limit { sent[place][.inHistory] = false }
            if current > max(1, limit), !sent[place][.deletedOnExit] { sent[place][.current] = false }
        }
        forget()
    }

    /// Lets go of what is neither current nor in the history, but not of how often its campaign was created.
    private func forget() {
        for place in sent.indices where sent[place].isForgotten && sent[place][.newest] {
            otherTallies.append(Tally(sent[place]))
        }
        sent.removeAll { $0.isForgotten }
    }

    /// Notes that a notification was opened, and returns when it first was.
    func open(_ id: (campaign: String, number: Int64), at now: Instant) -> Instant {
        let places = sent.indices.filter { sent[$0].isNotification(id) }
        let first = places.compactMap { sent[$0].openedAt }.first ?? now
        for place in places { sent[place].openedAt = first }
        return first
    }
}

extension SubjectRecord.Current {
    init(_ sent: SubjectRecord.Sent) {
        self.init(
            notification: sent.notification, notice: sent.notice, createdAt: sent.at, openedAt: sent.openedAt,
            isDeletedOnExit: sent[.deletedOnExit])
    }
}

extension SubjectRecord.HistoryEntry {
    init(_ sent: SubjectRecord.Sent) {
        self.init(notification: sent.notification, notice: sent.notice, sentAt: sent.at, openedAt: sent.openedAt)
    }
}
