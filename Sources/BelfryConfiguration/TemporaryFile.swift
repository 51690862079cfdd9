import Foundation

/// A file that is to replace another, beside it. Other users can read it only when it is whole, by the permissions that it has then, unless
/// it is to have those of any new file.
///
/// `AtomicFile` removes it if it does not come to that.
struct TemporaryFile {
    let path: String
    private let handle: FileHandle
    private let permissions: mode_t?

    /// - Parameter permissions: those that it is to have in the end; nil: those of any new file.
    init(beside target: String, permissions: mode_t?) throws(AtomicFile.Failure) {
        path = "\(target).\(ProcessInfo.processInfo.processIdentifier).tmp"
        // A killed process of the same number, which is often 1 in a container, may have left one.
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions == nil ? 0o666 : 0o600)
        guard descriptor >= 0 else { throw .system }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.permissions = permissions
    }

    func write(_ text: String) throws(AtomicFile.Failure) {
        do { try handle.write(contentsOf: Data(text.utf8)) } catch {
            throw AtomicFile.Failure(description: error.fileReason)
        }
    }

    /// Gives it to the user and the group that have another file.
    func give(toOwnerOf former: stat) throws(AtomicFile.Failure) {
        var own = stat()
        guard fstat(handle.fileDescriptor, &own) == 0 else { throw .system }
        if own.st_uid == former.st_uid, own.st_gid == former.st_gid { return }
        guard fchown(handle.fileDescriptor, former.st_uid, former.st_gid) == 0 else {
            throw AtomicFile.Failure(
                description: "it belongs to uid \(former.st_uid) and gid \(former.st_gid), and what this user writes "
                    + "cannot be given to them: \(String(cString: strerror(errno)))",
                fix: "do this as its owner or as root")
        }
    }

    /// Gives it its permissions. The bytes have to be on disk before the name that others know points to them.
    func finish() throws(AtomicFile.Failure) {
        if let permissions, fchmod(handle.fileDescriptor, permissions) != 0 { throw .system }
        guard fsync(handle.fileDescriptor) == 0 else { throw .system }
    }

    /// Removes what killed processes left. Only while no other process writes the file.
    static func removeAll(beside target: URL) {
        let folder = target.deletingLastPathComponent().path
        let start = target.lastPathComponent + "."
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(start) {
            let rest = name.dropFirst(start.count)
            if rest.hasSuffix(".tmp"), Int32(rest.dropLast(4)) != nil { unlink("\(folder)/\(name)") }
        }
    }
}
