import BelfryJournal
import BelfryModel
import Synchronization

/// The queue of what is to be forwarded: a cursor in the journal.
///
/// An item is a CloudEvent, exactly as it is sent. Items are in the entries that they come from; a value of the journal says which ones the
/// endpoint has taken. In between a batch is *sealed*: its extent is durable before it is first sent, so that a process that was killed
/// before it heard the answer sends the same batch again, and not one with more in it.
package final class ForwardQueue: Sendable {
    private static let (takenKey, sealKey) = ("forward.taken", "forward.batch")
    /// A batch is not larger than this, in bytes, unless a single item is.
    static let sizeLimit = 1 << 20

    private let journal: Journal
    private let state: Mutex<State>
    /// How many items the journal has dropped before they were taken, those of erased subjects included.
    package let dropped: UInt64

    fileprivate struct State: ~Copyable {
        var reader: JournalReader
        /// Items that were read and not taken yet, with the entries that they are in.
        var items: [(item: QueueItem, entry: UInt64)] = []
        /// The last item that was taken, and the last entry of which all are.
        var taken: (item: UInt64, entry: UInt64)
        /// The last item of the batch under way, which goes as it is; 0 if there is none.
        var underway: UInt64 = 0
        /// How many items wait, in memory or not.
        var waiting = 0
        /// How many items there have been in the journal.
        var seen: UInt64
    }

    package init(_ journal: Journal) throws {
        self.journal = journal
        var taken = journal.value(Self.takenKey).map(Self.place) ?? (item: 0, entry: 0)
        let (oldest, seen) = (journal.oldest, ForwardItems.count(in: journal))
        // Where nothing waits, or has waited for too long, the journal keeps no place for it.
        let hasDropped = oldest > taken.entry + 1
        if hasDropped { taken.entry = oldest - 1 }
        // Counted, since a subject may have been erased.
        let reader = try journal.reader(after: taken.entry)
        var (count, first) = (0, UInt64?.none)
        while let entry = try reader.next() {
            let items = ForwardItems.items(of: entry).filter { $0.number > taken.item }
            (count, first) = (count + items.count, first ?? items.first?.number)
        }
        let known = first.map { $0 - 1 } ?? seen
        let lost = hasDropped && known > taken.item ? known - taken.item : 0
        taken.item += lost
        dropped = lost
        state = Mutex(
            State(reader: try journal.reader(after: taken.entry), taken: taken, waiting: count, seen: seen))
    }

    private static func place(_ bytes: [UInt8]) -> (item: UInt64, entry: UInt64) {
        (UInt64(littleEndian: bytes[..<8]), UInt64(littleEndian: bytes[8...]))
    }

    /// The number of the last item that was taken, by the values of a journal; 0 if there is none.
    package static func taken(_ values: [String: [UInt8]]) -> UInt64 { values[takenKey].map { place($0).item } ?? 0 }

    /// What the journal has under that name.
    package func value(_ name: String) -> [UInt8]? { journal.value(name) }

    /// How many items there have been in the journal; nil while it has some that cannot be read yet, since their sync has failed.
    package var journaled: UInt64? {
        let count = ForwardItems.count(in: journal)
        // More may have come, and be durable, since the last one was looked at.
        return journal.last <= journal.durable ? count : nil
    }

    /// Takes note of the items that were added to the journal, up to that many in all.
    ///
    /// - Returns: how many.
    package func take(_ journaled: UInt64) -> Int {
        state.withLock { state in
            let news = Int(journaled - min(journaled, state.seen))
            (state.seen, state.waiting) = (max(journaled, state.seen), state.waiting + news)
            return news
        }
    }

    /// Takes out the items in memory of a subject that was erased, but for those that are under way.
    ///
    /// - Returns: how many.
    package func forget(_ subject: String) -> Int {
        state.withLock { state in
            let before = state.items.count
            let underway = state.underway
            state.items.removeAll { $0.item.number > underway && $0.item.isAbout(subject) }
            state.waiting -= before - state.items.count
            return before - state.items.count
        }
    }

    /// How many items there are.
    package var count: Int { state.withLock { $0.waiting } }

    /// The last entry of which nothing is waiting.
    package var entry: UInt64 {
        let last = journal.durable
        return state.withLock { $0.waiting == 0 ? last : $0.taken.entry }
    }

    /// The batch that was sealed and not removed; if there is none, the first items, which are sealed. It is under way then.
    ///
    /// - Parameter suspects: items up to this number are batches of one, also if they were sealed together.
    /// - Returns: nil if there is no item.
    package func nextBatch(limit: Int, suspects: UInt64) throws -> ForwardBatch? {
        let seal = seal
        // In one step: an erasure in between would take out what is in the batch.
        let batch = try state.withLock { state in
            let items = try state.first(max(limit, seal?.count ?? 0))
            let batch = Self.cut(items, limit, suspects, sealed: seal?.through ?? 0).map { ForwardBatch($0) }
            state.underway = batch?.through ?? 0
            return batch
        }
        guard let batch, batch.through != seal?.through else { return batch }
        do { try self.seal(batch) } catch {
            putBack()
            throw error
        }
        return batch
    }

    /// The first of these items, as many as go together; nil if there is none.
    private static func cut(
        _ items: ArraySlice<QueueItem>, _ limit: Int, _ suspects: UInt64, sealed: UInt64
    ) -> ArraySlice<QueueItem>? {
        guard let first = items.first else { return nil }
        if first.number <= suspects { return items.prefix(1) }
        if first.number <= sealed { return items.prefix { $0.number <= sealed } }
        return items.prefix(max(1, fitting(items.prefix(limit))))
    }

    /// The batch under way is to be cut anew.
    package func putBack() { state.withLock { $0.underway = 0 } }

    /// Removes a batch that was taken.
    ///
    /// - Parameter values: what becomes durable with that.
    /// - Throws: the journal refuses; the batch is still there.
    package func remove(_ batch: ForwardBatch, noting values: [String: [UInt8]]) throws {
        let taken = state.withLock { $0.taken(with: batch) }
        try note(values.merging(Self.values(taken)) { $1 })
        state.withLock { state in
            state.items.removeAll { $0.item.number <= batch.through }
            state.waiting -= batch.count
            (state.taken, state.underway) = (taken, 0)
        }
    }

    /// Has the next process begin where this one does.
    package func notePlace() throws { try note(Self.values(state.withLock { $0.taken })) }

    private static func values(_ taken: (item: UInt64, entry: UInt64)) -> [String: [UInt8]] {
        [takenKey: taken.item.littleEndianBytes + taken.entry.littleEndianBytes]
    }

    /// How many of the items are not too large together.
    private static func fitting(_ items: some Collection<QueueItem>) -> Int {
        var size = 0
        return items.prefix { item in
            size += item.bytes.count
            return size <= sizeLimit
        }.count
    }

    /// The seal: number of the last item and number of items, eight bytes each, little endian.
    private var seal: (through: UInt64, count: Int)? {
        guard let bytes = journal.value(Self.sealKey), bytes.count == 16 else { return nil }
        return (UInt64(littleEndian: bytes[..<8]), Int(UInt64(littleEndian: bytes[8...])))
    }

    private func seal(_ batch: ForwardBatch) throws {
        try note([Self.sealKey: batch.through.littleEndianBytes + UInt64(batch.count).littleEndianBytes])
    }

    package func note(_ values: [String: [UInt8]]) throws {
        var entry = JournalEntry(writtenAt: .wallClock)
        entry.values = values
        try journal.append(entry)
    }
}

extension ForwardQueue.State {
    /// The first items, read on as far as that takes.
    fileprivate mutating func first(_ count: Int) throws -> ArraySlice<QueueItem> {
        while items.count < count {
            guard let entry = try reader.next() else {
                // Those that were erased before they were read do not wait.
                waiting = items.count + Int(seen) - Int(max(ForwardItems.count(in: reader.values), taken.item))
                break
            }
            for item in ForwardItems.items(of: entry) where item.number > taken.item {
                items.append((item, entry.number))
            }
        }
        return items.prefix(count).map(\.item)[...]
    }

    /// What is taken when that batch is, too.
    fileprivate func taken(with batch: ForwardBatch) -> (item: UInt64, entry: UInt64) {
        guard let last = items.last(where: { $0.item.number <= batch.through }) else { return taken }
        let next = items.first { $0.item.number > batch.through }
        return (batch.through, next?.entry == last.entry ? last.entry - 1 : last.entry)
    }
}

/// Something that waits to be forwarded.
package struct QueueItem: Sendable, Hashable {
    /// From 1, ascending; never given twice.
    package var number: UInt64
    package var bytes: [UInt8]

    package init(number: UInt64, bytes: [UInt8]) { (self.number, self.bytes) = (number, bytes) }

    fileprivate func isAbout(_ subject: String) -> Bool {
        Value(json: bytes[...])?.map?["subject"]?.text?.isSameText(as: subject) == true
    }
}

extension UInt64 {
    init(littleEndian bytes: some BidirectionalCollection<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
