import BelfryJournal
import BelfryStore
import Glibc

extension StoreLocation {
    /// The journal of a store that another process may be writing to.
    ///
    /// - Throws: `NoJournal` if there is none that outlives its process; `StoreError` if its database cannot be read; `ShadowRefusal` or
    ///   `RecordTransferFailure` while a promotion or an import is not finished.
    package var journal: JournalLocation {
        get throws {
            switch self {
            case .postgres(let address):
                let store = try PostgresStore(at: address, readOnly: true)
                try store.checkThatItIsWhole(reads: true)
                return .database(try store.database())
            case .memory, .sqlite:
                guard let path = journalPath, access(path, F_OK) == 0 else { throw NoJournal(store: self) }
                try checkThatRecordsAreWhole()
                return .folder(path)
            }
        }
    }

    /// A journal may be all that is left of a store: it is read also where records cannot be.
    private func checkThatRecordsAreWhole() throws {
        guard exists, let records = try? open(readOnly: true) else { return }
        defer { records.close() }
        do {
            try records.checkThatItIsWhole(reads: true)
        } catch is StoreError {}
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
