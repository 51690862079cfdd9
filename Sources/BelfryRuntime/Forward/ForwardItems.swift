import BelfryJournal
import BelfryModel

/// Turns what is to be forwarded into items of the queue, and numbers them.
///
/// The number makes the id of an item, its idempotency key, unique in the store. The hash of what it says tells it from the item
/// that had this number in another store, or in this one before it was restored from a copy; and where the same input is decided
/// anew from the start, the ids are the same again.
package struct ForwardItems: ~Copyable {
    static let countKey = "forward.items"

    private let source: String
    /// How many items there have been.
    private var count: UInt64
    private var writer = JSONWriter()

    package init(source: String, journal: Journal) {
        self.source = source
        count = Self.count(in: journal)
    }

    /// How many items there have been.
    static func count(in journal: Journal) -> UInt64 { count(journal.value(countKey)) }

    /// The same, by the values of a journal.
    static func count(in values: [String: [UInt8]]) -> UInt64 { count(values[countKey]) }

    private static func count(_ bytes: [UInt8]?) -> UInt64 { bytes.map { UInt64(littleEndian: $0) } ?? 0 }

    /// Adds the items to an entry of the journal, each behind its number in 8 bytes and its length in 4.
    package mutating func append(_ outgoing: [Outgoing], to entry: inout JournalEntry) {
        guard !outgoing.isEmpty else { return }
        for outgoing in outgoing {
            let item = item(for: outgoing)
            entry[.items] += Self.bytes(of: QueueItem(number: count, bytes: item))
        }
        entry.values[Self.countKey] = count.littleEndianBytes
    }

    private static func bytes(of item: QueueItem) -> [UInt8] {
        item.number.littleEndianBytes + UInt64(item.bytes.count).littleEndianBytes.prefix(4) + item.bytes
    }

    /// The items in an entry.
    package static func items(of entry: JournalEntry) -> [QueueItem] {
        var (items, rest): ([QueueItem], ArraySlice<UInt8>) = ([], entry[.items][...])
        while rest.count >= 12 {
            let length = Int(UInt64(littleEndian: rest.dropFirst(8).prefix(4)))
            let item = QueueItem(
                number: UInt64(littleEndian: rest.prefix(8)), bytes: Array(rest.dropFirst(12).prefix(length)))
            items.append(item)
            rest = rest.dropFirst(12 + length)
        }
        return items
    }

    /// Takes some items out of an entry. The numbers of the others stay.
    static func remove(from entry: inout JournalEntry, where isToGo: ([UInt8]) -> Bool) {
        entry[.items] = items(of: entry).filter { !isToGo($0.bytes) }.flatMap(bytes)
    }

    private mutating func item(for outgoing: Outgoing) -> [UInt8] {
        count += 1
        writer.removeAll()
        outgoing.write(to: &writer, source: source)
        let id = "f-\(count)-\(stableHash(writer.bytes).hexadecimal)"
        return Array(#"{"specversion":"1.0","id":"\#(id)","#.utf8) + writer.bytes.dropFirst()
    }
}
