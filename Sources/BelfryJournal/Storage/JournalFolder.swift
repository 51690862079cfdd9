import CLinux
import Glibc
import Synchronization

/// Where the segments of a journal lie as files: in a folder, or in memory.
final class JournalFolder: SegmentStorage {
    let path: String
    private let isInMemory: Bool
    /// Segments in memory, by their names.
    private let memory = Mutex<[String: Int32]>([:])

    /// - Parameter path: nil for one in memory.
    init(_ path: String?) {
        self.path = path ?? "memory"
        isInMemory = path == nil
    }

    deinit { memory.withLock { for descriptor in $0.values { close(descriptor) } } }

    func create() throws(JournalError) {
        if isInMemory || mkdir(path, 0o755) == 0 { return }
        if errno != EEXIST { throw .system(errno, path, path) }
    }

    func names() throws(JournalError) -> [String] {
        isInMemory ? memory.withLock { Array($0.keys) } : try files()
    }

    private func files() throws(JournalError) -> [String] {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return [] }
            throw .system(errno, path, path)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let name = belfry_next_name(folder) { names.append(String(cString: name)) }
        return names
    }

    func open(_ name: String, isNew: Bool, isReadOnly: Bool) throws(JournalError) -> any SegmentFile {
        let descriptor = descriptor(of: name, isNew: isNew, isReadOnly: isReadOnly)
        if descriptor < 0 { throw .system(errno, path, name) }
        return SystemFile(descriptor, name, in: path, isOnDisk: !isInMemory)
    }

    private func descriptor(of name: String, isNew: Bool, isReadOnly: Bool) -> Int32 {
        if isInMemory {
            return memory.withLock { files in
                if let known = files[name] { return dup(known) }
                guard isNew else {
                    errno = ENOENT
                    return -1
                }
                let descriptor = belfry_memory_file(name)
                guard descriptor >= 0 else { return -1 }
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

    func putAside() throws(JournalError) -> String {
        let place = (1...).lazy.map { [path] number -> String in "\(path).damaged-\(number)" }
            .first { access($0, F_OK) != 0 }!
        guard rename(path, place) == 0 else { throw .system(errno, path, path) }
        return place
    }
}
