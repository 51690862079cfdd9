import BelfryModel
import Foundation  // `Data` is GRDB's word for bytes
import GRDB

/// Before there was a log, stores of versions 3 and 4 had a table `journal` for what was to become rows: records one after the other,
/// without their parts.
///
///     size  what
///     4     checksum of what follows, up to the record, which has one of its own
///     4     length of the subject
///     4     length of the record
///     1     1: it has a due time; 2: the record is deleted
///     8     the due time, in ms since 1970
///     …     the subject as UTF-8, the record
///
/// All numbers are little endian.
extension Database {
    func makeRowsOfOldJournal() throws {
        let rows = try Row.fetchCursor(self, sql: "SELECT number, bytes FROM journal ORDER BY number")
        while let row = try rows.next() {
            let bytes = try row.bytes(at: 1)
            try bytes.withUnsafeBytes { bytes in
                var offset = 0
                while offset < bytes.count {
                    guard let change = RecordChange(journalled: bytes, &offset) else {
                        throw JournalDamage(row: row[0])
                    }
                    try apply(change)
                }
            }
        }
    }
}

extension RecordChange {
    private static let headerSize = 21

    fileprivate init?(journalled bytes: UnsafeRawBufferPointer, _ offset: inout Int) {
        guard bytes.count - offset >= Self.headerSize else { return nil }
        let (subject, record): (UInt32, UInt32) = (bytes.number(at: offset + 4), bytes.number(at: offset + 8))
        let middle = offset + Self.headerSize + Int(subject)
        let end = middle + Int(record)
        guard end <= bytes.count, Self.checksum(bytes[offset + 4..<middle]) == bytes.number(at: offset) else {
            return nil
        }
        let flags = bytes[offset + 12]
        self.init(
            subject: String(decoding: bytes[offset + Self.headerSize..<middle], as: UTF8.self),
            bytes: flags & 2 == 0 ? [UInt8](bytes[middle..<end]) : nil,
            nextDue: flags & 1 == 0 ? nil : Instant(milliseconds: bytes.number(at: offset + 13)), keepsParts: true)
        offset = end
    }

    /// FNV-1a.
    private static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32 {
        bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}

/// A row of the old journal makes no sense.
struct JournalDamage: Error, CustomStringConvertible {
    let row: Int64

    var description: String { "row \(row) of its journal makes no sense" }
}
