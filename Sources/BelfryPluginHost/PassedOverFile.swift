import Glibc

/// A `.so` file that is no plugin. In a folder it is passed over: libraries that plugins need may lie beside them.
public struct PassedOverFile: Sendable, Hashable, Codable {
    public let path: String
    /// One phrase.
    public let why: String
    /// For the case that it is meant to be a plugin.
    public let fix: String

    /// Looks at a file that was found to be no plugin once more, and only at its beginning.
    package init(_ path: String) {
        self.path = path
        (why, fix) = Self.words(for: path)
    }

    private static func words(for path: String) -> (why: String, fix: String) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let why = errno == ENOENT ? "it is a link to nowhere" : "it cannot be reached: \(lastSystemError())"
            return (why, "correct the link or the permissions")
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return ("it is a folder", anotherFile)
        case S_IFREG where status.st_size == 0: return ("it is empty", "build it again")
        case S_IFREG: return words(for: path, size: Int(status.st_size))
        default: return ("it is no regular file", anotherFile)
        }
    }

    private static func words(for path: String, size: Int) -> (why: String, fix: String) {
        // It may have become a named pipe since: never wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return ("it cannot be opened: \(lastSystemError())", "correct the permissions of the file")
        }
        defer { close(descriptor) }
        guard let header = try? ELFSymbols.header(descriptor, size: size) else {
            return ("it is no shared object", anotherFile)
        }
        guard header.e_type != UInt16(ET_REL) else {
            return ("it is an object file that was not linked", "link it with -shared")
        }
        return ("it does not export 'belfry_plugin_entry_v1'", "export that function, and nothing else")
    }

    private static let anotherFile = "name the shared object that the build makes"
}

extension PluginRefusal {
    /// For a file that was named, and is no plugin.
    package static func noPlugin(_ path: String) -> PluginRefusal {
        let file = PassedOverFile(path)
        return PluginRefusal(path: path, .notAPlugin, why: file.why, fix: file.fix)
    }
}
