import Glibc

/// An open plugin file that only its owner and its group could have changed, and that lies in its folder.
///
/// It is checked through the descriptor that it is later read from, so that what was checked is what is
/// loaded. Refused are a file that others may write (mode o+w), a file in a folder that others may write, and
/// a link out of the folder; a link within is fine. Writable by the group is fine too: many systems give each
/// user a group and a umask of 002. Folders further up are not looked at, so a folder in a sticky `/tmp` is
/// good enough.
package struct PluginFile: ~Copyable {
    /// As it was found.
    package let path: String
    /// Without links.
    let real: String
    /// Taken before anything is read.
    let stamp: FileStamp
    package let kind: PluginKind
    private let descriptor: Int32

    /// Opens `path`, this once. Nil if it is no regular file, or no plugin at all, which is no error.
    ///
    /// `folder` is the folder that it must not leave; nil for a file that the user named, which may be a link
    /// to anywhere.
    package init?(path: String, inside folder: String?) throws(PluginRefusal) {
        // Never wait for a writer of a named pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            // A link to nowhere is no plugin; what may not be read could be one.
            if folder != nil, errno != EACCES { return nil }
            throw Self.unreadable(path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        let kind = PluginKind(descriptor: descriptor, size: Int(status.st_size))
        guard kind != .notAPlugin else {
            close(descriptor)
            return nil
        }
        do throws(PluginRefusal) {
            real = try Self.checkPlace(of: descriptor, status, path: path, inside: folder)
        } catch {
            close(descriptor)
            throw error
        }
        self.path = path
        self.stamp = FileStamp(status)
        self.kind = kind
        self.descriptor = descriptor
    }

    /// Where the open file really is.
    private static func checkPlace(
        of descriptor: Int32, _ status: stat, path: String, inside folder: String?
    ) throws(PluginRefusal) -> String {
        guard let real = realPath("/proc/self/fd/\(descriptor)") ?? realPath(path) else { throw unreadable(path) }
        if let folder, let realFolder = realPath(folder), !real.hasPrefix(realFolder == "/" ? "/" : realFolder + "/") {
            throw PluginRefusal(
                path: path, .untrusted, why: "it is a link to '\(real)', out of its folder",
                fix: "copy the file into the folder, or search the folder that it is in")
        }
        try checkFolder(of: real, for: path)
        guard status.st_mode & S_IWOTH == 0 else {
            throw PluginRefusal(
                path: path, .untrusted, why: "everybody may write to it (mode \(octal(status.st_mode)))",
                fix: "chmod o-w '\(real)'")
        }
        return real
    }

    deinit { close(descriptor) }

    var size: Int { Int(stamp.size) }

    /// The folder that it is really in.
    var folder: String { Self.folder(of: real) }

    /// The whole file.
    func contents() throws(PluginRefusal) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var done = 0
        while done < size {
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + done, size - done, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.unreadable(path) }
            done += count
        }
        return bytes
    }

    /// Refuses a folder that does not exist or that others may write.
    static func checkFolder(_ folder: String) throws(PluginRefusal) {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw PluginRefusal(
                .folder, path: folder, .unreadable, why: "there is no such folder",
                fix: "create it, or correct 'plugins: directories' or BELFRY_PLUGIN_PATH")
        }
        guard status.st_mode & S_IWOTH == 0 else {
            throw PluginRefusal(
                .folder, path: folder, .untrusted,
                why: "everybody may write to it (mode \(octal(status.st_mode)))",
                fix: "chmod o-w '\(folder)'")
        }
    }

    private static func checkFolder(of real: String, for path: String) throws(PluginRefusal) {
        do {
            try checkFolder(folder(of: real))
        } catch {
            let first = error.differences[0]
            throw PluginRefusal(
                path: path, first.code, why: "its folder '\(error.path)': \(first.why)", fix: first.fix)
        }
    }

    /// The folder that a file is really in; of one that is not there, the folder that its path names.
    package static func folder(ofFile path: String) -> String { folder(of: realPath(path) ?? path) }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func unreadable(_ path: String) -> PluginRefusal {
        PluginRefusal(
            path: path, .unreadable, why: "it cannot be read: \(lastSystemError())",
            fix: "correct the path or the permissions of the file")
    }
}

/// The path without links and dots, or nil if nothing is there.
func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
}

/// What the system says about the call that just failed.
package func lastSystemError() -> String { String(cString: strerror(errno)) }

private func octal(_ mode: mode_t) -> String { String(mode & 0o7777, radix: 8) }
