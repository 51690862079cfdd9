import BelfryModel

/// A changed record as it lies in the journal, where they lie one after the other: without its parts.
///
///     size  what
///     4     checksum of what follows, up to the record, which has one of its own
///     4     length of the subject
///     4     length of the record
///     1     1: it has a due time; 2: the record is deleted
///     8     the due time, in ms since 1970
///     …     the subject as UTF-8, the record
///
/// All numbers are little endian.
struct JournalEntry {
    let subject: UnsafeRawBufferPointer
    /// Nil if it is deleted.
    let record: UnsafeRawBufferPointer?
    let due: Instant?
    let size: Int

    private static let headerSize = 21
    private static let (hasDue, isDeleted): (UInt8, UInt8) = (1, 2)

    /// Nil if there is none that makes sense. It lives no longer than the bytes.
    init?(at offset: Int, in bytes: UnsafeRawBufferPointer) {
        guard offset >= 0, bytes.count - offset >= Self.headerSize else { return nil }
        let entry = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let lengths = (entry.number(at: 4, as: UInt32.self), entry.number(at: 8, as: UInt32.self))
        let head = Self.headerSize + Int(lengths.0)
        size = head + Int(lengths.1)
        guard size <= entry.count, Self.checksum(entry[4..<head]) == entry.number(at: 0, as: UInt32.self) else {
            return nil
        }
        let flags = entry[12]
        due = flags & Self.hasDue == 0 ? nil : Instant(milliseconds: entry.number(at: 13, as: Int64.self))
        subject = UnsafeRawBufferPointer(rebasing: entry[Self.headerSize..<head])
        record = flags & Self.isDeleted == 0 ? UnsafeRawBufferPointer(rebasing: entry[head..<size]) : nil
    }

    var change: RecordChange {
        RecordChange(
            subject: String(decoding: subject, as: UTF8.self), bytes: record.map { [UInt8]($0) }, nextDue: due,
            keepsParts: true)
    }

    // MARK: Writing

    static func size(of change: RecordChange) -> Int {
        headerSize + change.subject.utf8.count + (change.bytes?.count ?? 0)
    }

    static func bytes(of changes: ArraySlice<RecordChange>) -> [UInt8] {
        let size = changes.reduce(0) { $0 + Self.size(of: $1) }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let all = UnsafeMutableRawBufferPointer(buffer)
            for change in changes {
                let size = Self.size(of: change)
                write(change, to: UnsafeMutableRawBufferPointer(rebasing: all[count..<count + size]))
                count += size
            }
        }
    }

    private static func write(_ change: RecordChange, to entry: UnsafeMutableRawBufferPointer) {
        let head = headerSize + change.subject.utf8.count
        entry.put(UInt32(head - headerSize), at: 4)
        entry.put(UInt32(entry.count - head), at: 8)
        entry[12] = (change.nextDue == nil ? 0 : hasDue) | (change.bytes == nil ? isDeleted : 0)
        entry.put(change.nextDue?.milliseconds ?? 0, at: 13)
        var subject = change.subject
        subject.withUTF8 { entry.copy(UnsafeRawBufferPointer($0), to: headerSize) }
        change.bytes?.withUnsafeBytes { entry.copy($0, to: head) }
        entry.put(checksum(UnsafeRawBufferPointer(entry)[4..<head]), at: 0)
    }

    /// FNV-1a.
    private static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return hash
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at place: Int, as: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: place, as: Number.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func put(_ number: some FixedWidthInteger & BitwiseCopyable, at place: Int) {
        storeBytes(of: number.littleEndian, toByteOffset: place, as: type(of: number))
    }

    fileprivate func copy(_ bytes: UnsafeRawBufferPointer, to place: Int) {
        guard let source = bytes.baseAddress else { return }
        (baseAddress! + place).copyMemory(from: source, byteCount: bytes.count)
    }
}
