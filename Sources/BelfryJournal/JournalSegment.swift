import BelfryModel
import Glibc

/// A file of a journal: entries one behind the other, the first of which says what holds at its beginning.
///
/// Its name is the number of its first entry. Where a journal is in memory, so are its segments (memfd_create(2)).
final class JournalSegment {
    /// The format.
    static let version = 1
    static let suffix = ".segment"

    let first: UInt64
    let name: String
    private let folder: String
    private let descriptor: Int32
    /// Where the next entry goes.
    private(set) var end = 0

    /// - Parameter isNew: whether it is made now.
    convenience init(_ folder: JournalFolder, first: UInt64, isNew: Bool, isReadOnly: Bool) throws(JournalError) {
        try self.init(folder, name: Self.name(first), first: first, isNew: isNew, isReadOnly: isReadOnly)
    }

    init(
        _ folder: JournalFolder, name: String, first: UInt64, isNew: Bool, isReadOnly: Bool = false
    ) throws(JournalError) {
        (self.first, self.name, self.folder) = (first, name, folder.path)
        descriptor = folder.open(name, isNew: isNew, isReadOnly: isReadOnly)
        if descriptor < 0 { throw .system(errno, folder.path, name) }
    }

    deinit { close(descriptor) }

    static func name(_ first: UInt64) -> String {
        let digits = String(first)
        return String(repeating: "0", count: 20 - digits.count) + digits + suffix
    }

    /// The bytes that there are, in ms of the system's view.
    func size() throws(JournalError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        return Int(status.st_size)
    }

    /// Whether it is the same file, and not another one of its name.
    func isSame(as other: JournalSegment) throws(JournalError) -> Bool {
        var statuses = (stat(), stat())
        guard fstat(descriptor, &statuses.0) == 0, fstat(other.descriptor, &statuses.1) == 0 else { throw failure() }
        return statuses.0.st_ino == statuses.1.st_ino && statuses.0.st_dev == statuses.1.st_dev
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        var written = 0
        while written < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress! + written, bytes.count - written, off_t(end + written))
            if count >= 0 { written += count } else if errno != EINTR { throw failure() }
        }
        end += bytes.count
    }

    func sync() throws(JournalError) { if fdatasync(descriptor) != 0 { throw failure() } }

    /// Goes on writing there.
    func cut(to offset: Int) throws(JournalError) {
        guard try size() > offset || end != offset else { return }
        guard ftruncate(descriptor, off_t(offset)) == 0 else { throw failure() }
        end = offset
    }

    private func failure() -> JournalError { .system(errno, folder, name) }
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
        let head = try bytes(at: offset, count: JournalEntry.headSize)
        guard let length = head.withUnsafeBytes({ JournalEntry.length(head: $0) }),
            try offset + JournalEntry.headSize + length <= size()
        else { return .nothing }
        let content = try bytes(at: offset + JournalEntry.headSize, count: length)
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

    /// Whether a whole entry lies behind an offset: then what is there was not torn, but broken.
    func goesOn(behind offset: Int) throws(JournalError) -> Bool {
        let size = try size()
        var place = offset + 8
        while place + JournalEntry.headSize <= size {
            let piece = try bytes(at: place, count: min(1 << 20, size - place))
            for step in stride(from: 0, to: piece.count - JournalEntry.headSize + 1, by: 8) {
                let mayBegin = piece.withUnsafeBytes {
                    JournalEntry.length(head: UnsafeRawBufferPointer(rebasing: $0[step...])) != nil
                }
                if mayBegin, case .entry = try entry(at: place + step) { return true }
            }
            place += max(8, piece.count / 8 * 8 - JournalEntry.headSize)
        }
        return false
    }

    private func bytes(at offset: Int, count: Int) throws(JournalError) -> [UInt8] {
        var (length, error) = (0, Int32(0))
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while length < count {
                let got = pread(descriptor, buffer.baseAddress! + length, count - length, off_t(offset + length))
                if got > 0 { length += got } else if got == 0 { break } else if errno != EINTR { error = errno; break }
            }
            filled = length
        }
        if error != 0 { throw .system(error, folder, name) }
        return bytes
    }
}

func systemReason(_ number: Int32) -> String { String(cString: strerror(number)) }

func isFull(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }
