import Glibc

/// The path of a store, as its user named it and as the system knows it.
struct StorePath {
    /// For messages.
    let shown: String
    /// Absolute and without links: two names of one file must meet at one lock, and SQLite must not take a name like
    /// `:memory:` for anything but a file.
    let absolute: String
    let exists: Bool

    /// - Throws: if it cannot be the path of a store: what it is in does not exist, or it is a folder.
    init(_ path: String) throws(StoreError) {
        shown = path
        if let found = Self.real(path) {
            if Self.isFolder(found) { throw .folder(path) }
            (absolute, exists) = (found, true)
        } else {
            // SQLite makes the file that a link leads to, and the next process finds it there.
            let (folder, name) = Self.split(try Self.followed(path))
            guard let found = Self.real(folder), Self.isFolder(found) else {
                throw .missing(path, folder: folder)
            }
            (absolute, exists) = (found == "/" ? "/" + name : found + "/" + name, false)
        }
    }

    /// The path itself where the file is no link: so it is for messages.
    static func behindLinks(_ path: String) -> String {
        if target(of: path) == nil { return path }
        return (try? StorePath(path))?.absolute ?? path
    }

    /// What the links at the end of a path lead to, also where there is nothing yet.
    private static func followed(_ path: String) throws(StoreError) -> String {
        var place = path
        for _ in 0...mostLinks {
            guard let target = target(of: place) else { return place }
            place = target.hasPrefix("/") ? target : split(place).folder + "/" + target
        }
        throw .system(ELOOP, path: path, file: path)
    }

    /// As many as Linux follows.
    private static let mostLinks = 40

    /// Nil for what is no link.
    private static func target(of path: String) -> String? {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = target.withUnsafeMutableBytes { bytes in
            readlink(path, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        return length > 0 ? String(decoding: target[..<length], as: UTF8.self) : nil
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }
}
