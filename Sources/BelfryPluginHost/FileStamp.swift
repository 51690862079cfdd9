import Glibc

/// What the system says of a file without reading it. While it stays the same, so do the contents.
///
/// A write to a file moves the time of its last change (ctime, inode(7)), which no call can set to anything but now.
struct FileStamp: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    /// The time of the last change, in nanoseconds since 1970.
    let changed: Int64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    }

    /// Of a regular file, and not of what a link leads to; nil if there is none.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(status)
    }

    /// Whether nothing has changed for so many seconds. A file system may count time in large steps, and a mapped file may get its
    /// new time late: what has just changed may change again without a trace.
    func isSettled(for seconds: Int64) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return changed < (Int64(now.tv_sec) - seconds) * 1_000_000_000
    }
}

// MARK: As text

extension FileStamp {
    var text: String { "\(device) \(inode) \(size) \(changed)" }

    /// Nil if that was not written by `text`.
    init?(text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count == 4, let device = UInt64(words[0]), let inode = UInt64(words[1]),
            let size = Int64(words[2]), let changed = Int64(words[3])
        else { return nil }
        (self.device, self.inode, self.size, self.changed) = (device, inode, size, changed)
    }
}
