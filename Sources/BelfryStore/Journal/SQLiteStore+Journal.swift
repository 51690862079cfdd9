import BelfryModel
import GRDB

extension SQLiteStore {
    /// Writes changes where they are to be, as a part of a commit.
    ///
    /// - Returns: what of it is in the journal.
    func keep(_ changes: [RecordChange], _ db: Database) throws -> [Database.JournalRow] {
        guard !changes.isEmpty else { return [] }
        for change in changes { try db.applyParts(of: change) }
        // Not beside older ones of the same subjects in the journal, which would become rows later.
        guard changes.count < limits.records, try db.isJournalEmpty() else { return try db.addToJournal(changes) }
        journal.withLock { $0.mayHaveRows = true }
        for change in changes { try db.apply(change) }
        return []
    }

    /// Makes rows of what is in the journal, if anything is: for whoever looks at rows.
    func foldJournal() throws(StoreError) {
        if isReadOnly { return }
        try write { db in
            guard try !db.isJournalEmpty() else { return }
            // Before there are any: somebody may be reading meanwhile.
            journal.withLock { $0.mayHaveRows = true }
            try db.foldJournal()
        }
        journal.withLock { $0.removeAll() }
    }
}
