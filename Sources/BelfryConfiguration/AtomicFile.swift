import Foundation

/// Replaces files in one step: a reader sees the old text or the new one, never a part.
package enum AtomicFile {
    /// Why a file stays as it was.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        package var fix = "check the folder and its permissions"

        /// What the system says of the last call.
        static var system: Failure { Failure(description: String(cString: strerror(errno))) }
    }

    /// Writes a file in the place of another, whose owner and permissions it gets. A link stays a link: its target is replaced.
    ///
    /// - Throws: also when the file no longer has the text `old`, because it was edited meanwhile.
    static func replace(_ path: String, with text: String, ifStill old: String) throws(Failure) {
        try put(text, at: path) { target throws(Failure) in
            guard FileManager.default.contents(atPath: target) == Data(old.utf8) else {
                throw Failure(description: "it was changed meanwhile", fix: "do it again")
            }
        }
    }

    /// Writes a file, new or in the place of another, whose owner it gets. A link stays a link.
    ///
    /// - Parameter mode: its permissions; nil for those of the file that it replaces.
    /// - Throws: a failure whose text is the reason.
    package static func write(_ path: String, text: String, mode: mode_t? = nil) throws(Failure) {
        try put(text, at: path, mode: mode) { _ in }
    }

    /// - Parameter check: looks at the file that is about to be replaced, and throws if it is to stay.
    private static func put(
        _ text: String, at path: String, mode: mode_t? = nil, check: (_ target: String) throws(Failure) -> Void
    ) throws(Failure) {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let former = try status(of: target)
        let file = try TemporaryFile(beside: target, permissions: mode ?? former.map { $0.st_mode & 0o7777 })
        do throws(Failure) {
            try file.write(text)
            if let former { try file.give(toOwnerOf: former) }
            try file.finish()
            try check(target)
            guard rename(file.path, target) == 0 else { throw .system }
        } catch {
            unlink(file.path)
            throw error
        }
    }

    /// Nil if there is no file.
    private static func status(of path: String) throws(Failure) -> stat? {
        var status = stat()
        if stat(path, &status) == 0 { return status }
        guard errno == ENOENT else { throw .system }
        return nil
    }

    /// Keeps other processes of this program from changing a file while it is read, changed and written.
    ///
    /// The folder is locked, since the file itself is replaced. Where it cannot be, `body` is to say why. What processes that were killed
    /// in `body` left beside the file is removed.
    package static func change<Result>(_ path: String, _ body: () throws -> Result) rethrows -> Result {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let folder = open(target.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        if isLocked(folder) { TemporaryFile.removeAll(beside: target) }
        return try body()
    }

    private static func isLocked(_ folder: Int32) -> Bool {
        while flock(folder, LOCK_EX) != 0 { if errno != EINTR { return false } }
        return true
    }
}
