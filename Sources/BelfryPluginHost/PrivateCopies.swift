import BelfryModel
import Foundation
import Glibc

/// The folder of private copies that plugins are loaded from.
///
/// The loader would hand back old code for a file that was replaced under its name, and the process would die
/// if a loaded file were truncated. So a plugin is loaded from a copy that nobody else can reach, named by
/// its contents: the same contents are the same file for ever, other contents are another file. A library
/// beside the original is not found from there.
public final class PrivateCopies: Sendable {
    /// Mode 0700, of this user.
    public let folder: String
    private let isTemporary: Bool
    /// For how many seconds a file has to be as it is before its stamp is relied on.
    let settling: Int64

    /// Uses `folder`, and fails if it cannot.
    public convenience init(folder: String) throws(PluginRefusal) { try self.init(folder: folder, settling: 60) }

    init(folder: String, settling: Int64) throws(PluginRefusal) {
        guard Self.makePrivate(folder) else { throw Self.unusable(folder) }
        self.folder = folder
        self.settling = settling
        isTemporary = false
    }

    /// Uses `$XDG_CACHE_HOME/belfry/plugins`, else `~/.cache/belfry/plugins`, else a temporary folder that
    /// goes with this object.
    public init(environment: [String: String]) throws(PluginRefusal) {
        settling = 60
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

    /// The path of the copy of `file`, made now unless it is there already.
    package func copy(of file: borrowing PluginFile) throws(PluginRefusal) -> String {
        if let known = knownCopy(of: file.stamp) { return known }
        let copy = try comparedCopy(of: file)
        note(copy, of: file.stamp)
        return copy
    }

    private func comparedCopy(of file: borrowing PluginFile) throws(PluginRefusal) -> String {
        let contents = try file.contents()
        let stem = "\(folder)/\(Self.name(of: contents))"
        // Names are short hashes, so the file there may have other contents: by chance, or because somebody
        // meddled with it. It may be loaded, hence it is left alone and the next name is taken.
        for attempt in 0..<100 {
            let path = attempt == 0 ? stem + ".so" : "\(stem)-\(attempt).so"
            switch Self.compare(path, with: contents) {
            case .same: return path
            case .other: continue
            case .absent:
                try write(contents, to: path, mode: 0o500, for: file.path)
                return path
            }
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

    /// Sixteen hexadecimal digits of a hash, and the size. Nothing rests on the hash, because copies are compared byte by byte.
    static func name(of contents: [UInt8]) -> String {
        let digits = String(stableHash(contents), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + "-\(contents.count)"
    }

    private enum Comparison { case absent, same, other }

    private static func compare(_ path: String, with contents: [UInt8]) -> Comparison {
        guard access(path, F_OK) == 0 else { return .absent }
        guard let data = FileManager.default.contents(atPath: path) else { return .other }
        guard data.count == contents.count else { return .other }
        let difference = data.withUnsafeBytes { data in
            contents.withUnsafeBytes { $0.isEmpty ? 0 : memcmp($0.baseAddress!, data.baseAddress!, $0.count) }
        }
        return difference == 0 ? .same : .other
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
