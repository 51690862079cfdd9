import Glibc

/// The right to be the only writer of a store, held until the value goes away, at the latest with the process.
///
/// It is an advisory lock on a file of its own beside the database. The database file itself is out of the question:
/// POSIX drops all locks that a process has on a file as soon as it closes any descriptor of it, SQLite's own locks
/// included (https://www.sqlite.org/howtocorrupt.html, section 2.2). And a lock that SQLite holds, as by
/// `BEGIN IMMEDIATE`, would end with each commit.
struct FileLock: ~Copyable {
    private let descriptor: CInt
    private let file: String

    /// Takes the lock for `database`, or throws at once if it is taken. `path` is the store as its user named it.
    init(for database: String, path: String) throws(StoreError) {
        file = database + ".lock"
        descriptor = try Self.lockedDescriptor(of: file, path: path)
        // For the message of the next process that comes; the lock holds without it.
        let number = "\(getpid())\n"
        ftruncate(descriptor, 0)
        write(descriptor, number, number.utf8.count)
    }

    /// Throws if the lock for `database` is taken. Has it for an instant where a crash left its file; makes no file.
    static func checkThatItIsFree(for database: String, path: String) throws(StoreError) {
        // The process that has the lock has made the file; only a crash leaves it behind.
        let descriptor = open(database + ".lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        throw .locked(path, by: processNumber(in: descriptor))
    }

    deinit {
        // Removed while still locked, so that no process can be holding a lock on another file of that name.
        unlink(file)
        close(descriptor)
    }

    private static func lockedDescriptor(of file: String, path: String) throws(StoreError) -> CInt {
        while true {
            let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard descriptor >= 0 else { throw .system(errno, path: path, file: file) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let (code, holder) = (errno, processNumber(in: descriptor))
                close(descriptor)
                throw code == EWOULDBLOCK ? .locked(path, by: holder) : .system(code, path: path, file: file)
            }
            // Its holder may have removed the file after we opened it; a lock on that would exclude no other process.
            if isNamed(file, descriptor) { return descriptor }
            close(descriptor)
        }
    }

    private static func isNamed(_ file: String, _ descriptor: CInt) -> Bool {
        var (named, opened) = (stat(), stat())
        return stat(file, &named) == 0 && fstat(descriptor, &opened) == 0
            && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
    }

    private static func processNumber(in descriptor: CInt) -> Int32? {
        var digits = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &digits, digits.count, 0)
        return Int32(
            String(decoding: digits.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension StoreError {
    /// What the error number of a system call on `file` says about the store at `path`.
    package static func system(
        _ number: CInt, _ attempt: Attempt = .opening, path: String, file: String
    ) -> StoreError {
        let reason = String(cString: strerror(number))
        return switch number {
        case EACCES, EPERM, EROFS, ELOOP: .permission(path, attempt, of: file, reason: reason)
        case ENOSPC, EDQUOT: .full(path, attempt)
        default: .failed(path, attempt, detail: "the system reports for '\(file)': \(reason)")
        }
    }
}
