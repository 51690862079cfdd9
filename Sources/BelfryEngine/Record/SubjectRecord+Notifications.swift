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

    func historyEntry(of notification: String) -> HistoryEntry? {
        entries(ofNotification: notification).last { marks($0).contains(.inHistory) }.map { historyEntry(at: $0) }
    }

    /// Whether what a campaign created with that number is among the notifications, or the geotriggers, that are kept.
    func has(_ section: Section, _ campaign: String, _ number: Int64) -> Bool {
        guard let index = index(ofCampaign: campaign) else { return false }
        var isThere = false
        forEachEntry(in: section) { entry in
            if self.number(entry) == number, self.campaign(entry) == index { isThere = true }
        }
        return isThere
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

    /// How many notifications a record keeps, the newest: it does not grow for ever.
    struct Limits: Sendable {
        /// In the history; at least one.
        var history: Int
        /// Of current ones that only a request can delete; at least one.
        var held: Int
    }

    /// Adds a notification that was created, in place of the oldest if there are as many as the limits allow.
    mutating func add(
        _ snapshot: StoredSnapshot, number: UInt32, campaign: Int, at now: Instant, marks: Marks, keeping limits: Limits
    ) {
        let gap = forgetOldest(keeping: limits.history - 1, held: limits.held - (marks.isHeld ? 1 : 0))
        add(snapshot, to: .notifications, over: gap, number: number, campaign: campaign, at: now, marks: marks)
    }

    /// Adds a notification that was created, or a geotrigger that fired.
    ///
    /// - Parameter gap: what it takes the room of; what lies behind that moves forward.
    mutating func add(
        _ snapshot: StoredSnapshot, to section: Section, over gap: Range<Int>? = nil, number: UInt32, campaign: Int,
        at now: Instant, openedAt: Instant? = nil, marks: Marks
    ) {
        let length = Self.fixedEntrySize + (openedAt == nil ? 0 : 8) + snapshot.bytes.count
        let offset = block.extend(section, by: length, over: gap)
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
        forgetUnmarked()
    }

    mutating func clearHistory() {
        for entry in entries(in: .notifications) { setMarks(marks(entry).subtracting(.inHistory), on: entry) }
        forgetUnmarked()
    }

    mutating func clearGeotriggers() { empty(.geotriggers) }

    /// Notes that a notification was opened, and returns when it first was.
    mutating func open(_ notification: String, at now: Instant) -> Instant {
        guard let entry = entries(ofNotification: notification).first else { return now }
        if let first = openedAt(entry) { return first }
        setOpened(now, on: entry, in: .notifications)
        return now
    }

    /// Takes back that a geotrigger was handled, if it is still in the history.
    mutating func markUnhandled(_ geotrigger: FiredGeotrigger) {
        let campaign = index(ofCampaign: geotrigger.campaign)
        let entry = entries(in: .geotriggers).last {
            number($0) == geotrigger.number && self.campaign($0) == campaign && createdAt($0) == geotrigger.time
                && openedAt($0) != nil
        }
        if let entry { setOpened(nil, on: entry, in: .geotriggers) }
    }

    /// - Returns: what is let go of, as `forget` does.
    private mutating func forgetOldest(keeping limit: Int, held limitOfHeld: Int) -> Range<Int>? {
        var (history, held) = (Int(block[.inHistory]) - limit, Int(block[.held]) - limitOfHeld)
        guard history > 0 || held > 0 else { return nil }
        return forget { marks in
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

    /// Lets go of notifications that are neither current nor in the history.
    private mutating func forgetUnmarked() {
        if let gap = forget({ _ in true }) { block.resize(.notifications, gap, to: 0) }
    }

    /// Lets go of notifications that are neither current nor in the history, as `change` leaves their marks, the oldest first.
    ///
    /// - Parameter change: returns false when nothing more is to be let go of.
    /// - Returns: the last that are let go of, side by side, which the caller is to take out of the section.
    private mutating func forget(_ change: (inout Marks) -> Bool) -> Range<Int>? {
        var offset = block.range(of: .notifications).lowerBound
        var gap: Range<Int>?
        while offset < block.range(of: .notifications).upperBound {
            let entry = Entry(offset: offset)
            var marks = marks(entry)
            guard change(&marks) else { break }
            let length = length(entry)
            setMarks(marks, on: entry)
            if marks.isDisjoint(with: [.current, .inHistory]) {
                if let former = gap, former.upperBound != offset {
                    block.resize(.notifications, former, to: 0)
                    offset -= former.count
                    gap = nil
                }
                gap = (gap?.lowerBound ?? offset)..<offset + length
            }
            offset += length
        }
        return gap
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
