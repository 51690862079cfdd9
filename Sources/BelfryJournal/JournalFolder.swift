import CLinux
import Glibc
import Synchronization

/// Where the segments of a journal lie: in a folder, or in memory.
final class JournalFolder: Sendable {
    /// For messages.
    let path: String
    let isInMemory: Bool
    /// Segments in memory, by their names.
    private let memory = Mutex<[String: Int32]>([:])

    /// - Parameter path: nil for one in memory.
    init(_ path: String?) {
        self.path = path ?? "memory"
        isInMemory = path == nil
    }

    deinit { memory.withLock { for descriptor in $0.values { close(descriptor) } } }

    /// Makes the folder if there is none.
    func create() throws(JournalError) {
        if isInMemory || mkdir(path, 0o755) == 0 { return }
        if errno != EEXIST { throw .system(errno, path, path) }
    }

    /// What the name of a segment ends with while it is written anew.
    static let unfinished = ".new"

    /// Removes what a rewrite left that was killed: nobody would find what is in it.
    func removeUnfinished() throws(JournalError) {
        if isInMemory { return }
        for name in try files() where name.hasSuffix(Self.unfinished) { unlink("\(path)/\(name)") }
    }

    /// The numbers of the first entries of the segments that there are, ascending.
    func segments() throws(JournalError) -> [UInt64] {
        let names = isInMemory ? memory.withLock { Array($0.keys) } : try files()
        return names.compactMap { name in
            name.hasSuffix(JournalSegment.suffix) ? UInt64(name.dropLast(JournalSegment.suffix.count)) : nil
        }.sorted()
    }

    private func files() throws(JournalError) -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            throw .system(errno, path, path)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    /// - Returns: a descriptor; negative if the system refuses.
    func open(_ name: String, isNew: Bool, isReadOnly: Bool) -> Int32 {
        if isInMemory {
            return memory.withLock { files in
                if let known = files[name] { return dup(known) }
                let descriptor = belfry_memory_file(name)
                files[name] = descriptor
                return dup(descriptor)
            }
        }
        let mode = isReadOnly ? O_RDONLY : isNew ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR
        return Glibc.open("\(path)/\(name)", mode | O_CLOEXEC, 0o644)
    }

    func remove(_ name: String) {
        if isInMemory {
            memory.withLock { files in _ = files.removeValue(forKey: name).map { close($0) } }
        } else {
            unlink("\(path)/\(name)")
        }
    }

    /// Puts one file in the place of another, all at once.
    func replace(_ name: String, with other: String) throws(JournalError) {
        if isInMemory {
            return memory.withLock { files in
                if let former = files[name] { close(former) }
                files[name] = files.removeValue(forKey: other)
            }
        }
        guard rename("\(path)/\(other)", "\(path)/\(name)") == 0 else { throw .system(errno, path, name) }
        try sync()
    }

    /// Names of files survive a power loss only with their folder.
    func sync() throws(JournalError) {
        if isInMemory { return }
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else { throw .system(errno, path, path) }
    }
}
