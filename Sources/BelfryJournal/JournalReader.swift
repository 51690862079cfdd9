/// Reads the entries of a journal in their order, also while another process writes to it.
///
/// Of a journal that this process writes to, it gives those that are durable; of one of another process, those that are written.
public final class JournalReader {
    private let storage: any SegmentStorage
    /// The journal of this process whose durable entries are read; nil where the files are read without it.
    private let journal: Journal?
    private var segment: JournalSegment?
    private var offset = 0
    /// `Journal.rewrites` when the segment was known to be the one that is there.
    private var rewrites: UInt64
    /// The entry that was read last.
    public private(set) var last: UInt64
    /// What holds after that entry, as far as it was read.
    public private(set) var values: [String: [UInt8]] = [:]

    /// What tells the journal from any other; empty before the first entry.
    public var series: String { Journal.series(values) }

    /// Reads the journal at a place, of whatever store it is.
    ///
    /// - Parameter after: the entry to begin behind; 0 for the oldest that is kept.
    public convenience init(_ location: JournalLocation, after number: UInt64 = 0) throws(JournalError) {
        try self.init(location.storage, after: number)
    }

    /// Reads the journal at a place, beginning with the last segment that comes before the decision behind that one.
    public convenience init(_ location: JournalLocation, afterDecision number: UInt64) throws(JournalError) {
        try self.init(location.storage, afterDecision: number)
    }

    convenience init(
        _ storage: any SegmentStorage, afterDecision number: UInt64, of journal: Journal? = nil
    ) throws(JournalError) {
        for first in try storage.segments().reversed() {
            let segment = try JournalSegment(storage, first: first, isNew: false, isReadOnly: true)
            guard case .entry(let head, _) = try segment.entry(at: 0), head.decisionsBefore <= number else { continue }
            try self.init(storage, segment: first, of: journal)
            return
        }
        try self.init(storage, after: 0, of: journal)
    }

    /// Begins with the first entry of a segment.
    init(_ storage: any SegmentStorage, segment first: UInt64, of journal: Journal? = nil) throws(JournalError) {
        (self.storage, self.journal, last, rewrites) = (storage, journal, first - 1, journal?.rewrites ?? 0)
        segment = try JournalSegment(storage, first: first, isNew: false, isReadOnly: true)
    }

    /// - Parameter start: a place before that, from which there is less to read.
    init(
        _ storage: any SegmentStorage, after number: UInt64, of journal: Journal? = nil,
        from start: Journal.Start? = nil
    ) throws(JournalError) {
        (self.storage, self.journal, last) = (storage, journal, number)
        rewrites = start?.rewrites ?? journal?.rewrites ?? 0
        if let (mark, segment, _) = start {
            (self.segment, offset, last, values) = (segment, mark.offset, mark.last, mark.values)
            while last < number, try read() != nil {}
            if last == number { return }
        }
        // It may be in a later segment, of which no mark is known yet.
        try begin(after: number)
    }

    /// Opens the segment that an entry would be behind.
    private func begin(after number: UInt64) throws(JournalError) {
        let segments = try storage.segments()
        guard let oldest = segments.first else { return }
        if number > 0, oldest > number + 1 { throw .missing(storage.path, after: number) }
        let first = segments.last { $0 <= max(number, 1) } ?? oldest
        segment = try JournalSegment(storage, first: first, isNew: false, isReadOnly: true)
        (offset, last) = (0, first - 1)
        while last < number, try read() != nil {}
    }

    /// Call it when something was read: what was there before is known by then.
    ///
    /// - Parameters:
    ///   - place: the entry that the first one came behind.
    ///   - checkpoint: the last entry that the store has come to.
    /// - Throws: `JournalError` if there were entries in between.
    public func checkBeginning(at place: UInt64, of checkpoint: UInt64) throws(JournalError) {
        let begun = max(checkpoint, Journal.beginning(values))
        if place > begun { throw .missing(storage.path, after: begun) }
    }

    /// Whether the journal of this process does not keep the next entry any more, since this reader did not read on for long.
    public var hasLost: Bool { journal.map { last + 1 < $0.oldest } ?? false }

    /// The next entry; nil if there is none yet.
    ///
    /// - Throws: `JournalError`: an entry is damaged that others come after.
    public func next() throws(JournalError) -> JournalEntry? {
        // Most looks find nothing: that is seen here, before anything is opened.
        if let journal, last >= journal.durable { return nil }
        try followRewrites()
        if segment == nil { try begin(after: last) }
        while true {
            if let entry = try read() { return entry }
            guard try turnToNextSegment() else { return nil }
        }
    }

    private func read() throws(JournalError) -> JournalEntry? {
        guard let segment, case .entry(let entry, let next) = try segment.entry(at: offset), entry.number == last + 1
        else { return nil }
        (offset, last) = (next, entry.number)
        values.merge(entry.values) { $1 }
        return entry
    }

    /// - Returns: whether there is one.
    private func turnToNextSegment() throws(JournalError) -> Bool {
        guard let segment else { return false }
        let segments = try storage.segments()
        let next = segments.first { $0 > segment.first }
        let isBroken = try segment.goesOn(behind: offset, after: last)
        // The segment may have grown between the looks.
        if case .entry(let entry, _) = try segment.entry(at: offset), entry.number == last + 1 { return true }
        if isBroken { throw .broken(storage.path, segment: segment.name, at: offset) }
        if next != last + 1, try isRewritten(segment) {
            try begin(after: last)
            return true
        }
        guard let next else { return false }
        if next != last + 1 {
            throw segments.contains(segment.first)
                ? .missing(storage.path, after: last) : .dropped(storage.path, after: last)
        }
        self.segment = try JournalSegment(storage, first: next, isNew: false, isReadOnly: true)
        offset = 0
        return true
    }

    /// Goes on in the file that is there now: the one before has what was erased since it was opened.
    private func followRewrites() throws(JournalError) {
        guard let journal, case let rewrites = journal.rewrites, rewrites != self.rewrites else { return }
        if let segment, try current(segment)?.isSame(as: segment) != true { try begin(after: last) }
        self.rewrites = rewrites
    }

    /// Whether another file is in its place by now (`Journal.rewrite`), with what came after that; numbers stay.
    private func isRewritten(_ segment: JournalSegment) throws(JournalError) -> Bool {
        try current(segment)?.isSame(as: segment) == false
    }

    /// The segment of that name that is there now; nil if it was dropped.
    private func current(_ segment: JournalSegment) -> JournalSegment? {
        try? JournalSegment(storage, first: segment.first, isNew: false, isReadOnly: true)
    }
}
