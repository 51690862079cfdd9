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
        var place = 0
        while place < bytes.count {
            guard place + 8 <= bytes.count else { return false }
            let (name, length) = (number(in: bytes, at: place), number(in: bytes, at: place + 4))
            let begin = place + 8 + name
            guard begin + length <= bytes.count else { return false }
            try body(String(decoding: bytes[(place + 8)..<begin], as: UTF8.self), bytes[begin..<begin + length])
            place = begin + length
        }
        return true
    }

    /// Whether bytes are changes, of subjects of which `isMine` says yes to the hash. The differences themselves are not looked at.
    package static func areSound(_ bytes: UnsafeRawBufferPointer, _ isMine: (_ hash: UInt64) -> Bool) -> Bool {
        var place = 0
        while place < bytes.count {
            guard place + 8 <= bytes.count else { return false }
            let (name, length) = (
                Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian),
                Int(bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self).littleEndian)
            )
            let end = place + 8 + name
            guard end + length <= bytes.count,
                isMine(stableHash(UnsafeRawBufferPointer(rebasing: bytes[(place + 8)..<end])))
            else { return false }
            place = end + length
        }
        return true
    }

    private static func number(in bytes: [UInt8], at place: Int) -> Int {
        bytes.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self))) }
    }
}
