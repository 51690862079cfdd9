import BelfryJournal
import BelfryStore
import Glibc

extension StoreLocation {
    /// The journal of a store that another process may be writing to.
    ///
    /// - Throws: `NoJournal` if there is none that outlives its process; `StoreError` if its database cannot be read.
    package var journal: JournalLocation {
        get throws {
            switch self {
            case .postgres(let address):
                return .database(try PostgresStore(at: address, readOnly: true).database())
            case .memory, .sqlite:
                guard let path = journalPath, access(path, F_OK) == 0 else { throw NoJournal(store: self) }
                return .folder(path)
            }
        }
    }
}

extension RecordStore {
    /// The journal that belongs to the store.
    ///
    /// - Parameter path: of its folder, for a store that is a file.
    func journal(at path: String?) throws -> JournalLocation {
        if let store = self as? PostgresStore { return .database(try store.database()) }
        return path.map { .folder($0) } ?? .memory
    }
}
