import Glibc

/// The file `PATH-log`: commits, one after the other, as `LogFrame` has them, after a header of `Blfl` and a salt that no other log has.
///
/// The database says which salt the log has that belongs to it: any other log is left over from a crash, and all of it is in rows.
final class LogFile: Sendable {
    let path: String
    let salt: UInt64
    private let descriptor: CInt

    /// Where the next commit goes, and its number.
    struct End: Equatable {
        var offset = LogFile.headerSize
        var number: UInt64 = 1
    }

    static let headerSize = 12
    private static let magic: UInt32 = 0x6C66_6C42

    private init(_ path: String, _ descriptor: CInt, salt: UInt64) {
        (self.path, self.descriptor, self.salt) = (path, descriptor, salt)
    }

    deinit { Glibc.close(descriptor) }

    /// Makes an empty one, instead of what is there.
    static func create(at path: String) throws(LogFailure) -> LogFile {
        unlink(path)
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw LogFailure() }
        let file = LogFile(path, descriptor, salt: .random(in: .min ... .max))
        var header: [UInt8] = []
        header.append(number: magic)
        header.append(number: file.salt)
        try file.write(header, at: 0)
        try file.sync()
        try syncFolder(of: path)
        return file
    }

    /// - Parameter readOnly: whether nothing will be appended.
    /// - Returns: nil where there is none that has a header.
    static func open(_ path: String, readOnly: Bool) throws(LogFailure) -> LogFile? {
        let descriptor = Glibc.open(path, (readOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw LogFailure()
        }
        do {
            let header = try read(descriptor, at: 0, count: headerSize)
            let salt: UInt64? = header.withUnsafeBytes { bytes in
                bytes.count == headerSize && bytes.number(at: 0) == magic ? bytes.number(at: 4) : nil
            }
            if let salt { return LogFile(path, descriptor, salt: salt) }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        Glibc.close(descriptor)
        return nil
    }

    /// A file that was created is found again after a power loss.
    private static func syncFolder(of path: String) throws(LogFailure) {
        let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let folder = Glibc.open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw LogFailure() }
        defer { Glibc.close(folder) }
        guard fsync(folder) == 0 else { throw LogFailure() }
    }

    // MARK: Reading

    /// The bytes there; fewer at the end of the file.
    func read(at offset: Int, count: Int) throws(LogFailure) -> [UInt8] {
        try Self.read(descriptor, at: offset, count: count)
    }

    private static func read(_ descriptor: CInt, at offset: Int, count: Int) throws(LogFailure) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if read == 0 { return }
                if read > 0 { filled += read } else if errno != EINTR { return failed = true }
            }
        }
        if failed { throw LogFailure() }
        return bytes
    }

    /// How many bytes there are.
    func size() throws(LogFailure) -> Int { Int(try status().st_size) }

    /// Whether it was removed meanwhile.
    func isRemoved() throws(LogFailure) -> Bool { try status().st_nlink == 0 }

    private func status() throws(LogFailure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw LogFailure() }
        return status
    }

    // MARK: Writing

    /// Puts a commit at the end, onto the disk. After an error there may be a part of it.
    func append(_ frame: [UInt8], at end: End) throws(LogFailure) {
        try write(frame, at: end.offset)
        try sync()
    }

    /// What comes after that was never committed.
    func cut(at end: End) throws(LogFailure) {
        guard ftruncate(descriptor, off_t(end.offset)) == 0 else { throw LogFailure() }
    }

    /// Removes the file, and overwrites what was in it: everything that it had may be somebody's.
    ///
    /// - Parameter waits: whether for those who are reading it; otherwise it stays as it is for them, and goes when they have done.
    func remove(waits: Bool) throws(LogFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw LogFailure() }
        guard flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 else { return }
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for offset in stride(from: 0, to: try size(), by: zeros.count) { try write(zeros, at: offset) }
        try sync()
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(LogFailure) {
        let isDone = bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let written = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
                if written >= 0 { done += written } else if errno != EINTR { return false }
            }
            return true
        }
        if !isDone { throw LogFailure() }
    }

    private func sync() throws(LogFailure) {
        guard fdatasync(descriptor) == 0 else { throw LogFailure() }
    }

    // MARK: One who only reads

    /// Keeps what is in it as it is, until `release`.
    func hold() { flock(descriptor, LOCK_SH) }

    func release() { flock(descriptor, LOCK_UN) }
}

/// The system refuses something about the log.
struct LogFailure: Error {
    /// What `errno` said.
    let number = errno
}

/// The log makes no sense.
struct LogDamage: Error, CustomStringConvertible {
    let offset: Int

    var description: String { "its log makes no sense at byte \(offset)" }
}
