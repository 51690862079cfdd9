import Glibc

/// A segment that is a file of the system, on a disk or in memory.
final class SystemFile: SegmentFile {
    private let descriptor: Int32
    private let folder: String
    private let name: String
    private let isOnDisk: Bool
    /// How far the file has zeros behind what was written.
    private var reserved = 0
    private var written = 0

    /// - Parameter descriptor: closed with it.
    init(_ descriptor: Int32, _ name: String, in folder: String, isOnDisk: Bool) {
        (self.descriptor, self.name, self.folder, self.isOnDisk) = (descriptor, name, folder, isOnDisk)
    }

    deinit { close(descriptor) }

    func size() throws(JournalError) -> Int { Int(try status().st_size) }

    func isSame(as other: any SegmentFile) throws(JournalError) -> Bool {
        guard let other = other as? SystemFile else { return false }
        let (this, that) = (try status(), try other.status())
        return this.st_ino == that.st_ino && this.st_dev == that.st_dev
    }

    private func status() throws(JournalError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure() }
        return status
    }

    func write(_ bytes: UnsafeRawBufferPointer, at end: Int) throws(JournalError) {
        // Also where this fails, what comes before stays.
        written = end
        if end + bytes.count > reserved { reserve(behind: end, for: bytes.count) }
        try put(bytes, at: end)
        written = end + bytes.count
    }

    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        var place = 0
        while place < bytes.count {
            let count = pwrite(descriptor, bytes.baseAddress! + place, bytes.count - place, off_t(offset + place))
            if count >= 0 { place += count } else if errno != EINTR { throw failure() }
        }
    }

    /// A kill in between leaves what was there.
    func writeAnew(from offset: Int, to end: Int) throws(JournalError) {
        guard isOnDisk, offset < end else { return }
        let bytes = try bytes(at: offset, count: end - offset)
        let done = bytes.withUnsafeBytes { bytes in
            Result { () throws(JournalError) in try put(bytes, at: offset) }
        }
        try done.get()
    }

    // A sync of a file that has grown also writes how large it is and where it lies: half as long again as a sync of bytes that were
    // there. So small writes find zeros there; to a large one, which is waited for longer, those would be a second write.
    private static let small = 1 << 14
    private static let mostReserved = 1 << 18

    /// Fills the file with zeros, as many as it has bytes: a small file stays small.
    private func reserve(behind end: Int, for count: Int) {
        guard isOnDisk, count <= Self.small, end >= Self.small else { return }
        let zeros = [UInt8](repeating: 0, count: min(end, Self.mostReserved))
        // If the disk is full, the write itself says so.
        reserved = end + max(0, pwrite(descriptor, zeros, zeros.count, off_t(end)))
    }

    func release() throws(JournalError) {
        if reserved > written { try cut(to: written) }
    }

    func sync() throws(JournalError) { if fdatasync(descriptor) != 0 { throw failure() } }

    func cut(to size: Int) throws(JournalError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure() }
        reserved = 0
    }

    func bytes(at offset: Int, count: Int) throws(JournalError) -> [UInt8] {
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

    private func failure() -> JournalError { .system(errno, folder, name) }
}

func systemReason(_ number: Int32) -> String { String(cString: strerror(number)) }

func isFull(_ number: Int32) -> Bool { number == ENOSPC || number == EDQUOT }
