import Foundation

/// Replaces files in one step: a reader sees the old text or the new one, never a part.
package enum AtomicFile {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes a file in the place of another, whose permissions it gets. A link stays a link: its target is replaced.
    ///
    /// - Throws: also when the file no longer has the text `old`, because it was edited meanwhile.
    static func replace(_ path: String, with text: String, ifStill old: String) throws {
        try put(text, at: path) { target in
            guard FileManager.default.contents(atPath: target) == Data(old.utf8) else {
                throw Failure(description: "it was changed meanwhile")
            }
        }
    }

    /// Writes a file, new or in the place of another. A link stays a link.
    ///
    /// - Parameter mode: its permissions from the beginning; nil for those of the file that it replaces.
    /// - Throws: a failure whose text is the reason.
    package static func write(_ path: String, text: String, mode: mode_t? = nil) throws {
        try put(text, at: path, mode: mode) { _ in }
    }

    /// - Parameter check: looks at the file that is about to be replaced, and throws if it is to stay.
    private static func put(
        _ text: String, at path: String, mode: mode_t? = nil, check: (_ target: String) throws -> Void
    ) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let temporary = "\(target).\(ProcessInfo.processInfo.processIdentifier).tmp"
        do {
            try create(temporary, mode: mode)
            try Data(text.utf8).write(to: URL(fileURLWithPath: temporary))
            let former = try? FileManager.default.attributesOfItem(atPath: target)[.posixPermissions]
            if mode == nil, let former {
                try FileManager.default.setAttributes([.posixPermissions: former], ofItemAtPath: temporary)
            }
            try synchronize(temporary)
            try check(target)
            guard rename(temporary, target) == 0 else { throw Failure(description: String(cString: strerror(errno))) }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw Failure(description: error.fileReason)
        }
    }

    private static func create(_ path: String, mode: mode_t?) throws {
        // A killed process of the same number, which is often 1 in a container, may have left one.
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode ?? 0o666)
        guard descriptor >= 0 else { throw Failure(description: String(cString: strerror(errno))) }
        close(descriptor)
    }

    /// Keeps other processes of this program from changing a file while it is read, changed and written.
    ///
    /// The folder is locked, since the file itself is replaced. Where it cannot be, `body` is to say why.
    package static func change<Result>(_ path: String, _ body: () throws -> Result) rethrows -> Result {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let folder = open(target.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        while folder >= 0, flock(folder, LOCK_EX) != 0, errno == EINTR {}
        defer { if folder >= 0 { close(folder) } }
        return try body()
    }

    /// The bytes have to be on disk before the name points to them.
    private static func synchronize(_ path: String) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.synchronize()
        try handle.close()
    }
}
