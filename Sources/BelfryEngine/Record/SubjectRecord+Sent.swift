import BelfryModel

extension SubjectRecord {
    /// A notification: current until it is deleted, and in the history until that is cleared or too long. One that is both is kept once.
    struct Sent {
        let notification: String
        let notice: Notice
        let at: Instant
        var openedAt: Instant?
        var isCurrent = true
        var isDeletedOnExit = false
        var isInHistory = true

        fileprivate var isForgotten: Bool { !isCurrent && !isInHistory }
    }

    /// Those that were created and not deleted yet, oldest first.
    public var current: [Current] { sent.elements.compactMap { $0.isCurrent ? Current($0) : nil } }

    /// The history, oldest first.
    public var notifications: [HistoryEntry] { sent.elements.compactMap { $0.isInHistory ? HistoryEntry($0) : nil } }

    func current(_ notification: String) -> Current? {
        sent.elements.first { $0.isCurrent && $0.notification == notification }.map { Current($0) }
    }

    /// It is current no longer.
    func delete(_ notification: String) {
        for place in sent.indices where sent[place].notification == notification { sent[place].isCurrent = false }
        sent.removeAll { $0.isForgotten }
    }

    func clearHistory() {
        for place in sent.indices { sent[place].isInHistory = false }
        sent.removeAll { $0.isForgotten }
    }

    /// Of the history, and of current notifications that only a request can delete, keeps the newest: a record must not grow for ever.
    func forgetOldest(keeping limit: Int) {
        guard sent.count > limit else { return }
        var (inHistory, current) = (0, 0)
        for place in sent.indices.reversed() {
            inHistory += sent[place].isInHistory ? 1 : 0
            current += sent[place].isCurrent && !sent[place].isDeletedOnExit ? 1 : 0
            if inHistory > limit { sent[place].isInHistory = false }
            if current > max(1, limit), !sent[place].isDeletedOnExit { sent[place].isCurrent = false }
        }
        sent.removeAll { $0.isForgotten }
    }

    /// Notes that a notification was opened, and returns when it first was.
    func open(_ notification: String, at now: Instant) -> Instant {
        let places = sent.indices.filter { sent[$0].notification == notification }
        let first = places.compactMap { sent[$0].openedAt }.first ?? now
        for place in places { sent[place].openedAt = first }
        return first
    }
}

extension SubjectRecord.Sent {
    fileprivate init(_ current: SubjectRecord.Current, isInHistory: Bool) {
        self.init(
            notification: current.notification, notice: current.notice, at: current.createdAt,
            openedAt: current.openedAt, isDeletedOnExit: current.isDeletedOnExit, isInHistory: isInHistory)
    }

    fileprivate init(_ entry: SubjectRecord.HistoryEntry) {
        self.init(
            notification: entry.notification ?? "", notice: entry.notice, at: entry.sentAt, openedAt: entry.openedAt,
            isCurrent: false)
    }

    /// Both lists in one, in their order.
    static func merging(
        _ current: [SubjectRecord.Current], _ history: [SubjectRecord.HistoryEntry]
    ) -> [SubjectRecord.Sent] {
        var sent: [SubjectRecord.Sent] = []
        sent.reserveCapacity(max(current.count, history.count))
        var rest = current[...]
        for entry in history {
            while let first = rest.first, first.createdAt < entry.sentAt {
                sent.append(SubjectRecord.Sent(first, isInHistory: false))
                rest.removeFirst()
            }
            let both = rest.first.map { SubjectRecord.Sent($0, isInHistory: true) }
            if let both, SubjectRecord.HistoryEntry(both) == entry {
                sent.append(both)
                rest.removeFirst()
            } else {
                sent.append(SubjectRecord.Sent(entry))
            }
        }
        return sent + rest.map { SubjectRecord.Sent($0, isInHistory: false) }
    }
}

extension SubjectRecord.Current {
    init(_ sent: SubjectRecord.Sent) {
        self.init(
            notification: sent.notification, notice: sent.notice, createdAt: sent.at, openedAt: sent.openedAt,
            isDeletedOnExit: sent.isDeletedOnExit)
    }
}

extension SubjectRecord.HistoryEntry {
    init(_ sent: SubjectRecord.Sent) {
        self.init(notification: sent.notification, notice: sent.notice, sentAt: sent.at, openedAt: sent.openedAt)
    }
}
