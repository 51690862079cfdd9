import BelfryModel

/// A commit as it lies in the log:
///
///     size  what
///     8     the salt of the log
///     8     the number of the commit, from 1
///     8     the length of the entries
///     8     a checksum of the salt, the number and the entries
///     …     the entries
///
/// All numbers are little endian.
struct LogFrame {
    let salt: UInt64
    let number: UInt64
    let size: Int
    private let checksum: UInt64

    static let headerSize = 32

    /// Nil unless the bytes begin with a header of that log.
    init?(header bytes: UnsafeRawBufferPointer, salt: UInt64) {
        guard bytes.count >= Self.headerSize, bytes.number(at: 0) == salt else { return nil }
        self.salt = salt
        number = bytes.number(at: 8)
        guard let size = Int(exactly: bytes.number(at: 16) as UInt64) else { return nil }
        self.size = size
        checksum = bytes.number(at: 24)
    }

    /// Whether these are its entries.
    func isOf(_ entries: UnsafeRawBufferPointer) -> Bool {
        entries.count == size && Self.checksum(entries, salt, number) == checksum
    }

    // MARK: Writing

    /// - Parameters:
    ///   - lastItem: the number that the last item of all queues has got.
    /// - Returns: header and entries.
    static func bytes(of batch: StoreBatch, salt: UInt64, number: UInt64, lastItem: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerSize + estimatedSize(of: batch))
        for part in [salt, number, 0, 0] { bytes.append(number: part) }
        for change in batch.records { bytes.append(change) }
        for (key, value) in batch.meta { bytes.append(.value, name: key, value) }
        var lastItem = lastItem
        for change in batch.queues { bytes.append(change, lastItem: &lastItem) }
        bytes.withUnsafeMutableBytes { all in
            let entries = UnsafeRawBufferPointer(rebasing: all[headerSize...])
            all.storeBytes(of: UInt64(entries.count).littleEndian, toByteOffset: 16, as: UInt64.self)
            all.storeBytes(of: checksum(entries, salt, number).littleEndian, toByteOffset: 24, as: UInt64.self)
        }
        return bytes
    }

    /// At least what the entries take, not counting the small ones.
    private static func estimatedSize(of batch: StoreBatch) -> Int {
        let records = batch.records.reduce(0) { size, change in
            let head = LogEntry.headerSize + change.subject.utf8.count
            return change.parts.reduce(size + head + (change.bytes?.count ?? 0)) { $0 + head + $1.bytes.count }
        }
        let items = batch.queues.reduce(0) { $1.appended.reduce($0) { $0 + $1.count } }
        return records + items + 4096
    }

    /// Four sums of words side by side, of which a processor works on all at once.
    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ salt: UInt64, _ number: UInt64) -> UInt64 {
        var sums = (salt, salt ^ number, ~salt, number)
        var place = 0
        while place + 32 <= bytes.count {
            sums.0.absorb(bytes.number(at: place))
            sums.1.absorb(bytes.number(at: place + 8))
            sums.2.absorb(bytes.number(at: place + 16))
            sums.3.absorb(bytes.number(at: place + 24))
            place += 32
        }
        while place < bytes.count {
            let word = bytes[place..<min(place + 8, bytes.count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            sums.0.absorb(word)
            place += 8
        }
        for sum in [sums.1, sums.2, sums.3, UInt64(bytes.count)] { sums.0.absorb(sum) }
        return sums.0
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ change: RecordChange) {
        if !change.keepsParts || change.bytes == nil { append(.noParts, name: change.subject) }
        guard let record = change.bytes else { return append(.deletedRecord, name: change.subject) }
        for part in change.parts { append(.part, Int64(part.number), name: change.subject, part.bytes) }
        let due = change.nextDue
        append(due == nil ? .record : .timedRecord, due?.milliseconds ?? 0, name: change.subject, record)
    }

    fileprivate mutating func append(_ change: QueueChange, lastItem: inout UInt64) {
        if let through = change.removedThrough {
            append(.removedItems, Int64(Swift.min(through, lastItem)), name: change.queue)
        }
        for bytes in change.appended {
            lastItem += 1
            append(.item, Int64(lastItem), name: change.queue, bytes)
        }
    }
}
