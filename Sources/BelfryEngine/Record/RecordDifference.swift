import BelfryModel

// What a journal says of a record that changed: how its block differs from what it was before. The directory is left out: it says what
// numbers stand for, which a journal says once for all records. Numbers are LEB128, signed ones zigzag.
//
//   4 bytes that tell the header as it is now from others
//   1 byte which of these changed, and by how much each: flags, timers armed, time, decisions, since when the app is where it is,
//   notifications in the history, and held; and when the next timer is due, which is told as it is: 0 for never, else its zigzag in ms and 1 more
//   2 bytes which of the 12 sections changed, and for each of these: how long it is now, with 1 in the lowest bit if nothing in it moves, and
//   steps until it is as long, each a number with its kind in the lowest two bits:
//     0  so many words follow
//     1  so many words as they were, at the same place moved by the shift
//     2  so many zero words
//     3  the shift in bytes, zigzag, 0 before
//   then the last bytes, fewer than a word

extension SubjectRecord {
    /// The bytes of the record without its directory.
    package func withContent<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        block.bytes.extracting(0..<block.range(of: .directory).lowerBound).withUnsafeBytes(body)
    }
}

/// Sees how a record changes. One record after the other, with the same memory.
package struct RecordWatch: ~Copyable {
    private let former: UnsafeMutablePointer<FormerRecord>

    package init() {
        former = .allocate(capacity: 1)
        former.initialize(to: FormerRecord())
    }

    deinit {
        former.deinitialize(count: 1)
        former.deallocate()
    }

    /// Begins to watch a record.
    package func begin(_ record: borrowing SubjectRecord) {
        former.pointee.begin(record.block)
        record.block.former = former
    }

    /// Ends it, and appends how the record differs from what it was.
    ///
    /// - Returns: whether it does.
    package func end(_ record: borrowing SubjectRecord, to buffer: inout GrowingBuffer) -> Bool {
        record.block.former = nil
        former.pointee.sortMarks()
        return record.withContent { RecordDifference.write(from: former.pointee, to: $0, &buffer) }
    }

    /// Begins to watch nothing but the tables of a record.
    package func beginTables(_ record: borrowing SubjectRecord) {
        former.pointee.beginTables()
        record.block.former = former
    }

    /// Ends that.
    package func endTables(_ record: borrowing SubjectRecord) { record.block.former = nil }

    /// Appends what was written in the tables of the record that was watched last; nil if one was made anew.
    package func collectTableMarks(_ marks: inout [TableMark]?) {
        for mark in former.pointee.marks {
            if mark & ~FormerRecord.isOfSecond == 0 { return marks = nil }
            marks?.append(mark)
        }
    }
}

/// How a record differs from what it was.
package enum RecordDifference {
    typealias Section = RecordBlock.Section
    static let sections = Section.directory.rawValue
    /// The end of the directory.
    static let endOfDirectory = RecordBlock.Field.ends.offset + 4 * sections

    /// Tells a record from what it was before and after, by its header: the sizes of its sections, its time, the number of its decisions.
    static func mark(_ content: UnsafeRawBufferPointer) -> UInt32 {
        let seed = stableHash(UnsafeRawBufferPointer(rebasing: content[..<endOfDirectory]))
        let rest = UnsafeRawBufferPointer(rebasing: content[(endOfDirectory + 4)..<RecordBlock.headerSize])
        return UInt32(truncatingIfNeeded: stableHash(rest, seed: seed))
    }

    static func end(of section: Int, in content: UnsafeRawBufferPointer) -> Int {
        if section < 0 { return RecordBlock.headerSize }
        return Int(content.loadNumber(at: RecordBlock.Field.ends.offset + 4 * section, as: UInt32.self))
    }

    static func range(of section: Int, in content: UnsafeRawBufferPointer) -> Range<Int> {
        Range(uncheckedBounds: (end(of: section - 1, in: content), end(of: section, in: content)))
    }

    // MARK: The header

    /// The numbers of the header that do not follow from sections and are told by how much they changed: where they lie, and how many bytes
    /// each has.
    @inline(__always)
    static var numbers: [7 of (offset: Int, size: Int)] {
        [
            (RecordBlock.Field.version.offset, 4), (RecordBlock.Field.timersArmed.offset, 4),
            (RecordBlock.Field.latest.offset, 8), (RecordBlock.Field.decisions.offset, 8),
            (RecordBlock.Field.appSince.offset, 8), (RecordBlock.Field.inHistory.offset, 4),
            (RecordBlock.Field.held.offset, 4),
        ]
    }

    @inline(__always)
    static func number(_ place: (offset: Int, size: Int), in content: UnsafeRawBufferPointer) -> Int64 {
        place.size == 4
            ? Int64(content.loadNumber(at: place.offset, as: UInt32.self))
            : content.loadNumber(at: place.offset, as: Int64.self)
    }
}

extension RecordDifference {
    /// What a step leads to.
    enum Kind: Int {
        case literal, copy, zeros, shift
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func loadNumber<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
