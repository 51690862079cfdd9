import BelfryModel
import GRDB

extension SQLiteStore {
    /// Writes changes where they are to be, as a part of a commit.
    ///
    /// - Returns: what of it is in the journal.
    func keep(_ changes: [RecordChange], _ db: Database) throws -> [Database.JournalRow] {
        guard !changes.isEmpty else { return [] }
        if changes.contains(where: { !$0.parts.isEmpty }) { journal.withLock { $0.mayHaveParts = true } }
        for change in changes { try db.applyParts(of: change) }
        // Not beside older ones of the same subjects in the journal, which would become rows later.
        guard changes.count < limits.records, try db.isJournalEmpty() else { return try db.addToJournal(changes) }
        journal.withLock { $0.mayHaveRows = true }
        for change in changes { try db.apply(change) }
        return []
    }

    /// Makes rows of a small journal, and finds out what is in a large one.
    func takeUp() throws(StoreError) {
        if try read({ try $0.journalSize() }) <= limits.lasting { try foldJournal() }
        let found = try read { db in
            var journal = Journal()
            try db.forEachJournalEntry { journal.index.note($0, at: $1) }
            journal.sizeOfRows = try db.size() - journal.index.size
            journal.mayHaveRows = try db.hasRows(in: "records")
            journal.mayHaveParts = try db.hasRows(in: "parts")
            return journal
        }
        journal.withLock { $0 = found }
    }

    var isJournalFull: Bool {
        journal.withLock { $0.index.size > max(limits.bytes, Int(Double($0.sizeOfRows) * limits.share)) }
    }

    /// Makes rows of what is in the journal, if anything is: for whoever looks at rows.
    func foldJournal() throws(StoreError) {
        if isReadOnly { return }
        try write { db in
            guard try !db.isJournalEmpty() else { return }
            // Before there are any: somebody may be reading meanwhile.
            journal.withLock { $0.mayHaveRows = true }
            try db.foldJournal()
            let size = try db.size()
            whenCommitted(db) { journal in
                journal.index.removeAll()
                journal.sizeOfRows = size
            }
        }
    }

    /// Notes what a transaction has done to the journal before the next one begins, which may be another thread's.
    func whenCommitted(_ db: Database, _ note: @escaping @Sendable (inout Journal) -> Void) {
        db.afterNextTransaction { [self] _ in journal.withLock { note(&$0) } }
    }
}

extension Database {
    func isJournalEmpty() throws -> Bool { try !hasRows(in: "journal") }

    fileprivate func hasRows(in table: String) throws -> Bool {
        try Row.fetchOne(cachedStatement(sql: "SELECT 1 FROM \(table) LIMIT 1")) != nil
    }

    /// What its pages take that are in use, in bytes.
    fileprivate func size() throws -> Int {
        func number(_ name: String) throws -> Int { try Int.fetchOne(self, sql: "PRAGMA \(name)") ?? 0 }
        return try (number("page_count") - number("freelist_count")) * number("page_size")
    }
}
