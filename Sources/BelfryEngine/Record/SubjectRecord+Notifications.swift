import BelfryModel

// Notifications that are current or in the history, and geotriggers that fired: one behind the other, the oldest first.
//
//     size  what
//     4     length of the entry
//     2     marks: 1 current, 2 deleted on exit, 4 in the history, 8 opened
//     2     what follows: see `Parts`
//     8     when it was created, in ms
//     4     its number
//     4     the place of its campaign in the section of campaigns
//     8     when it was first opened, or handled, in ms, if it was
//     …     the parts, in their order

extension SubjectRecord {
    /// What a notification or geotrigger came of and what it showed, as it was created, whatever becomes of its campaign.
    public struct Snapshot: Sendable, Hashable {
        public var campaign: String
        public var trigger: String?
        public var region: String?
        public var channel: String?
        public var eventData: Value?
        public var content: Decision.Content
    }

    /// A notification that was created and not deleted yet.
    @dynamicMemberLookup
    public struct Current: Sendable, Hashable {
        public var notification: String
        public var snapshot: Snapshot
        public var createdAt: Instant
        public var openedAt: Instant?
        /// Leaving its region puts it up for deletion.
        public var isDeletedOnExit: Bool

        public subscript<Member>(dynamicMember member: KeyPath<Snapshot, Member>) -> Member {
            snapshot[keyPath: member]
        }
    }

    @dynamicMemberLookup
    public struct HistoryEntry: Sendable, Hashable {
        /// Nil for a geotrigger.
        public var notification: String?
        public var snapshot: Snapshot
        public var sentAt: Instant
        /// When it was first opened, or handled.
        public var openedAt: Instant?

        public subscript<Member>(dynamicMember member: KeyPath<Snapshot, Member>) -> Member {
            snapshot[keyPath: member]
        }
    }

    struct Marks: OptionSet {
        let rawValue: UInt16

        static let current = Marks(rawValue: 1)
        static let deletedOnExit = Marks(rawValue: 2)
        static let inHistory = Marks(rawValue: 4)
        static let opened = Marks(rawValue: 8)
        static let all = Marks(rawValue: 15)

        /// Whether only a request can delete it.
        var isHeld: Bool { intersection([.current, .deletedOnExit]) == .current }
    }

    /// Where an entry lies, from the beginning of the header.
    private struct Entry {
        let offset: Int
    }

    private static let fixedEntrySize = 24

    // MARK: Reading

    /// Those that were created and not deleted yet, oldest first.
    public var current: [Current] {
        entries(in: .notifications).compactMap { marks($0).contains(.current) ? current(at: $0) : nil }
    }

    /// How many there are.
    var currentCount: Int {
        var count = 0
        forEachEntry(in: .notifications) { if marks($0).contains(.current) { count += 1 } }
        return count
    }

    /// The history, oldest first.
    public var notifications: [HistoryEntry] {
        entries(in: .notifications).compactMap { marks($0).contains(.inHistory) ? historyEntry(at: $0) : nil }
    }

    public var geotriggers: [HistoryEntry] { entries(in: .geotriggers).map { historyEntry(at: $0) } }

    func current(_ notification: String) -> Current? {
        entries(ofNotification: notification).first { marks($0).contains(.current) }.map { current(at: $0) }
    }

    /// Those that were created for one of these regions and not deleted yet, oldest first.
    func current(in regions: [String]) -> [Current] {
        var current: [Current] = []
        forEachEntry(in: .notifications) { entry in
            if marks(entry).contains(.current), isCreated(entry, in: regions) {
                current.append(self.current(at: entry))
            }
        }
        return current
    }

    // MARK: Writing

    /// Adds a notification that was created, or a geotrigger that fired.
    mutating func add(
        _ snapshot: StoredSnapshot, to section: Section, number: UInt32, campaign: Int, at now: Instant,
        openedAt: Instant? = nil, marks: Marks
    ) {
        let length = Self.fixedEntrySize + (openedAt == nil ? 0 : 8) + snapshot.bytes.count
        let offset = block.extend(section, by: length)
        recount(from: [], to: marks)
        block.store(UInt32(length), at: offset)
        block.store(marks.union(openedAt == nil ? [] : .opened).rawValue, at: offset + 4)
        block.store(snapshot.parts.rawValue, at: offset + 6)
        block.store(now.milliseconds, at: offset + 8)
        block.store(number, at: offset + 16)
        block.store(UInt32(campaign), at: offset + 20)
        if let openedAt { block.store(openedAt.milliseconds, at: offset + 24) }
        snapshot.bytes.withUnsafeBytes { block.copy($0, to: offset + length - $0.count) }
    }

    /// It is current no longer.
    mutating func delete(_ notification: String) {
        for entry in entries(ofNotification: notification) { setMarks(marks(entry).subtracting(.current), on: entry) }
        forget()
    }

    mutating func clearHistory() {
        for entry in entries(in: .notifications) { setMarks(marks(entry).subtracting(.inHistory), on: entry) }
        forget()
    }

    mutating func clearGeotriggers() { empty(.geotriggers) }

    /// Notes that a notification was opened, and returns when it first was.
    mutating func open(_ notification: String, at now: Instant) -> Instant {
        guard let entry = entries(ofNotification: notification).first else { return now }
        if let first = openedAt(entry) { return first }
        setOpened(now, on: entry, in: .notifications)
        return now
    }

    /// Takes back that the last geotrigger of a campaign that fired then was handled.
    mutating func markUnhandled(_ campaign: String, firedAt time: Instant) {
        let index = index(ofCampaign: campaign)
        let entry = entries(in: .geotriggers).last {
            self.campaign($0) == index && createdAt($0) == time && openedAt($0) != nil
        }
        if let entry { setOpened(nil, on: entry, in: .geotriggers) }
    }

    /// Keeps the newest: a record does not grow for ever.
    ///
    /// - Parameters:
    ///   - limit: of the history.
    ///   - current: of current notifications that only a request can delete; at least one.
    mutating func forgetOldestNotifications(keeping limit: Int, current: Int) {
        var (history, held) = (Int(block[.inHistory]) - limit, Int(block[.held]) - max(1, current))
        guard history > 0 || held > 0 else { return }
        forget { marks in
            if history <= 0, held <= 0 { return false }
            let former = marks
            if former.contains(.inHistory) {
                if history > 0 { marks.remove(.inHistory) }
                history -= 1
            }
            if former.isHeld {
                if held > 0 { marks.remove(.current) }
                held -= 1
            }
            return true
        }
    }

    /// Keeps the newest geotriggers.
    mutating func forgetOldestGeotriggers(keeping limit: Int) {
        var count = 0
        forEachEntry(in: .geotriggers) { _ in count += 1 }
        let range = block.range(of: .geotriggers)
        var end = range.lowerBound
        while count > limit {
            end += length(Entry(offset: end))
            count -= 1
        }
        if end == range.lowerBound { return }
        block.resize(.geotriggers, range.lowerBound..<end, to: 0)
    }

    /// Lets go of notifications that are neither current nor in the history, as `change` leaves their marks, the oldest first.
    ///
    /// - Parameter change: returns false when nothing more is to be let go of.
    private mutating func forget(_ change: (inout Marks) -> Bool = { _ in true }) {
        var offset = block.range(of: .notifications).lowerBound
        while offset < block.range(of: .notifications).upperBound {
            let entry = Entry(offset: offset)
            var marks = marks(entry)
            guard change(&marks) else { return }
            let length = length(entry)
            setMarks(marks, on: entry)
            if marks.isDisjoint(with: [.current, .inHistory]) {
                block.resize(.notifications, offset..<offset + length, to: 0)
            } else {
                offset += length
            }
        }
    }

    // MARK: Entries

    private func forEachEntry(in section: Section, _ body: (Entry) -> Void) {
        let range = block.range(of: section)
        var offset = range.lowerBound
        while offset < range.upperBound {
            body(Entry(offset: offset))
            offset += length(Entry(offset: offset))
        }
    }

    private func entries(in section: Section) -> [Entry] {
        var entries: [Entry] = []
        forEachEntry(in: section) { entries.append($0) }
        return entries
    }

    private func entries(ofNotification id: String) -> [Entry] {
        guard let id = Self.parts(of: id), let campaign = index(ofCampaign: id.campaign) else { return [] }
        return entries(in: .notifications).filter { number($0) == id.number && self.campaign($0) == campaign }
    }

    private func length(_ entry: Entry) -> Int { Int(block.number(at: entry.offset, as: UInt32.self)) }
    private func marks(_ entry: Entry) -> Marks { Marks(rawValue: block.number(at: entry.offset + 4)) }
    private func createdAt(_ entry: Entry) -> Instant { Instant(milliseconds: block.number(at: entry.offset + 8)) }
    private func number(_ entry: Entry) -> Int64 { Int64(block.number(at: entry.offset + 16, as: UInt32.self)) }
    private func campaign(_ entry: Entry) -> Int { Int(block.number(at: entry.offset + 20, as: UInt32.self)) }

    private func openedAt(_ entry: Entry) -> Instant? {
        marks(entry).contains(.opened) ? Instant(milliseconds: block.number(at: entry.offset + 24)) : nil
    }

    private mutating func setMarks(_ marks: Marks, on entry: Entry) {
        recount(from: self.marks(entry), to: marks)
        block.store(marks.rawValue, at: entry.offset + 4)
    }

    /// The header has how many notifications are in the history, and how many are held, so that they need not be counted.
    private mutating func recount(from old: Marks, to new: Marks) {
        func difference(_ isCounted: (Marks) -> Bool) -> UInt32 {
            (isCounted(new) ? 1 : 0) &- (isCounted(old) ? 1 : 0)
        }
        block[.inHistory] &+= difference { $0.contains(.inHistory) }
        block[.held] &+= difference(\.isHeld)
    }

    /// Whether the header counts what there is.
    var isCountSound: Bool {
        var (history, held) = (0, 0)
        forEachEntry(in: .notifications) { entry in
            if marks(entry).contains(.inHistory) { history += 1 }
            if marks(entry).isHeld { held += 1 }
        }
        return block[.inHistory] == history && block[.held] == held
    }

    private mutating func setOpened(_ instant: Instant?, on entry: Entry, in section: Section) {
        let place = entry.offset + Self.fixedEntrySize
        let was = openedAt(entry) != nil
        block.resize(section, place..<place + (was ? 8 : 0), to: instant == nil ? 0 : 8)
        block.store(UInt32(length(entry) + (instant == nil ? 0 : 8) - (was ? 8 : 0)), at: entry.offset)
        let marks = marks(entry).subtracting(.opened)
        setMarks(instant == nil ? marks : marks.union(.opened), on: entry)
        if let instant { block.store(instant.milliseconds, at: place) }
    }

    private func notification(_ entry: Entry) -> String {
        Self.notification(campaign(campaign(entry)), number(entry))
    }

    private func snapshot(at entry: Entry) -> Snapshot {
        Self.sound(.notifications) { () throws(ByteReader.Damage) in
            var reader = ByteReader(block.bytes.extracting(content(of: entry)))
            return try reader.snapshot(of: campaign(campaign(entry)), parts(entry))
        }
    }

    private func isCreated(_ entry: Entry, in regions: [String]) -> Bool {
        Self.sound(.notifications) { () throws(ByteReader.Damage) in
            var reader = ByteReader(block.bytes.extracting(content(of: entry)))
            return try reader.isSnapshot(parts(entry), in: regions)
        }
    }

    private func parts(_ entry: Entry) -> StoredSnapshot.Parts {
        StoredSnapshot.Parts(rawValue: block.number(at: entry.offset + 6))
    }

    /// Where its parts lie.
    private func content(of entry: Entry) -> Range<Int> {
        let start = entry.offset + Self.fixedEntrySize + (marks(entry).contains(.opened) ? 8 : 0)
        return start..<entry.offset + length(entry)
    }

    private func current(at entry: Entry) -> Current {
        Current(
            notification: notification(entry), snapshot: snapshot(at: entry), createdAt: createdAt(entry),
            openedAt: openedAt(entry), isDeletedOnExit: marks(entry).contains(.deletedOnExit))
    }

    private func historyEntry(at entry: Entry) -> HistoryEntry {
        HistoryEntry(
            notification: marks(entry).isDisjoint(with: [.current, .inHistory]) ? nil : notification(entry),
            snapshot: snapshot(at: entry), sentAt: createdAt(entry), openedAt: openedAt(entry))
    }

    /// Whether a section of a record that came from outside is made of such entries, of so many campaigns.
    static func areEntries(_ bytes: RawSpan, campaigns: Int, areNotifications: Bool) -> Bool {
        var reader = ByteReader(bytes)
        do throws(ByteReader.Damage) {
            while reader.rest > 0 {
                let start = reader.position
                let length = Int(try reader.fixed(UInt32.self))
                let marks = Marks(rawValue: try reader.fixed())
                let parts = StoredSnapshot.Parts(rawValue: try reader.fixed())
                _ = try reader.fixed(Int64.self)
                _ = try reader.fixed(UInt32.self)
                let campaign = try reader.fixed(UInt32.self)
                if marks.contains(.opened) { _ = try reader.fixed(Int64.self) }
                let content = try reader.skip(start + length - reader.position)
                var snapshot = ByteReader(bytes.extracting(content))
                try snapshot.checkSnapshot(parts)
                try snapshot.end()
                guard marks.isSubset(of: .all), campaign < campaigns,
                    marks.isDisjoint(with: [.current, .inHistory]) != areNotifications
                else { return false }
            }
            return true
        } catch {
            return false
        }
    }
}

/// A snapshot as it is stored: what most are made of is known before anything happens, and so is this.
struct StoredSnapshot: Sendable {
    let parts: Parts
    let bytes: [UInt8]

    /// What there is besides the campaign.
    struct Parts: OptionSet, Sendable {
        let rawValue: UInt16

        static let title = Parts(rawValue: 1)
        static let message = Parts(rawValue: 2)
        static let trigger = Parts(rawValue: 4)
        static let region = Parts(rawValue: 8)
        static let data = Parts(rawValue: 16)
        /// Another one than the usual.
        static let handler = Parts(rawValue: 32)
        static let presentation = Parts(rawValue: 64)
        static let channel = Parts(rawValue: 128)
        static let eventData = Parts(rawValue: 256)
        static let category = Parts(rawValue: 512)
        static let buttons = Parts(rawValue: 1024)

        static let all = Parts(rawValue: 2047)
        /// Those that are no texts.
        fileprivate static let values: Parts = [.data, .presentation, .eventData, .buttons]
        fileprivate static let usualHandler = "none"
    }

    init(_ snapshot: SubjectRecord.Snapshot) {
        var parts = Parts()
        var writer = ByteWriter()
        let content = snapshot.content
        func text(_ part: Parts, _ text: String?) {
            guard let text else { return }
            parts.insert(part)
            writer.text(text)
        }
        func value(_ part: Parts, _ value: Value?) {
            guard let value else { return }
            parts.insert(part)
            writer.value(value)
        }
        text(.title, content.title)
        text(.message, content.message)
        text(.trigger, snapshot.trigger)
        text(.region, snapshot.region)
        value(.data, content.data)
        text(.handler, content.handler == Parts.usualHandler ? nil : content.handler)
        value(.presentation, content.presentation)
        text(.channel, snapshot.channel)
        value(.eventData, snapshot.eventData)
        text(.category, content.category)
        value(.buttons, content.buttons)
        (self.parts, bytes) = (parts, writer.bytes)
    }
}

extension ByteReader {
    /// Passes over a snapshot, and checks that it is one.
    @_lifetime(self: copy self)
    fileprivate mutating func checkSnapshot(_ parts: StoredSnapshot.Parts) throws(Damage) {
        guard parts.isSubset(of: .all) else { throw damage }
        // In the order in which they are written.
        for bit in 0..<UInt16.bitWidth where parts.rawValue & 1 << UInt16(bit) != 0 {
            let part = StoredSnapshot.Parts(rawValue: 1 << UInt16(bit))
            if StoredSnapshot.Parts.values.contains(part) { try checkValue() } else { try checkText() }
        }
    }

    /// Whether a snapshot is of one of these regions.
    @_lifetime(self: copy self)
    fileprivate mutating func isSnapshot(_ parts: StoredSnapshot.Parts, in regions: [String]) throws(Damage) -> Bool {
        guard parts.contains(.region) else { return false }
        for part in [StoredSnapshot.Parts.title, .message, .trigger] where parts.contains(part) { try skipText() }
        return try utf8().isAmong(regions)
    }

    @_lifetime(self: copy self)
    fileprivate mutating func snapshot(
        of campaign: String, _ parts: StoredSnapshot.Parts
    ) throws(Damage) -> SubjectRecord.Snapshot {
        guard parts.isSubset(of: .all) else { throw damage }
        var content = Decision.Content()
        if parts.contains(.title) { content.title = try text() }
        if parts.contains(.message) { content.message = try text() }
        let trigger = parts.contains(.trigger) ? try text() : nil
        let region = parts.contains(.region) ? try text() : nil
        if parts.contains(.data) { content.data = try value() }
        content.handler = parts.contains(.handler) ? try text() : StoredSnapshot.Parts.usualHandler
        if parts.contains(.presentation) { content.presentation = try value() }
        let channel = parts.contains(.channel) ? try text() : nil
        let eventData = parts.contains(.eventData) ? try value() : nil
        if parts.contains(.category) { content.category = try text() }
        if parts.contains(.buttons) { content.buttons = try value() }
        return SubjectRecord.Snapshot(
            campaign: campaign, trigger: trigger, region: region, channel: channel, eventData: eventData,
            content: content)
    }
}
