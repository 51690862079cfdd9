import BelfryPostgres
import Foundation

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

    /// What tells it from others. Each store in a database has one of its own, also one that a dump made.
    public var identity: String {
        get throws(JournalError) {
            if case .database(let database) = self { try database.identity } else { name }
        }
    }

    /// Leaves what is there where it can be looked at, under another name.
    ///
    /// - Returns: that name.
    /// - Throws: `JournalError` if the system refuses.
    public func putAside() throws -> String { try storage.putAside() }

    /// The names of journals that were put aside: folders, or segments of the database.
    public var putAsideBefore: [String] {
        get throws(JournalError) {
            switch self {
            case .memory: return []
            case .folder(let path):
                let (folder, name) = (
                    (path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent
                )
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
                return names.filter { $0.hasPrefix("\(name).damaged-") }.sorted()
                    .map { (folder as NSString).appendingPathComponent($0) }
            case .database: return try storage.names().filter { $0.hasPrefix("damaged-") }.sorted()
            }
        }
    }

    var storage: any SegmentStorage {
        switch self {
        case .memory: JournalFolder(nil)
        case .folder(let path): JournalFolder(path)
        case .database(let database): JournalTables(database)
        }
    }
}
