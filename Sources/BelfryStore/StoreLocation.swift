import Glibc

/// Where a store is, as configurations and command lines name it: `memory`, `memory:` or `sqlite:PATH`.
public enum StoreLocation: Sendable, Hashable {
    /// Lives and dies with the process.
    case memory
    /// A database file; a relative path is relative to the working directory.
    case sqlite(path: String)

    /// Nil for any other text, and for `sqlite:` without a path.
    public init?(_ text: String) {
        let prefix = "sqlite:"
        if text == "memory" || text == "memory:" {
            self = .memory
        } else if text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count {
            self = .sqlite(path: String(text.dropFirst(prefix.count)))
        } else {
            return nil
        }
    }

    /// The same place with a relative path taken to be relative to `folder`, such as the configuration's own.
    public func resolved(against folder: String) -> StoreLocation {
        guard case .sqlite(let path) = self, !path.hasPrefix("/"), !["", "."].contains(folder) else { return self }
        return .sqlite(path: folder.hasSuffix("/") ? folder + path : folder + "/" + path)
    }

    /// The folder of the journal that belongs to the store; nil if that is in memory, too.
    public var journalPath: String? {
        guard case .sqlite(let path) = self else { return nil }
        return path + ".journal"
    }

    /// Whether there is one. None is in memory before it is opened.
    public var exists: Bool {
        guard case .sqlite(let path) = self else { return false }
        return access(path, F_OK) == 0
    }

    /// Opens the store, and creates it first where there is none.
    ///
    /// With `readOnly` nothing is created, commits are refused, and a store that a `belfry run` is writing to can be
    /// opened as well. Without `creates`, it must be there already. A memory store cannot be opened so: there is never
    /// anything in it.
    public func open(readOnly: Bool = false, creates: Bool = true) throws(StoreError) -> any RecordStore {
        switch self {
        case .memory:
            if readOnly || !creates { throw .nothingInMemory() }
            return MemoryStore()
        case .sqlite(let path):
            return try SQLiteStore(path: path, readOnly: readOnly, creates: creates)
        }
    }
}

extension StoreLocation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:\(path)"
        }
    }
}
