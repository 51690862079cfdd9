import BelfryModel
import Synchronization

/// A write-ahead journal: entries in their order, in segments. A segment is dropped when the last checkpoint and every cursor have come past
/// it.
///
/// One process at a time writes to a journal, which is that of a store and lies under the store's lock; any number may read it meanwhile
/// (`JournalReader`). An entry is whole or not there: what a kill leaves of the last one is cut off. Any thread may call.
public final class Journal: Sendable {
    public let location: JournalLocation
    /// For messages.
    public var path: String { storage.path }
    private let storage: any SegmentStorage
    private let segmentSize: Int
    private let state: Mutex<State>
    private let synced = Atomic<UInt64>(0)
    /// How many decisions there are in the durable entries, and before them.
    private let decided = Atomic<UInt64>(0)
    /// The number of the oldest entry that is kept; 0 if there is none.
    private let kept = Atomic<UInt64>(0)
    private let rewriteCount = Atomic<UInt64>(0)

    private struct State: ~Copyable {
        var segments: [Segment]
        var segment: JournalSegment?
        /// The number of the last entry.
        var last: UInt64
        /// How many decisions there have been.
        var decisions: UInt64
        var values: [String: [UInt8]]
        /// In order, of the last two segments.
        var marks: [Mark] = []
        var buffer = GrowingBuffer(capacity: 1 << 16)
    }

    private struct Segment {
        /// The number of its first entry.
        var first: UInt64
        var begunAt: Instant
    }

    /// Where an entry begins, for readers that would have to look for it from the beginning of its segment.
    struct Mark {
        /// The entry before it.
        var last: UInt64
        /// The first entry of the segment.
        var segment: UInt64
        var offset: Int
        /// What holds there.
        var values: [String: [UInt8]]
        /// So far apart, in bytes.
        static let distance = 32 << 10
    }

    /// How many segments a journal in memory keeps: of the default size, 256 MiB.
    private static let mostInMemory = 4

    /// The name of the value that says whose journal it is.
    private static let identity = "journal"
    /// The name of the value that tells it from another journal, before it or elsewhere, whose decisions have the same numbers.
    private static let series = "series"
    /// The name of the value that says behind which entry it begins.
    private static let beginning = "beginning"

    static func beginning(_ values: [String: [UInt8]]) -> UInt64 {
        values[beginning].flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    static func series(_ values: [String: [UInt8]]) -> String { String(decoding: values[series] ?? [], as: UTF8.self) }

    /// Opens the journal of a store, and makes it first where there is none.
    ///
    /// - Parameters:
    ///   - store: what tells the store from others.
    ///   - checkpoint: the last entry that the store has come to.
    ///   - former: what held at the end of a journal that this one takes the place of; nil if there must not have been one.
    ///   - isBegun: whether there must have been one, although the store has come to no entry of it.
    ///   - series: what is to tell a new one from any other: letters and digits.
    ///   - segmentSize: in bytes; a segment that has become larger is followed by another.
    /// - Throws: `JournalError`: what is there is damaged, or of another store, or the system refuses.
    public init(
        _ location: JournalLocation, store: String, checkpoint: UInt64, former: [String: [UInt8]]? = nil,
        isBegun: Bool = false, series: String = "1", segmentSize: Int = 64 << 20
    ) throws(JournalError) {
        (self.location, self.segmentSize) = (location, segmentSize)
        storage = location.storage
        try storage.create()
        try storage.removeUnfinished()
        let state: State
        if let (segment, tail) = try Self.newest(in: storage) {
            try Self.check(tail.values, of: store, storage.path)
            try Self.check(tail, against: checkpoint, in: storage)
            try segment.cut(to: tail.end)
            // The process that wrote the last of it may have been killed before. Where it was told that a sync had failed, the system takes
            // what it still has in memory for written: only what is written anew does the next sync put on the disk.
            try segment.writeAnew(from: tail.unsure)
            try segment.sync()
            state = State(
                segments: try Self.segments(in: storage), segment: segment, last: tail.last,
                decisions: tail.decisions, values: tail.values)
        } else if former == nil, checkpoint > 0 || isBegun {
            throw .missing(storage.path, after: 0)
        } else {
            let values = [
                Self.identity: Array("\(JournalSegment.version) \(store)".utf8),
                Self.beginning: Array("\(checkpoint)".utf8), Self.series: Array(series.utf8),
            ]
            state = State(
                segments: [], segment: nil, last: checkpoint, decisions: 0,
                values: (former ?? [:]).merging(values) { $1 })
        }
        decided.store(state.decisions, ordering: .releasing)
        synced.store(state.last, ordering: .releasing)
        kept.store(state.segments.first?.first ?? 0, ordering: .releasing)
        self.state = Mutex(state)
    }

    /// That what the store has not come to is there.
    private static func check(
        _ tail: Tail, against checkpoint: UInt64, in storage: any SegmentStorage
    ) throws(JournalError) {
        let begun = max(checkpoint, beginning(tail.values))
        if let oldest = try storage.segments().first, oldest > begun + 1 { throw .missing(storage.path, after: begun) }
        if tail.last < checkpoint { throw .behind(storage.path, last: tail.last, checkpoint: checkpoint) }
    }

    /// The newest segment and what it ends with; nil if there is none. One without a head was begun when the process ended, and goes.
    private static func newest(in storage: any SegmentStorage) throws(JournalError) -> (JournalSegment, Tail)? {
        for first in try storage.segments().reversed() {
            let segment = try JournalSegment(storage, first: first, isNew: false, isReadOnly: false)
            if let tail = try Tail(of: segment, storage.path) { return (segment, tail) }
            storage.remove(segment.name)
        }
        return nil
    }

    /// - Throws: `JournalError` if a batch could not be written now.
    public func checkRoom() throws(JournalError) { try storage.checkRoom() }

    private static func segments(in storage: any SegmentStorage) throws(JournalError) -> [Segment] {
        var segments: [Segment] = []
        for first in try storage.segments() {
            let segment = try JournalSegment(storage, first: first, isNew: false, isReadOnly: true)
            guard case .entry(let head, _) = try segment.entry(at: 0) else {
                throw .broken(storage.path, segment: segment.name, at: 0)
            }
            segments.append(Segment(first: first, begunAt: head.writtenAt))
        }
        return segments
    }

    /// - Parameters:
    ///   - values: what holds in a journal.
    ///   - path: where that is, for messages.
    /// - Throws: `JournalError` if it is the journal of another store, or of a later format.
    public static func check(_ values: [String: [UInt8]], of store: String, _ path: String) throws(JournalError) {
        let words = String(decoding: values[identity] ?? [], as: UTF8.self).split(separator: " ", maxSplits: 1)
        if let version = words.first.flatMap({ Int($0) }), version > JournalSegment.version {
            throw .newer(path, found: version)
        }
        guard words.last.map(String.init) == store else { throw .foreign(path) }
    }

    /// The number of the last entry; 0 before the first.
    public var last: UInt64 { state.withLock { $0.last } }

    /// The number of the last durable entry: readers of this process end there. Reading it does not wait for a sync.
    public var durable: UInt64 { synced.load(ordering: .acquiring) }

    /// The number of the oldest entry that is kept.
    public var oldest: UInt64 {
        let oldest = kept.load(ordering: .acquiring)
        return oldest > 0 ? oldest : last + 1
    }

    /// What tells it from any other journal.
    public var series: String { Self.series(values) }

    /// Whether there is no entry.
    public var isEmpty: Bool { state.withLock { $0.segments.isEmpty } }

    /// A value that holds now.
    public func value(_ name: String) -> [UInt8]? { state.withLock { $0.values[name] } }

    /// All values that hold now.
    public var values: [String: [UInt8]] { state.withLock { $0.values } }

    // MARK: Writing

    /// Adds an entry, which is durable then.
    ///
    /// - Returns: its number.
    @discardableResult
    public func append(_ entry: JournalEntry) throws(JournalError) -> UInt64 { try append([entry])[0] }

    /// Adds entries, which are durable together then. Until they are, no reader of this process sees them.
    ///
    /// - Returns: their numbers.
    public func append(_ entries: [JournalEntry]) throws(JournalError) -> [UInt64] {
        // No typed error crosses `withLock`.
        try state.withLock { state in
            Result { () throws(JournalError) in
                var numbers: [UInt64] = []
                for entry in entries { numbers.append(try append(entry, to: &state)) }
                try state.segment?.sync()
                decided.store(state.decisions, ordering: .releasing)
                synced.store(state.last, ordering: .releasing)
                return numbers
            }
        }.get()
    }

    private func append(_ entry: JournalEntry, to state: inout State) throws(JournalError) -> UInt64 {
        if state.segment.map({ $0.end > segmentSize }) ?? true { try begin(&state, at: entry.writtenAt) }
        var entry = entry
        entry.number = state.last + 1
        entry.decisionsBefore = state.decisions
        try write(entry, &state)
        state.values.merge(entry.values) { $1 }
        mark(&state)
        return entry.number
    }

    private func mark(_ state: inout State) {
        guard let offset = state.segment?.end, let segment = state.segments.last?.first else { return }
        let known = state.marks.last.flatMap { $0.segment == segment ? $0.offset : nil } ?? 0
        if offset - known < Mark.distance { return }
        state.marks.append(Mark(last: state.last, segment: segment, offset: offset, values: state.values))
    }

    private func write(_ entry: JournalEntry, _ state: inout State) throws(JournalError) {
        var entry = entry
        entry.durableBefore = synced.load(ordering: .acquiring)
        state.buffer.removeAll()
        entry.write(to: &state.buffer)
        try state.segment?.append(state.buffer.raw())
        state.last = entry.number
        state.decisions += UInt64(entry.decisions)
    }

    /// A segment begins with what holds there, so that those before are not needed.
    private func begin(_ state: inout State, at time: Instant) throws(JournalError) {
        try state.segment?.finish()
        let first = state.last + 1
        let former = state.segment
        state.segment = try JournalSegment(storage, first: first, isNew: true, isReadOnly: false)
        do throws(JournalError) {
            try storage.sync()
            var head = JournalEntry(writtenAt: time)
            head.values = state.values
            (head.number, head.decisionsBefore) = (first, state.decisions)
            try write(head, &state)
        } catch {
            // One without its head would be no segment of this journal.
            storage.remove(JournalSegment.name(first))
            state.segment = former
            throw error
        }
        if let before = state.segments.last?.first { state.marks.removeAll { $0.segment < before } }
        state.segments.append(Segment(first: first, begunAt: time))
        kept.store(state.segments[0].first, ordering: .releasing)
    }

    /// Leaves nothing in the files but entries. Call it before the store's lock is let go: another process writes there then.
    public func close() { state.withLock { try? $0.segment?.release() } }

    /// Removes the segments of which all entries are up to that one and were written before that time, but never the last segment. One in
    /// memory is limited, too: of more than `mostInMemory` segments, the oldest goes whenever it was written.
    public func drop(through number: UInt64, before time: Instant? = nil) {
        let most = if case .memory = location { Self.mostInMemory } else { Int.max }
        state.withLock { state in
            // A segment is over when the next one begins.
            while state.segments.count > 1, state.segments[1].first - 1 <= number,
                state.segments.count > most || time.map({ state.segments[1].begunAt < $0 }) ?? true
            {
                storage.remove(JournalSegment.name(state.segments.removeFirst().first))
            }
            kept.store(state.segments.first?.first ?? 0, ordering: .releasing)
        }
    }

    /// Another number whenever segments were written anew: what was read, or opened, before that may have what was erased.
    public var rewrites: UInt64 { rewriteCount.load(ordering: .acquiring) }

    /// Writes segments anew in which entries are to be others, such as when a subject is erased. Numbers stay.
    ///
    /// - Parameter change: makes an entry another one; false if it stays as it is.
    public func rewrite(_ change: (inout JournalEntry) throws -> Bool) throws {
        try state.withLock { state in
            for first in state.segments.map(\.first) {
                guard let bytes = try rewritten(first, change) else { continue }
                let name = JournalSegment.name(first)
                let new = try JournalSegment(storage, name: name + storage.unfinished, first: first, isNew: true)
                try bytes.withUnsafeBytes { try new.append($0) }
                try new.sync()
                // Before, for `start(before:)`, which may open either; and behind, since it may be replaced also where that fails.
                rewriteCount.add(1, ordering: .releasing)
                defer { rewriteCount.add(1, ordering: .releasing) }
                try storage.replace(name, with: name + storage.unfinished)
                if first == state.segments.last?.first { state.segment = new }
                state.marks.removeAll { $0.segment == first }
            }
        }
    }

    /// What a segment is to be; nil if it stays as it is.
    private func rewritten(_ first: UInt64, _ change: (inout JournalEntry) throws -> Bool) throws -> [UInt8]? {
        let segment = try JournalSegment(storage, first: first, isNew: false, isReadOnly: true)
        var buffer = GrowingBuffer(capacity: 1 << 16)
        var (offset, last, isOther) = (0, first - 1, false)
        while case .entry(var entry, let next) = try segment.entry(at: offset) {
            last = entry.number
            if try change(&entry) { isOther = true }
            entry.write(to: &buffer)
            offset = next
        }
        // What lies behind damage would be lost.
        if try segment.goesOn(behind: offset, after: last) {
            throw JournalError.broken(path, segment: segment.name, at: offset)
        }
        return isOther ? buffer.bytes : nil
    }

    /// How many decisions there have been that are durable. Reading it does not wait for a sync.
    public var decisions: UInt64 { decided.load(ordering: .acquiring) }

    /// Reads this journal, beginning with the oldest entry that is kept.
    public func reader() throws(JournalError) -> JournalReader { try JournalReader(storage, after: 0, of: self) }

    /// Reads this journal, beginning with a segment that comes before the decision behind that one.
    public func reader(afterDecision number: UInt64) throws(JournalError) -> JournalReader {
        try JournalReader(storage, afterDecision: number, of: self)
    }

    /// Reads this journal, beginning with a segment that has all entries since then, as far as they are kept.
    public func reader(since time: Instant) throws(JournalError) -> JournalReader {
        let first = state.withLock { $0.segments.last { $0.begunAt < time }?.first }
        guard let first else { return try reader() }
        return try JournalReader(storage, segment: first, of: self)
    }

    /// Reads this journal, beginning behind an entry; where it took the place of another one, with its first.
    public func reader(after number: UInt64) throws(JournalError) -> JournalReader {
        let place = max(number, Self.beginning(values))
        return try JournalReader(storage, after: place, of: self, from: start(before: place))
    }

    /// A mark, the file that it is in, and what `rewrites` was then.
    typealias Start = (mark: Mark, segment: JournalSegment, rewrites: UInt64)

    /// A place from which there is less to read than from the beginning of its segment.
    ///
    /// Nil, too, where a segment was written anew meanwhile: the mark would be wrong there. Not opened under the lock, since that may take
    /// a query of a database.
    func start(before place: UInt64) -> Start? {
        let (mark, rewrites) = state.withLock { state in (state.marks.last { $0.last <= place }, self.rewrites) }
        guard let mark,
            let segment = try? JournalSegment(storage, first: mark.segment, isNew: false, isReadOnly: true),
            self.rewrites == rewrites
        else { return nil }
        return (mark, segment, rewrites)
    }
}

/// What the newest segment ends with.
private struct Tail {
    var last: UInt64
    var decisions: UInt64 = 0
    var values: [String: [UInt8]] = [:]
    /// Where the next entry goes.
    var end = 0
    /// Where the entries begin that nothing says to be durable: those that were written together with the last one.
    var unsure: Int { group.first?.offset ?? end }
    private var group: [(number: UInt64, offset: Int)] = []

    /// Nil if there is nothing in it.
    init?(of segment: JournalSegment, _ path: String) throws(JournalError) {
        last = segment.first - 1
        while case .entry(let entry, let next) = try segment.entry(at: end), entry.number == last + 1 {
            group.removeAll { $0.number <= entry.durableBefore }
            group.append((entry.number, end))
            (last, end) = (entry.number, next)
            decisions = entry.decisionsBefore + UInt64(entry.decisions)
            values.merge(entry.values) { $1 }
        }
        if try segment.goesOn(behind: end, after: last) { throw .broken(path, segment: segment.name, at: end) }
        if end == 0 { return nil }
    }
}
