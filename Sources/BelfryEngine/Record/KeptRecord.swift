/// A record of which is known how it changed elsewhere: by those that do not decide on it, but read a journal, or make up for a process.
///
/// It was checked when it was read. What the changes make of it is checked as a whole.
package struct KeptRecord {
    /// Without the directory.
    private var content: [UInt8]
    /// What it refers to and the process does not know.
    private let directory: [UInt8]

    package init(_ record: borrowing SubjectRecord) {
        content = record.withContent { Array($0) }
        directory = record.block.bytes(of: .directory).withUnsafeBytes { Array($0) }
    }

    /// Takes over a change, as `RecordChanges` has it.
    ///
    /// - Returns: false if it is none of this record, which is of no use any more then.
    package mutating func apply(_ change: ArraySlice<UInt8>) -> Bool {
        RecordDifference.apply(change.span.bytes, to: &content)
    }

    /// The record as it is now; every bit of it is checked.
    ///
    /// - Parameter known: what it refers to besides.
    /// - Throws: `RecordDamage`.
    package func record(of subject: String, _ known: StateDirectory) throws(RecordDamage) -> SubjectRecord {
        var bytes = content + directory
        let end = RecordDifference.endOfDirectory
        withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { bytes.replaceSubrange(end..<end + 4, with: $0) }
        // Its sections do not overlap, as each change was found to make sense. What its states refer to is read before the rest is checked.
        let record = SubjectRecord(RecordBlock(copying: bytes.span.bytes))
        guard SubjectRecord.areStates(record.block.bytes(of: .states)) else {
            throw RecordDamage(reason: "its section 'states' makes no sense")
        }
        return try SubjectRecord(subject: subject, reading: record.stored(known))
    }
}
