import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB

/// The parts of records: in rows of their own, which are written when they change.
extension SQLiteStore {
    public func parts(of subject: String) throws(StoreError) -> [Int] {
        try read { try hasParts($0) ? $0.partNumbers(of: subject) : [] }
    }

    /// What a record begins with.
    func parts(of subject: String, _ db: Database) throws -> [UInt8] {
        try hasParts(db) ? db.parts(of: subject) : []
    }

    /// A store of an earlier version may be read. Somebody else may bring it up to date meanwhile.
    private func hasParts(_ db: Database) throws -> Bool {
        try isReadOnly ? SQLiteSchema.hasParts(db) : journal.withLock { $0.mayHaveParts }
    }
}

extension Database {
    func partNumbers(of subject: String) throws -> [Int] {
        let sql = "SELECT number FROM parts WHERE subject = CAST(? AS TEXT) ORDER BY number"
        return try Int.fetchAll(cachedStatement(sql: sql), arguments: [Data(subject.utf8)])
    }

    func parts(of subject: String) throws -> [UInt8] {
        let sql = "SELECT bytes FROM parts WHERE subject = CAST(? AS TEXT) ORDER BY number"
        return try bytes(sql, [Data(subject.utf8)]).reduce(into: []) { $0 += $1 }
    }

    func applyParts(of change: RecordChange) throws {
        if !change.keepsParts || change.bytes == nil {
            try cachedStatement(sql: "DELETE FROM parts WHERE subject = CAST(? AS TEXT)")
                .execute(arguments: [Data(change.subject.utf8)])
        }
        guard change.bytes != nil else { return }
        for part in change.parts { try apply(part, of: change.subject) }
    }

    private func apply(_ part: RecordPart, of subject: String) throws {
        if part.bytes.isEmpty {
            return try cachedStatement(sql: "DELETE FROM parts WHERE subject = CAST(? AS TEXT) AND number = ?")
                .execute(arguments: [Data(subject.utf8), part.number])
        }
        let sql = """
            INSERT INTO parts (subject, number, bytes) VALUES (CAST(? AS TEXT), ?, ?)
            ON CONFLICT (subject, number) DO UPDATE SET bytes = excluded.bytes
            """
        try part.bytes.withData {
            try cachedStatement(sql: sql).execute(arguments: [Data(subject.utf8), part.number, $0])
        }
    }

    /// Puts the parts of a record before what of it was set aside.
    func moveParts(ofRow number: Int64, toDamaged damaged: Int64) throws {
        let isOfRow = "subject = (SELECT subject FROM records WHERE rowid = ?)"
        let parts = try bytes("SELECT bytes FROM parts WHERE \(isOfRow) ORDER BY number", [number])
        guard !parts.isEmpty else { return }
        let record = try bytes("SELECT record FROM damaged WHERE rowid = ?", [damaged])
        let whole = Data((parts + record).joined())
        try execute(sql: "UPDATE damaged SET record = ? WHERE rowid = ?", arguments: [whole, damaged])
        try execute(sql: "DELETE FROM parts WHERE \(isOfRow)", arguments: [number])
    }
}
