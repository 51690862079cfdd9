import BelfryStore

/// The queue of what is to be forwarded, in the store.
///
/// An item is a CloudEvent, exactly as it is sent. Items are appended with the records that they come from, and removed when the
/// endpoint has taken them. In between a batch is *sealed*: its extent is stored before it is first sent, so that a process that
/// was killed before it heard the answer sends the same batch again, and not one with more in it.
struct ForwardQueue {
    static let name = "forward"
    private static let sealKey = "forward.batch"
    /// A batch is not larger than this, in bytes, unless a single item is.
    static let sizeLimit = 1 << 20

    let store: any RecordStore

    /// How many items there are.
    func count() throws(StoreError) -> Int {
        var (count, last): (Int, UInt64?) = (0, nil)
        while let page = try Optional(store.items(in: Self.name, after: last, limit: 1000)), let end = page.last {
            (count, last) = (count + page.count, end.number)
        }
        return count
    }

    /// The batch that was sealed and not removed; if there is none, the first items, which are sealed.
    ///
    /// - Parameter suspects: items up to this number are batches of one, also if they were sealed together.
    /// - Returns: nil if there is no item.
    func nextBatch(limit: Int, suspects: UInt64) throws(StoreError) -> ForwardBatch? {
        guard let first = try store.items(in: Self.name, after: nil, limit: 1).first else { return nil }
        if first.number <= suspects { return try seal([first]) }
        if let seal = try seal(), seal.through >= first.number {
            let items = try store.items(in: Self.name, after: nil, limit: seal.count)
            return ForwardBatch(items.prefix { $0.number <= seal.through })
        }
        let items = try store.items(in: Self.name, after: nil, limit: limit)
        return try seal(items.prefix(max(1, Self.fitting(items))))
    }

    /// Removes a batch that was taken.
    func remove(_ batch: ForwardBatch) throws(StoreError) {
        try store.commit(StoreBatch(queues: [QueueChange(queue: Self.name, removedThrough: batch.through)]))
    }

    /// How many of the items are not too large together.
    private static func fitting(_ items: [QueueItem]) -> Int {
        var size = 0
        return items.prefix { item in
            size += item.bytes.count
            return size <= sizeLimit
        }.count
    }

    /// The seal: number of the last item and number of items, eight bytes each, little endian.
    private func seal() throws(StoreError) -> (through: UInt64, count: Int)? {
        guard let bytes = try store.meta(Self.sealKey), bytes.count == 16 else { return nil }
        return (UInt64(littleEndian: bytes[..<8]), Int(UInt64(littleEndian: bytes[8...])))
    }

    private func seal(_ items: ArraySlice<QueueItem>) throws(StoreError) -> ForwardBatch {
        let batch = ForwardBatch(items)
        let seal = batch.through.littleEndianBytes + UInt64(batch.count).littleEndianBytes
        try store.commit(StoreBatch(meta: [Self.sealKey: seal]))
        return batch
    }
}

extension UInt64 {
    init(littleEndian bytes: some BidirectionalCollection<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
