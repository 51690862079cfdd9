import BelfryModel

/// A record of which is known how it changed, by those who do not decide on it: the host of shards in processes, and what reads a journal.
///
/// It was checked when it was read. Changes wait until the record is asked for, which most never are, or until they are twice as
/// much as the record; what they make of it is checked as a whole.
package struct KeptRecord: Sendable {
    /// Without the directory, and without the changes that wait.
    private var content: [UInt8]
    /// What it refers to and the process does not know.
    private let directory: [UInt8]
    /// Each behind its length in 4 bytes.
    private var waiting: [UInt8] = []

    package init(_ record: borrowing SubjectRecord) {
        content = record.withContent { Array($0) }
        directory = record.block.bytes(of: .directory).withUnsafeBytes { Array($0) }
    }

    /// - Parameter stored: the stored form, from a source that is not trusted.
    /// - Throws: `RecordDamage`.
    package init(subject: String, stored: [UInt8], _ directory: StateDirectory) throws(RecordDamage) {
        self.init(try SubjectRecord(subject: subject, reading: stored, directory))
    }

    /// Adds a change, as `RecordChanges` has it.
    ///
    /// - Returns: false if a change is none of this record, which is of no use any more then.
    package mutating func add(_ change: ArraySlice<UInt8>) -> Bool {
        withUnsafeBytes(of: UInt32(change.count).littleEndian) { waiting.append(contentsOf: $0) }
        waiting.append(contentsOf: change)
        return waiting.count <= 2 * content.count || apply()
    }

    /// Takes over the changes that wait.
    ///
    /// - Returns: false if one is none of this record.
    package mutating func apply() -> Bool {
        var place = 0
        while place < waiting.count {
            let length = waiting.withUnsafeBytes { Int($0.loadNumber(at: place, as: UInt32.self)) }
            let change = place + 4..<place + 4 + length
            guard RecordDifference.apply(waiting[change].span.bytes, to: &content) else { return false }
            place = change.upperBound
        }
        waiting.removeAll()
        return true
    }

    /// When the next timer is due, once all changes are taken over.
    package var nextDue: Instant? {
        let due = content.withUnsafeBytes { $0.loadNumber(at: RecordBlock.Field.nextDue.offset, as: Int64.self) }
        return due == .max ? nil : Instant(milliseconds: due)
    }

    /// The record once all changes are taken over; every bit of it is checked.
    ///
    /// - Parameter known: what it refers to besides.
    /// - Throws: `RecordDamage`.
    package func record(of subject: String, _ known: StateDirectory) throws(RecordDamage) -> SubjectRecord {
        try SubjectRecord(subject: subject, reading: try sealed(known))
    }

    /// The same as it is to be stored.
    package func stored(as subject: String, _ known: StateDirectory) throws(RecordDamage) -> [UInt8] {
        let stored = try sealed(known)
        _ = try SubjectRecord(subject: subject, reading: stored, known)
        return stored
    }

    private func sealed(_ known: StateDirectory) throws(RecordDamage) -> [UInt8] {
        var bytes = content + directory
        let end = RecordDifference.endOfDirectory
        withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { bytes.replaceSubrange(end..<end + 4, with: $0) }
        // Its sections do not overlap, as each change was found to make sense. What its states refer to is read before the rest is checked.
        let record = SubjectRecord(RecordBlock(copying: bytes.span.bytes))
        guard SubjectRecord.areStates(record.block.bytes(of: .states)) else {
            throw RecordDamage(reason: "its section 'states' makes no sense")
        }
        return record.stored(known)
    }
}
