import BelfryEngine
import BelfryJournal
import BelfryModel

/// Turns what is to be forwarded into items of the queue, and numbers them.
///
/// The number makes the id of an item, its idempotency key, unique in the store. The hash of what it says tells it from the item
/// that had this number in another store, or in this one before it was restored from a copy; and where the same input is decided
/// anew from the start, the ids are the same again.
struct ForwardItems: ~Copyable {
    static let countKey = "forward.items"

    private let source: String
    /// How many items there have been.
    private var count: UInt64
    private var writer = JSONWriter()

    init(source: String, journal: Journal) {
        self.source = source
        count = journal.value(Self.countKey).map { UInt64(littleEndian: $0) } ?? 0
    }

    /// Adds the items to an entry of the journal, each behind its length in 4 bytes.
    mutating func append(_ outgoing: [Outgoing], to entry: inout JournalEntry) {
        guard !outgoing.isEmpty else { return }
        for outgoing in outgoing {
            let item = item(for: outgoing)
            withUnsafeBytes(of: UInt32(item.count).littleEndian) { entry[.items].append(contentsOf: $0) }
            entry[.items] += item
        }
        entry.values[Self.countKey] = count.littleEndianBytes
    }

    /// The items in an entry.
    static func items(of entry: JournalEntry) -> [QueueItem] {
        var (items, rest): ([QueueItem], ArraySlice<UInt8>) = ([], entry[.items][...])
        while rest.count >= 4 {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            items.append(QueueItem(number: 0, bytes: Array(rest.dropFirst(4).prefix(length))))
            rest = rest.dropFirst(4 + length)
        }
        let last = entry.values[countKey].map { UInt64(littleEndian: $0) } ?? 0
        for index in items.indices { items[index].number = last - UInt64(items.count - 1 - index) }
        return items
    }

    /// The same with some items blanked.
    static func blanked(_ bytes: [UInt8], where isToGo: (UnsafeBufferPointer<UInt8>) -> Bool) -> [UInt8] {
        var (bytes, place) = (bytes, 0)
        while place + 4 <= bytes.count {
            let length = bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            let item = place + 4..<min(place + 4 + length, bytes.count)
            if bytes[item].withUnsafeBufferPointer(isToGo) { bytes.blank(item) }
            place = item.upperBound
        }
        return bytes
    }

    private mutating func item(for outgoing: Outgoing) -> [UInt8] {
        count += 1
        writer.removeAll()
        outgoing.write(to: &writer, source: source)
        let id = "f-\(count)-\(stableHash(writer.bytes).hexadecimal)"
        return Array(#"{"specversion":"1.0","id":"\#(id)","#.utf8) + writer.bytes.dropFirst()
    }
}
