import BelfryModel

// The content of a stored record, in this order. A member is added at the end only, with a new version of the format.

extension Seal {
    /// Of a subject's record. Version 1 had no writer, version 2 another checksum, version 3 no parts, and everything in another order.
    package static let record = Seal(magic: "BLFR", version: 4, firstNamed: 2, firstByWords: 3, name: "a record")
}

extension SubjectRecord {
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
                if use.isBodyStored, let body = written.body { $0.raw(body) } else { writeBody(to: &$0) }
            }
        var lengthOfStates = 0
        let states = encode(.states, PartSeal.statesNumber, by: writer, beside: &known.states, in: &bytes, &parts) {
            lengthOfStates = writeStates(to: &$0)
        }
        written.keep(
            body: body.map { UnsafeRawBufferPointer(rebasing: bytes.bytes(from: 0)[$0]) },
            states: bytes.bytes(from: bytes.count - lengthOfStates))
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

    /// - Returns: how many bytes of it are states.
    private func writeStates(to writer: inout ByteWriter) -> Int {
        var length = 0
        writer.list { writer in
            let start = writer.count
            var count = 0
            var former = written.states
            states.forEachInOrder { if writer.slot($0, &former) { count += 1 } }
            length = writer.count - start
            return count
        }
        return length
    }

    /// What was sent, and geotriggers. A notice is written where it is needed first, and has a number from then on.
    private func writeSent(to writer: inout ByteWriter) {
        var shelf = NoticeShelf(capacity: sent.count + geotriggers.count)
        writer.unsigned(UInt64(sent.count))
        for place in sent.indices { writer.sent(sent[place], &shelf) }
        writer.unsigned(UInt64(geotriggers.count))
        for entry in geotriggers { writer.geotrigger(entry, &shelf) }
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

    /// - Parameter former: where it was written last, if it was; is moved on.
    /// - Returns: false, with nothing written, if it remembers nothing.
    fileprivate mutating func slot(_ slot: UnsafeMutablePointer<Slot>, _ former: inout UnsafeRawPointer?) -> Bool {
        let length = Int(slot.pointee.writtenLength)
        defer { former = former.map { $0 + length } }
        if length > 0, !slot.pointee.isTouched {  // then it was written
            raw(UnsafeRawBufferPointer(start: former!, count: length))
            return true
        }
        let start = count
        let isWritten = self.slot(slot)
        (slot.pointee.isTouched, slot.pointee.writtenLength) = (false, UInt32(count - start))
        return isWritten
    }

    private mutating func slot(_ slot: UnsafeMutablePointer<Slot>) -> Bool {
        if slot.pointee.isKnownEmpty { return false }
        let place = count
        Unmanaged.passUnretained(slot.pointee.owner)._withUnsafeGuaranteedRef { owner in
            if let names = owner.storedNames {
                raw(names)
            } else {
                text(owner.strategy)
                text(owner.entry)
            }
            text(slot.pointee.counter)
            fixed(owner.fingerprint)
        }
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
