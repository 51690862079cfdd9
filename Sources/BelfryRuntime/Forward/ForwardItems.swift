import BelfryEngine
import BelfryModel
import BelfryStore

/// Turns what is to be forwarded into items of the queue, and numbers them.
///
/// The number makes the id of an item, its idempotency key, unique in the store. The hash of what it says tells it from the item
/// that had this number in another store, or in this one before it was restored from a copy; and where the same input is decided
/// anew from the start, the ids are the same again.
struct ForwardItems: ~Copyable {
    private static let countKey = "forward.items"

    private let source: String
    /// How many items there have been in the store.
    private var count: UInt64
    private var writer = JSONWriter()

    init(source: String, store: any RecordStore) throws(StoreError) {
        self.source = source
        count = try store.meta(Self.countKey).map { UInt64(littleEndian: $0) } ?? 0
    }

    /// Adds the items to what is committed.
    mutating func append(_ outgoing: [Outgoing], to batch: inout StoreBatch) {
        guard !outgoing.isEmpty else { return }
        var change = QueueChange(queue: ForwardQueue.name)
        for outgoing in outgoing { change.appended.append(item(for: outgoing)) }
        batch.queues.append(change)
        batch.meta[Self.countKey] = count.littleEndianBytes
    }

    private mutating func item(for outgoing: Outgoing) -> [UInt8] {
        count += 1
        writer.removeAll()
        outgoing.write(to: &writer, source: source)
        let id = "f-\(count)-\(stableHash(writer.bytes).hexadecimal)"
        return Array(#"{"specversion":"1.0","id":"\#(id)","#.utf8) + writer.bytes.dropFirst()
    }
}
