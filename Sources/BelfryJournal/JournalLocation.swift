import BelfryPostgres

/// Where a journal is.
public enum JournalLocation: Sendable {
    /// Lives and dies with the process.
    case memory
    case folder(String)
    /// In the database of a store; written where that has the lease.
    case database(PostgresDatabase)

    /// For messages.
    public var name: String {
        switch self {
        case .memory: "memory"
        case .folder(let path): path
        case .database(let database): database.name
        }
    }

    /// Leaves what is there where it can be looked at, under another name.
    ///
    /// - Returns: that name.
    /// - Throws: `JournalError` if the system refuses.
    public func putAside() throws -> String { try storage.putAside() }

    var storage: any SegmentStorage {
        switch self {
        case .memory: JournalFolder(nil)
        case .folder(let path): JournalFolder(path)
        case .database(let database): JournalTables(database)
        }
    }
}
