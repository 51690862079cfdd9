import Glibc

/// A segment that is a file of the system, on a disk or in memory.
final class SystemFile: SegmentFile {
    private let descriptor: Int32
    private let folder: String
    private let name: String

    /// - Parameter descriptor: closed with it.
    init(_ descriptor: Int32, _ name: String, in folder: String) {
        (self.descriptor, self.name, self.folder) = (descriptor, name, folder)
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
        var written = 0
        while written < bytes.count {
            let count = pwrite(
                descriptor, bytes.baseAddress! + written, bytes.count - written, off_t(end + written))
            if count >= 0 { written += count } else if errno != EINTR { throw failure() }
        }
    }

    func sync() throws(JournalError) { if fdatasync(descriptor) != 0 { throw failure() } }

    func cut(to size: Int) throws(JournalError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure() }
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
