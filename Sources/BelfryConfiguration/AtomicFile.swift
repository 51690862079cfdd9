import Foundation

/// Replaces files in one step: a reader sees the old text or the new one, never a part.
package enum AtomicFile {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes `text` beside the file and puts it in its place, with its permissions. A link stays a link: its target is replaced.
    ///
    /// - Throws: also when the file no longer has the text `old`, because it was edited meanwhile.
    static func replace(_ path: String, with text: String, ifStill old: String) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        let temporary = "\(target).\(ProcessInfo.processInfo.processIdentifier).tmp"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: temporary), options: .withoutOverwriting)
            if let mode = attributes[.posixPermissions] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary)
            }
            try synchronize(temporary)
            guard FileManager.default.contents(atPath: target) == Data(old.utf8) else {
                throw Failure(description: "somebody else has changed it meanwhile")
            }
            guard rename(temporary, target) == 0 else {
                throw Failure(description: String(cString: strerror(errno)))
            }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw Failure(description: error.fileReason)
        }
    }

    /// Writes a file, new or in the place of another, whose permissions it gets. A link stays a link.
    package static func write(_ path: String, text: String) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let temporary = "\(target).\(ProcessInfo.processInfo.processIdentifier).tmp"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: temporary), options: .withoutOverwriting)
            let attributes = try? FileManager.default.attributesOfItem(atPath: target)
            if let mode = attributes?[.posixPermissions] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary)
            }
            try synchronize(temporary)
            guard rename(temporary, target) == 0 else { throw Failure(description: String(cString: strerror(errno))) }
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw Failure(description: error.fileReason)
        }
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
