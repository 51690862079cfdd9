import BelfryModel

extension SubjectRecord {
    /// What changes with nearly every signal.
    func writeHead(to writer: inout ByteWriter) {
        writer.instant(latest)
        writer.optional(isEnabled) { $0.bool($1) }
        writer.appState(app)
        if let particulars { writer.whereabouts(particulars) } else { writer.zeros(ByteWriter.whereaboutsMembers) }
        let pages = processed.count / PartSeal.idsOfPage
        let rest = processed.all[(pages * PartSeal.idsOfPage)...]
        writer.unsigned(UInt64(pages))
        writer.unsigned(UInt64(rest.count))
        writer.ids(rest)
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

    /// So many members, each of which begins with a zero if there is nothing.
    fileprivate static let whereaboutsMembers = 7

    fileprivate mutating func whereabouts(_ particulars: SubjectRecord.Particulars) {
        optional(particulars.position) {
            $0.number($1.latitude)
            $0.number($1.longitude)
        }
        list(particulars.presence) {
            $0.text($1.region)
            $0.bool($1.isInside)
            $0.instant($1.since)
            $0.bool($1.isReported)
        }
        list(particulars.proximity) {
            $0.text($1.region)
            $0.text($1.campaign)
            $0.text($1.trigger)
            $0.text($1.beacon)
        }
        list(particulars.watched.isEmpty ? [] : particulars.watched.sorted()) { $0.text($1) }
        list(particulars.timers) { $0.timer($1) }
        unsigned(particulars.nextSequence)
        unsigned(UInt64(particulars.requestKeys.count))
        ids(particulars.requestKeys.all[...])
    }

    private mutating func timer(_ timer: borrowing SubjectRecord.Timer) {
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

    /// Hashes, eight bytes each.
    mutating func ids(_ ids: Slice<UnsafeBufferPointer<UInt64>>) {
        // They lie in memory as they are written, the low byte first, as in all machines that Swift runs on.
        raw(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: ids)))
    }
}
