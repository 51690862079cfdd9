import BelfryCore
import CLinux
import Glibc
import Synchronization

/// Notices changes of the names that matter, in the folders they are in.
///
/// Folders are watched rather than files, because editors put a new file in the place of the old one. What another machine does
/// to a shared folder the kernel does not tell (inotify(7)).
final class FileWatch: Sendable {
    /// Readable when something was noticed.
    let descriptor: Int32
    /// By watch descriptor.
    private let folders = Mutex<[Int32: Folder]>([:])

    private struct Folder {
        let path: String
        var names: Set<FileTrail.Name>
    }

    /// No IN_MODIFY: what is being written is of no use before it is closed, and a run's own output may be in the same folder.
    private static let mask = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_ONLYDIR)

    init() throws(WatchFailure) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw WatchFailure() }
    }

    deinit { close(descriptor) }

    /// Watches this instead of what was watched before. A folder that is not there, or may not be read, is left out: what it is in
    /// is watched too.
    ///
    /// - Returns: whether some of it was not watched before, and so may have changed unnoticed.
    func follow(_ trail: FileTrail) throws(WatchFailure) -> Bool {
        var folders: [Int32: Folder] = [:]
        for (path, names) in trail.folders {
            let watch = inotify_add_watch(descriptor, path, Self.mask)
            guard watch >= 0 || (errno != ENOSPC && errno != ENOMEM) else { throw WatchFailure() }
            if watch >= 0 { folders[watch, default: Folder(path: path, names: [])].names.formUnion(names) }
        }
        let former = self.folders.withLock { former in
            defer { former = folders }
            return former
        }
        for watch in former.keys where folders[watch] == nil { inotify_rm_watch(descriptor, watch) }
        return folders.contains { watch, folder in !folder.names.isSubset(of: former[watch]?.names ?? []) }
    }

    /// What has not changed for this long is taken to be whole: one save is several changes.
    static let quiet = Swift.Duration.milliseconds(100)

    /// Waits for something to be noticed that matters, for a while.
    func takeNews(within time: Swift.Duration) -> Bool {
        let end = ContinuousClock.now + time
        while true {
            if takeNews() { return true }
            let rest = ContinuousClock.now.duration(to: end)
            guard rest > .zero else { return false }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, Int32(rest / .milliseconds(1)) + 1)
        }
    }

    /// Takes what was noticed so far; whether any of it matters. Does not wait.
    func takeNews() -> Bool {
        let folders = folders.withLock { $0 }
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            var hasNews = false
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return hasNews }
                var offset = 0
                while offset < count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    offset += MemoryLayout<inotify_event>.size
                    if matters(event, buffer.baseAddress! + offset, in: folders) { hasNews = true }
                    offset += Int(event.len)
                }
            }
        }
    }

    private func matters(
        _ event: inotify_event, _ name: UnsafeRawPointer, in folders: [Int32: Folder]
    ) -> Bool {
        // Some events were lost.
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        guard let folder = folders[event.wd] else { return false }
        // About the folder itself: its permissions.
        guard event.len > 0 else { return event.mask & UInt32(IN_ATTRIB) != 0 }
        let name = String(cString: name.assumingMemoryBound(to: CChar.self))
        guard folder.names.contains(where: { $0.matches(name) }) else { return false }
        return event.mask & UInt32(IN_CREATE) == 0 || isComplete(folder.path + "/" + name)
    }

    /// Whether what was just created is all there. A file is not: it is written next, and noticed again when it is closed.
    private func isComplete(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        // A second name for a file is made at once.
        return status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
    }
}

/// The system does not watch files for this process.
public struct WatchFailure: Error, CustomStringConvertible {
    let number: Int32

    /// From the call that just failed.
    init() { number = errno }

    public var description: String {
        """
        cannot watch the configuration and its plugins
          why: \(String(cString: strerror(number)))
          fix: \(fix)
        """
    }

    private var fix: String {
        switch number {
        case ENOSPC: "raise fs.inotify.max_user_watches (sysctl), or run without --watch"
        case EMFILE: "raise fs.inotify.max_user_instances (sysctl), or run without --watch"
        default: "run without --watch"
        }
    }
}
