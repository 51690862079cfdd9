import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB

/// The journal: records as they were committed, one batch after the other, until they become rows of `records`.
///
/// Nearly every record of a batch lies in a page of its own, which would be written anew with each of them. One after the other, they
/// fill a tenth of the pages; and of all the versions that a record had since then, one is written as a row, in the order of subjects.
extension Database {
    /// Records that lie in one row of the journal take no more than this, unless it is a single one: whoever reads one of them reads all.
    /// It fills two pages.
    private static let chunkSize = 8100

    struct JournalRow {
        let number: Int64
        let changes: ArraySlice<RecordChange>
    }

    func addToJournal(_ changes: [RecordChange]) throws -> [JournalRow] {
        var rows: [JournalRow] = []
        var rest = changes[...]
        while !rest.isEmpty {
            let chunk = Self.chunk(of: rest)
            try JournalEntry.bytes(of: chunk).withData { bytes in
                try cachedStatement(sql: "INSERT INTO journal (bytes) VALUES (?)").execute(arguments: [bytes])
            }
            rows.append(JournalRow(number: lastInsertedRowID, changes: chunk))
            rest = rest[chunk.endIndex...]
        }
        return rows
    }

    private static func chunk(of changes: ArraySlice<RecordChange>) -> ArraySlice<RecordChange> {
        var size = 0
        let end = changes.firstIndex { change in
            size += JournalEntry.size(of: change)
            return size > chunkSize
        }
        return changes[..<max(end ?? changes.endIndex, changes.startIndex + 1)]
    }

    /// What lies at that place; nil if it is there no more.
    func journalChange(at place: JournalPlace) throws -> RecordChange? {
        let statement = try cachedStatement(sql: "SELECT bytes FROM journal WHERE number = ?")
        let rows = try Row.fetchCursor(statement, arguments: [place.row])
        return try rows.next()?.withUnsafeData(atIndex: 0) { data in
            try (data ?? Data()).withUnsafeBytes { bytes in
                guard let entry = JournalEntry(at: place.offset, in: bytes) else { throw JournalDamage(row: place.row) }
                return entry.change
            }
        }
    }

    /// The entries of all rows after that one, in the order of commits.
    func forEachJournalEntry(after number: Int64 = 0, _ body: (JournalEntry, JournalPlace) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            cachedStatement(sql: "SELECT number, bytes FROM journal WHERE number > ? ORDER BY number"),
            arguments: [number])
        while let row = try rows.next() {
            let number = row[0] as Int64
            try row.withUnsafeData(atIndex: 1) { data in
                try (data ?? Data()).withUnsafeBytes { try forEachEntry(of: number, $0, body) }
            }
        }
    }

    private func forEachEntry(
        of row: Int64, _ bytes: UnsafeRawBufferPointer, _ body: (JournalEntry, JournalPlace) throws -> Void
    ) throws {
        var offset = 0
        while offset < bytes.count {
            guard offset < JournalPlace.offsetLimit, let entry = JournalEntry(at: offset, in: bytes) else {
                throw JournalDamage(row: row)
            }
            try body(entry, JournalPlace(row: row, offset: offset, hasDue: entry.due != nil))
            offset += entry.size
        }
    }

    /// Bytes in the journal.
    func journalSize() throws -> Int { try Int.fetchOne(self, sql: "SELECT total(length(bytes)) FROM journal") ?? 0 }

    /// Makes rows of the newest version of each record, and empties the journal. Call it in a transaction.
    func foldJournal() throws {
        var order = JournalOrder()
        try forEachJournalEntry { order.note($0, at: $1) }
        // In the order in which they lie there: each page is written once.
        for place in order.places() {
            if let change = try journalChange(at: place) { try apply(change) }
        }
        try execute(sql: "DELETE FROM journal")
    }
}

/// A row of the journal makes no sense.
struct JournalDamage: Error, CustomStringConvertible {
    let row: Int64

    var description: String { "row \(row) of its journal makes no sense" }
}
