import BelfryModel
import Foundation
import Glibc

/// The folder of private copies that plugins are loaded from.
///
/// The loader would hand back old code for a file that was replaced under its name, and the process would die
/// if a loaded file were truncated. So a plugin is loaded from a copy that no other user can reach, named by
/// the SHA-256 of its contents: the same contents are the same file for ever, other contents are another file. A library
/// beside the original is not found from there.
public final class PrivateCopies: Sendable {
    /// Mode 0700, of this user.
    public let folder: String
    private let isTemporary: Bool
    /// For how many seconds a file has to be as it is before its stamp is relied on.
    let settling: Int64
    private static let usualSettling: Int64 = 60

    /// Uses `folder`, and fails if it cannot.
    public convenience init(folder: String) throws(PluginRefusal) {
        try self.init(folder: folder, settling: Self.usualSettling)
    }

    init(folder: String, settling: Int64) throws(PluginRefusal) {
        guard Self.makePrivate(folder) else { throw Self.unusable(folder) }
        self.folder = folder
        self.settling = settling
        isTemporary = false
    }

    /// Uses `$XDG_CACHE_HOME/belfry/plugins`, else `~/.cache/belfry/plugins`, else a temporary folder that
    /// goes with this object.
    public init(environment: [String: String]) throws(PluginRefusal) {
        settling = Self.usualSettling
        if let folder = Self.cacheFolder(environment), Self.makePrivate(folder) {
            self.folder = folder
            isTemporary = false
            return
        }
        let template = (environment["TMPDIR"] ?? "/tmp") + "/belfry-plugins-XXXXXX"
        var name = Array(template.utf8CString)
        guard mkdtemp(&name) != nil else { throw Self.unusable(template) }
        folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        isTemporary = true
    }

    // Images stay mapped when their file is gone.
    deinit { if isTemporary { try? FileManager.default.removeItem(atPath: folder) } }

    /// The copy of a file on which no lock has a word, made now unless it is there already: what was hashed once is not
    /// read again.
    package func copy(of file: borrowing PluginFile) throws(PluginRefusal) -> (path: String, digest: SHA256Digest) {
        if let known = knownCopy(of: file.stamp) { return known }
        let contents = try file.contents()
        let digest = SHA256Digest(of: contents)
        let copy = try copy(of: contents, digest, for: file.path)
        note(copy, of: file.stamp)
        return (copy, digest)
    }

    /// The path of the copy of these contents, which have that digest.
    func copy(of contents: [UInt8], _ digest: SHA256Digest, for plugin: String) throws(PluginRefusal) -> String {
        // The file there may have other contents, because it was meddled with. It may be loaded, hence it is left alone
        // and the next name is taken.
        for attempt in 0..<100 {
            let path = "\(folder)/\(digest.digits)" + (attempt == 0 ? ".so" : "-\(attempt).so")
            guard access(path, F_OK) == 0 else {
                try write(contents, to: path, mode: 0o500, for: plugin)
                return path
            }
            if Self.has(path, contents) { return path }
        }
        throw Self.unusable(folder)
    }

    /// Writes a file whole or not at all: under another name first, then renamed.
    func write(_ contents: [UInt8], to path: String, mode: mode_t, for plugin: String) throws(PluginRefusal) {
        var name = Array("\(folder)/.new-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Self.unusable(folder) }
        defer { close(descriptor) }
        let complete =
            writeAll(contents, to: descriptor) && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
        guard complete, rename(name, path) == 0 else {
            let why = "it cannot be copied to '\(folder)': \(lastSystemError())"
            unlink(name)
            throw PluginRefusal(
                path: plugin, .unreadable, why: why,
                fix: "make room there, or set XDG_CACHE_HOME to another folder")
        }
    }

    private static func has(_ path: String, _ contents: [UInt8]) -> Bool {
        guard let data = FileManager.default.contents(atPath: path), data.count == contents.count else { return false }
        return data.withUnsafeBytes { data in
            contents.withUnsafeBytes { $0.isEmpty || memcmp($0.baseAddress!, data.baseAddress!, $0.count) == 0 }
        }
    }

    private static func cacheFolder(_ environment: [String: String]) -> String? {
        // A relative XDG_CACHE_HOME is to be ignored, says the XDG base directory specification.
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            return cache + "/belfry/plugins"
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.cache/belfry/plugins"
    }

    /// Whether `folder` is, or could be made, a folder that only this user can look into.
    private static func makePrivate(_ folder: String) -> Bool {
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid()
        else { return false }
        if status.st_mode & 0o777 != 0o700, chmod(folder, 0o700) != 0 { return false }
        return access(folder, W_OK) == 0
    }

    private static func unusable(_ folder: String) -> PluginRefusal {
        PluginRefusal(
            .folder, path: folder, .unreadable,
            why: "private copies of plugins cannot be kept there: \(lastSystemError())",
            fix: "make it a folder of this user, or set XDG_CACHE_HOME to another one")
    }
}

/// Writes everything, or says that it could not.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + done, bytes.count - done) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
    }
    return true
}
