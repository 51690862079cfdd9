import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB

/// What is settled of records: in rows of their own, which are written once.
extension SQLiteStore {
    public func settledSize(for subject: String) throws(StoreError) -> Int {
        try read { try hasPages($0) ? $0.settledSize(for: subject) : 0 }
    }

    /// What is settled of the record of a subject; the record follows it.
    func settled(of subject: String, _ db: Database) throws -> [UInt8] {
        try hasPages(db) ? db.settled(of: subject) : []
    }

    /// A store of an earlier version may be read. Somebody else may bring it up to date meanwhile.
    private func hasPages(_ db: Database) throws -> Bool { try !isReadOnly || SQLiteSchema.hasPages(db) }
}

extension Database {
    func settledSize(for subject: String) throws -> Int {
        let sql = "SELECT start + length(bytes) FROM pages WHERE subject = CAST(? AS TEXT) ORDER BY start DESC LIMIT 1"
        return try Int.fetchOne(cachedStatement(sql: sql), arguments: [Data(subject.utf8)]) ?? 0
    }

    func settled(of subject: String) throws -> [UInt8] {
        let sql = "SELECT bytes FROM pages WHERE subject = CAST(? AS TEXT) ORDER BY start"
        return try bytes(sql, [Data(subject.utf8)]).reduce([], +)
    }

    /// Removes what is settled, unless it is kept, and adds to it.
    func settle(_ change: RecordChange) throws {
        if !change.keepsSettled || change.bytes == nil { try removeSettled(of: change.subject) }
        guard change.settled > 0, let bytes = change.bytes else { return }
        let start = try change.keepsSettled ? settledSize(for: change.subject) : 0
        let sql = "INSERT INTO pages (subject, start, bytes) VALUES (CAST(? AS TEXT), ?, ?)"
        try cachedStatement(sql: sql)
            .execute(arguments: [Data(change.subject.utf8), start, Data(bytes[..<change.settled])])
    }

    /// Puts what is settled of a record before what of it was set aside.
    func moveSettled(ofRow number: Int64, toDamaged damaged: Int64) throws {
        let isOfRow = "subject = (SELECT subject FROM records WHERE rowid = ?)"
        let settled = try bytes("SELECT bytes FROM pages WHERE \(isOfRow) ORDER BY start", [number])
        guard !settled.isEmpty else { return }
        let record = try bytes("SELECT record FROM damaged WHERE rowid = ?", [damaged])
        let whole = Data((settled + record).joined())
        try execute(sql: "UPDATE damaged SET record = ? WHERE rowid = ?", arguments: [whole, damaged])
        try execute(sql: "DELETE FROM pages WHERE \(isOfRow)", arguments: [number])
    }

    private func removeSettled(of subject: String) throws {
        try cachedStatement(sql: "DELETE FROM pages WHERE subject = CAST(? AS TEXT)")
            .execute(arguments: [Data(subject.utf8)])
    }
}
