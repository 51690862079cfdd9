import BelfryEngine
import BelfryModel

/// How records changed, one behind the other: for each the length of its subject and of its difference, 4 bytes each, and these.
package enum RecordChanges {
    /// Ends to watch a record, and appends how it changed.
    ///
    /// - Returns: whether it did.
    static func append(
        _ record: borrowing SubjectRecord, _ watch: borrowing RecordWatch, to changes: inout GrowingBuffer
    ) -> Bool {
        let start = changes.count
        changes.append(fixed: UInt32(0))
        changes.append(fixed: UInt32(0))
        record.withSubject { changes.append($0) }
        let begin = changes.count
        guard watch.end(record, to: &changes) else {
            changes.cut(to: start)
            return false
        }
        changes.replace(start, withFixed: UInt32(begin - start - 8))
        changes.replace(start + 4, withFixed: UInt32(changes.count - begin))
        return true
    }

    /// - Parameter difference: as `forEach` shows it.
    package static func append(_ subject: String, _ difference: [UInt8], to changes: inout GrowingBuffer) {
        changes.append(fixed: UInt32(subject.utf8.count))
        changes.append(fixed: UInt32(difference.count))
        changes.append(subject)
        changes.append(difference)
    }

    /// Shows each change.
    ///
    /// - Returns: whether the bytes are changes.
    package static func forEach(
        in bytes: [UInt8], _ body: (_ subject: String, _ difference: ArraySlice<UInt8>) throws -> Void
    ) rethrows -> Bool {
        try bytes.withUnsafeBytes { raw in
            try forEachPlace(in: raw) { subject, difference in
                try body(String(decoding: bytes[subject], as: UTF8.self), bytes[difference])
            }
        }
    }

    /// Whether bytes are changes, of subjects of which `isMine` says yes to the hash. The differences themselves are not looked at.
    package static func areSound(_ bytes: UnsafeRawBufferPointer, _ isMine: (_ hash: UInt64) -> Bool) -> Bool {
        var areMine = true
        let areChanges = forEachPlace(in: bytes) { subject, _ in
            areMine = areMine && isMine(stableHash(UnsafeRawBufferPointer(rebasing: bytes[subject])))
        }
        return areChanges && areMine
    }

    /// Shows where the subject and the difference of each change lie.
    private static func forEachPlace(
        in bytes: UnsafeRawBufferPointer, _ body: (_ subject: Range<Int>, _ difference: Range<Int>) throws -> Void
    ) rethrows -> Bool {
        var place = 0
        while place < bytes.count {
            guard place + 8 <= bytes.count else { return false }
            let begin = place + 8 + number(in: bytes, at: place)
            let end = begin + number(in: bytes, at: place + 4)
            guard end <= bytes.count else { return false }
            try body((place + 8)..<begin, begin..<end)
            place = end
        }
        return true
    }

    private static func number(in bytes: UnsafeRawBufferPointer, at place: Int) -> Int {
        Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }
}
