import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB

/// The parts of records: in rows of their own, which are written when they change.
extension SQLiteStore {
    public func parts(of subject: String) throws(StoreError) -> [Int] {
        try read { try parts(of: find(subject), $0).keys.sorted() }
    }

    /// What a record begins with.
    ///
    /// - Parameter db: nil if there is nothing in rows.
    func leadingBytes(of found: Log.Found, _ db: Database?) throws -> [UInt8] {
        let parts = try parts(of: found, db)
        return parts.isEmpty ? [] : parts.keys.sorted().reduce(into: []) { $0 += parts[$1] ?? [] }
    }

    private func parts(of found: Log.Found, _ db: Database?) throws -> [Int: [UInt8]] {
        var parts: [Int: [UInt8]] = [:]
        if let db, found.parts?.areAll != true, try hasParts(db) { parts = try db.parts(of: found.subject) }
        guard let file = found.file, let changed = found.parts else { return parts }
        for (number, place) in changed.places {
            let bytes = try file.bytes(at: place)
            parts[number] = bytes.isEmpty ? nil : bytes
        }
        return parts
    }

    /// A store of an earlier version may be read. Somebody else may bring it up to date meanwhile.
    private func hasParts(_ db: Database) throws -> Bool {
        try isReadOnly ? SQLiteSchema.hasParts(db) : log.withLock { $0.mayHaveParts }
    }
}

extension Database {
    fileprivate func parts(of subject: String) throws -> [Int: [UInt8]] {
        let sql = "SELECT number, bytes FROM parts WHERE subject = CAST(? AS TEXT)"
        let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: [Data(subject.utf8)])
        var parts: [Int: [UInt8]] = [:]
        while let row = try rows.next() { parts[row[0]] = try row.bytes(at: 1) }
        return parts
    }

    /// - Parameter areAll: whether these are all that there are now.
    func apply(_ parts: [RecordPart], of subject: String, areAll: Bool) throws {
        if areAll {
            try cachedStatement(sql: "DELETE FROM parts WHERE subject = CAST(? AS TEXT)")
                .execute(arguments: [Data(subject.utf8)])
        }
        for part in parts { try apply(part, of: subject) }
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
