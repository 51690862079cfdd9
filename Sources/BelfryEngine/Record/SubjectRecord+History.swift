import BelfryModel

extension SubjectRecord {
    /// What was sent, newest last.
    ///
    /// - Parameter since: leaves out what was sent before (Plot Projects: a list of what was sent since the app was last opened).
    public func history(since: Instant? = nil) -> (notifications: [HistoryEntry], geotriggers: [HistoryEntry]) {
        let since = since ?? .distantPast
        return (notifications.filter { $0.sentAt >= since }, geotriggers.filter { $0.sentAt >= since })
    }
}

extension SubjectRecord.HistoryEntry {
    /// As in `belfry state history --json`. Where there is no notification that could be opened, it has `handledAt`.
    public var summary: Fields {
        var fields = Fields()
        fields["notification"] = notification.map { .text($0) }
        fields["campaign"] = .text(snapshot.campaign)
        fields["title"] = snapshot.content.title.map { .text($0) }
        fields["message"] = snapshot.content.message.map { .text($0) }
        fields["data"] = snapshot.content.data
        fields["sentAt"] = .text(sentAt.description)
        fields[notification == nil ? "handledAt" : "openedAt"] = openedAt.map { .text($0.description) }
        return fields
    }
}
