/// A part of a journal: entries one behind the other, the first of which says what holds at its beginning.
///
/// Its name is the number of its first entry.
final class JournalSegment {
    /// The format.
    static let version = 1
    static let suffix = ".segment"

    let first: UInt64
    let name: String
    private let folder: String
    private let file: any SegmentFile
    /// Where the next entry goes.
    private(set) var end = 0

    /// - Parameter isNew: whether it is made now.
    convenience init(_ storage: any SegmentStorage, first: UInt64, isNew: Bool, isReadOnly: Bool) throws(JournalError) {
        try self.init(storage, name: Self.name(first), first: first, isNew: isNew, isReadOnly: isReadOnly)
    }

    init(
        _ storage: any SegmentStorage, name: String, first: UInt64, isNew: Bool, isReadOnly: Bool = false
    ) throws(JournalError) {
        (self.first, self.name, folder) = (first, name, storage.path)
        file = try storage.open(name, isNew: isNew, isReadOnly: isReadOnly)
    }

    static func name(_ first: UInt64) -> String {
        let digits = String(first)
        return String(repeating: "0", count: 20 - digits.count) + digits + suffix
    }

    /// Whether it is the same file, and not another one of its name.
    func isSame(as other: JournalSegment) throws(JournalError) -> Bool { try file.isSame(as: other.file) }

    func append(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        try file.write(bytes, at: end)
        end += bytes.count
    }

    func sync() throws(JournalError) { try file.sync() }

    /// Has the next sync write what lies behind an offset, also where the system takes it for written.
    func writeAnew(from offset: Int) throws(JournalError) { try file.writeAnew(from: offset, to: end) }

    /// Leaves the file with its entries alone.
    func release() throws(JournalError) { try file.release() }

    /// The same, on the disk.
    func finish() throws(JournalError) {
        try release()
        try sync()
    }

    /// Goes on writing there.
    func cut(to offset: Int) throws(JournalError) {
        if try file.size() > offset { try file.cut(to: offset) }
        end = offset
    }
}

// MARK: Reading

extension JournalSegment {
    enum Found {
        case entry(JournalEntry, next: Int)
        /// Nothing, or less than an entry, or something else.
        case nothing
    }

    /// The entry at an offset.
    func entry(at offset: Int) throws(JournalError) -> Found {
        let head = try file.bytes(at: offset, count: JournalEntry.headSize)
        guard let length = head.withUnsafeBytes({ JournalEntry.length(head: $0) }),
            try file.has(offset + JournalEntry.headSize + length)
        else { return .nothing }
        let content = try file.bytes(at: offset + JournalEntry.headSize, count: length)
        let isWhole = head.withUnsafeBytes { head in
            content.withUnsafeBytes { JournalEntry.isWhole(head: head, content: $0) }
        }
        guard isWhole else { return .nothing }
        // It was written as it is: nothing was torn.
        guard let entry = content.withUnsafeBytes({ JournalEntry($0) }) else {
            throw .broken(folder, segment: name, at: offset)
        }
        return .entry(entry, next: offset + JournalEntry.headSize + length)
    }

    /// Whether an entry lies behind an offset that was written when those up to here were durable: then what is there was not torn, but
    /// broken. What a power loss leaves of several that one sync was for may be the last of them alone.
    ///
    /// - Parameter last: the number of the entry before.
    func goesOn(behind offset: Int, after last: UInt64) throws(JournalError) -> Bool {
        let size = try file.size()
        var place = offset + 8
        while place + JournalEntry.headSize <= size {
            let piece = try file.bytes(at: place, count: min(1 << 20, size - place))
            for step in stride(from: 0, to: piece.count - JournalEntry.headSize + 1, by: 8) {
                let mayBegin = piece.withUnsafeBytes {
                    JournalEntry.length(head: UnsafeRawBufferPointer(rebasing: $0[step...])) != nil
                }
                if mayBegin, case .entry(let entry, _) = try entry(at: place + step), entry.durableBefore > last {
                    return true
                }
            }
            place += max(8, piece.count / 8 * 8 - JournalEntry.headSize)
        }
        return false
    }
}
