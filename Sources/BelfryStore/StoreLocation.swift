import BelfryPostgres
import Glibc

/// Where a store is, as configurations and command lines name it: `memory`, `memory:`, `sqlite:PATH` or `postgres:URL`.
public enum StoreLocation: Sendable, Hashable {
    /// Lives and dies with the process.
    case memory
    /// A database file; a relative path is relative to the working directory.
    case sqlite(path: String)
    /// A database of a server, which several machines may share.
    case postgres(PostgresAddress)

    /// What a store is named by, for messages.
    public static let forms = "memory:, sqlite:PATH or postgres:URL"

    /// Nil for any other text, and for those that need a path or an address without one.
    public init?(_ text: String) {
        if let address = PostgresAddress(text) {
            self = .postgres(address)
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count == 2 ? parts[1] : "") {
        case ("memory", ""): self = .memory
        case (_, ""): return nil
        case ("sqlite", let path): self = .sqlite(path: path)
        default: return nil
        }
    }

    /// Nil for what is in no file.
    public var path: String? {
        switch self {
        case .memory, .postgres: nil
        case .sqlite(let path): path
        }
    }

    /// A store of the same kind elsewhere.
    public func at(_ path: String) -> StoreLocation {
        switch self {
        case .memory, .postgres: self
        case .sqlite: .sqlite(path: path)
        }
    }

    /// The same place with a relative path taken to be relative to `folder`, such as the configuration's own.
    public func resolved(against folder: String) -> StoreLocation {
        guard let path, !path.hasPrefix("/"), !["", "."].contains(folder) else { return self }
        return at(folder.hasSuffix("/") ? folder + path : folder + "/" + path)
    }

    /// The same store by the name that links lead to, also before there is a file. What lies beside a store is named after that.
    public var behindLinks: StoreLocation { path.map { at(StorePath.behindLinks($0)) } ?? self }

    /// The folder of the journal that belongs to the store; nil if that is in no file, either.
    public var journalPath: String? { behindLinks.path.map { $0 + ".journal" } }

    /// Whether there is one. None is in memory before it is opened.
    public var exists: Bool {
        path.map { access($0, F_OK) == 0 } ?? false
    }

    /// - Throws: `locked` while another process has it open for writing; for a database, whatever else keeps this one from it.
    public func checkThatItIsFree() throws(StoreError) {
        switch self {
        case .memory: break
        case .sqlite(let path): try FileLock.checkThatItIsFree(for: StorePath(path).absolute, path: path)
        case .postgres: try StoreLookout(self)?.check()
        }
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
        case .postgres(let address):
            return try PostgresStore(at: address, readOnly: readOnly, creates: creates)
        }
    }
}

extension StoreLocation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres(let address): address.description
        }
    }
}
