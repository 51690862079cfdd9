import BelfryModel

// What a journal says of a record that changed: how its block differs from what it was before.
//
// The directory is left out: it says what numbers stand for, which a journal says once for all records. So a change is
//
//   4 bytes that tell the header as it is now from others
//   2 bytes which of the 12 words of the header changed, one bit each (the word with the end of the directory counts without it), and these words
//   2 bytes which of the 12 sections changed, one bit each, and for each of these, all as LEB128 numbers:
//     how long it is now · how many bytes are kept at its head (0 or 16) · how many bytes of the former are dropped behind that
//     then in turns how many words are the same, and how many follow as they are, until the shorter of both ends
//     then the rest of the new section

extension SubjectRecord {
    /// The bytes of the record without its directory.
    package func withContent<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        block.bytes.extracting(0..<block.range(of: .directory).lowerBound).withUnsafeBytes(body)
    }

    /// Appends what is needed to tell later how the record differs from what it is now, and begins to watch its tables.
    package func keepBefore(_ copy: inout GrowingBuffer) {
        block.removeMarks()
        withContent { content in
            var start = 0
            for section in [RecordBlock.Section.ids, .requestKeys] where isTable(section) {
                let table = block.range(of: section)
                copy.append(UnsafeRawBufferPointer(rebasing: content[start..<table.lowerBound + Self.idsHeaderSize]))
                start = table.upperBound
            }
            copy.append(UnsafeRawBufferPointer(rebasing: content[start...]))
        }
    }

    /// Appends how the record differs from what it was.
    ///
    /// - Parameter before: as `keepBefore` left it.
    /// - Returns: whether it does.
    package func writeDifference(from before: UnsafeRawBufferPointer, to buffer: inout GrowingBuffer) -> Bool {
        withContent { content in
            RecordDifference.write(from: before, to: content, &buffer) { section in block.marks(of: section) }
        }
    }

    /// Makes a record of the content that `RecordDifference.apply` gave.
    ///
    /// - Parameters:
    ///   - base: the record that it came of: its directory is taken over.
    ///   - directory: what the content refers to besides.
    /// - Throws: `RecordDamage`.
    package init(
        _ content: [UInt8], directoryOf base: borrowing SubjectRecord, _ directory: StateDirectory
    ) throws(RecordDamage) {
        var bytes = content
        base.block.bytes(of: .directory).withUnsafeBytes { bytes.append(contentsOf: $0) }
        let end = RecordBlock.Field.ends.offset + 4 * RecordBlock.Section.directory.rawValue
        withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { bytes.replaceSubrange(end..<end + 4, with: $0) }
        // Its sections do not overlap, as the difference was found to make sense; all else is checked by reading it.
        let record = SubjectRecord(RecordBlock(copying: bytes.span.bytes))
        try self.init(subject: base.subject, reading: record.stored(directory))
    }
}

/// How a record differs from what it was.
package enum RecordDifference {
    fileprivate typealias Section = RecordBlock.Section
    private static let words = RecordBlock.headerSize / 8
    /// Of the header: it has the end of the directory in its upper half.
    private static let wordOfDirectory = (RecordBlock.Field.ends.offset + 4 * Section.directory.rawValue) / 8
    private static let sections = Section.directory.rawValue

    /// Tells a record from what it was before and after, by its header: the sizes of its sections, its time, the number of its decisions.
    private static func mark(_ content: UnsafeRawBufferPointer) -> UInt32 {
        let seed = stableHash(UnsafeRawBufferPointer(rebasing: content[..<(wordOfDirectory * 8)]))
        let rest = UnsafeRawBufferPointer(rebasing: content[((wordOfDirectory + 1) * 8)..<RecordBlock.headerSize])
        return UInt32(truncatingIfNeeded: stableHash(rest, seed: seed ^ word(content, wordOfDirectory)))
    }

    private static func word(_ content: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        let word = UInt64(littleEndian: content.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        return index == wordOfDirectory ? word & 0xFFFF_FFFF : word
    }

    private static func range(of section: Int, in content: UnsafeRawBufferPointer) -> Range<Int> {
        func end(_ section: Int) -> Int {
            let place = RecordBlock.Field.ends.offset + 4 * section
            return Int(UInt32(littleEndian: content.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
        }
        return Range(uncheckedBounds: (section == 0 ? RecordBlock.headerSize : end(section - 1), end(section)))
    }

    // MARK: Writing

    /// Appends how a record differs from what it was.
    ///
    /// - Parameters:
    ///   - old: without the places of tables.
    ///   - marks: gives the places of a table that were written.
    /// - Returns: whether it does.
    fileprivate static func write(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer,
        marks: (RecordBlock.Section) -> [Int]
    ) -> Bool {
        let start = buffer.count
        buffer.append(number: mark(new))
        writeHeader(from: old, to: new, &buffer)
        let place = buffer.count
        buffer.append(number: UInt16(0))
        var (changed, oldPlace): (UInt16, Int) = (0, RecordBlock.headerSize)
        for section in Section.allCases.dropLast() {
            let now = UnsafeRawBufferPointer(rebasing: new[range(of: section.rawValue, in: new)])
            let length = range(of: section.rawValue, in: old).count
            let isTable = isTable(section, length, old, at: oldPlace)
            let before = UnsafeRawBufferPointer(rebasing: old[oldPlace..<oldPlace + (isTable ? 16 : length)])
            oldPlace += before.count
            let hasChanged =
                isTable
                ? writeTable(length, head: before, to: now, marks(section), &buffer)
                : writeSection(from: before, to: now, &buffer)
            if hasChanged { changed |= 1 << UInt16(section.rawValue) }
        }
        withUnsafeBytes(of: changed.littleEndian) { buffer.replace(place, with: $0) }
        if buffer.count > start + 8 { return true }
        buffer.cut(to: start)
        return false
    }

    /// Whether a section was a table, of which only the head was kept.
    private static func isTable(
        _ section: Section, _ length: Int, _ old: UnsafeRawBufferPointer, at place: Int
    ) -> Bool {
        guard section == .ids || section == .requestKeys, length > 0 else { return false }
        return old.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self) != 0
    }

    /// Of a table it is known which places were written.
    private static func writeTable(
        _ length: Int, head: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ marks: [Int],
        _ buffer: inout GrowingBuffer
    ) -> Bool {
        let isSameHead = new.count == length && head.hasBytes(of: UnsafeRawBufferPointer(rebasing: new[..<head.count]))
        if marks.isEmpty, isSameHead { return false }
        buffer.append(leb: new.count)
        buffer.append(leb: 0)
        buffer.append(leb: 0)
        let common = min(length, new.count) / 8
        var word = 0
        func append(_ place: Int, _ count: Int) {
            buffer.append(leb: place - word)
            buffer.append(leb: count)
            buffer.append(UnsafeRawBufferPointer(rebasing: new[place * 8..<(place + count) * 8]))
            word = place + count
        }
        if marks.first ?? 0 == 0 {
            if common > 0 { append(0, common) }
        } else {
            append(0, 2)
            for place in marks where place / 8 >= word { append(place / 8, 2) }
            if word < common { append(common, 0) }
        }
        buffer.append(UnsafeRawBufferPointer(rebasing: new[common * 8..<new.count]))
        return true
    }

    private static func writeHeader(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer
    ) {
        let place = buffer.count
        buffer.append(number: UInt16(0))
        var changed: UInt16 = 0
        for index in 0..<words where word(old, index) != word(new, index) {
            changed |= 1 << UInt16(index)
            buffer.append(number: word(new, index))
        }
        withUnsafeBytes(of: changed.littleEndian) { buffer.replace(place, with: $0) }
    }

    /// Lists that end with what is new, and have lost what was oldest, are the same behind a shift.
    private static func writeSection(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer
    ) -> Bool {
        if old.hasBytes(of: new) { return false }
        let (head, shift) = shift(from: old, to: new)
        buffer.append(leb: new.count)
        buffer.append(leb: head)
        buffer.append(leb: shift)
        var place = 0
        let common = min(new.count, old.count - shift)
        // Before the head and behind it, `old` is at another place.
        func isSame(_ place: Int) -> Bool {
            let from = place < head ? place : place + shift
            return new.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                == old.loadUnaligned(fromByteOffset: from, as: UInt64.self)
        }
        while place + 8 <= common {
            let begin = place
            if place >= head { skipSame(old, new, shift, upTo: common, &place) }
            while place + 8 <= common, isSame(place) { place += 8 }
            buffer.append(leb: (place - begin) / 8)
            let other = place
            while place + 8 <= common, !isSame(place) { place += 8 }
            buffer.append(leb: (place - other) / 8)
            buffer.append(UnsafeRawBufferPointer(rebasing: new[other..<place]))
        }
        buffer.append(UnsafeRawBufferPointer(rebasing: new[place...]))
        return true
    }

    /// Goes on over what is the same, in large steps.
    private static func skipSame(
        _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, _ shift: Int, upTo end: Int, _ place: inout Int
    ) {
        while place + 64 <= end,
            new.loadUnaligned(fromByteOffset: place, as: SIMD8<UInt64>.self)
                == old.loadUnaligned(fromByteOffset: place + shift, as: SIMD8<UInt64>.self)
        { place += 64 }
    }

    /// How the former section has to be shifted so that it goes on like the new one. Lists begin with a head of 16 bytes, or at once.
    private static func shift(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
    ) -> (head: Int, shift: Int) {
        func isSame(_ place: Int, _ other: Int) -> Bool {
            new.loadUnaligned(fromByteOffset: place, as: SIMD2<UInt64>.self)
                == old.loadUnaligned(fromByteOffset: other, as: SIMD2<UInt64>.self)
        }
        let limit = min(old.count, new.count) - 16
        if limit < 0 || isSame(0, 0) || limit >= 16 && isSame(16, 16) { return (0, 0) }
        for head in stride(from: 0, through: min(16, limit), by: 16) {
            // What goes is what came first: it is not far.
            for place in stride(from: head + 4, to: min(old.count - 15, head + 512), by: 4) where isSame(head, place) {
                return (head, place - head)
            }
        }
        return (0, 0)
    }

    // MARK: Applying

    /// The record that comes of another by a change; nil if that does not come of it.
    package static func apply(
        _ change: UnsafeRawBufferPointer, to old: UnsafeRawBufferPointer
    ) -> [UInt8]? {
        var reader = ChangeReader(change)
        guard let wanted = reader.number(UInt32.self), let header = header(&reader, old),
            let changed = reader.number(UInt16.self)
        else { return nil }
        var new = header
        for section in 0..<sections {
            let before = UnsafeRawBufferPointer(rebasing: old[range(of: section, in: old)])
            if changed & 1 << UInt16(section) == 0 {
                new.append(contentsOf: before)
            } else if !apply(&reader, to: before, &new) {
                return nil
            }
        }
        guard reader.isAtEnd, new.withUnsafeBytes({ areSectionsSound($0) && mark($0) == wanted }) else { return nil }
        return new
    }

    private static func areSectionsSound(_ content: UnsafeRawBufferPointer) -> Bool {
        var end = RecordBlock.headerSize
        for section in 0..<sections {
            let next = range(of: section, in: content).upperBound
            if next < end || next > content.count { return false }
            end = next
        }
        return end == content.count
    }

    private static func header(_ reader: inout ChangeReader, _ old: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let changed = reader.number(UInt16.self) else { return nil }
        var header = Array(old[..<RecordBlock.headerSize])
        for index in 0..<words where changed & 1 << UInt16(index) != 0 {
            guard let word = reader.number(UInt64.self) else { return nil }
            withUnsafeBytes(of: word.littleEndian) { header.replaceSubrange(index * 8..<index * 8 + 8, with: $0) }
        }
        return header
    }

    private static func apply(
        _ reader: inout ChangeReader, to old: UnsafeRawBufferPointer, _ new: inout [UInt8]
    ) -> Bool {
        guard let count = reader.leb(), let head = reader.leb(), let shift = reader.leb(), shift <= old.count,
            head <= old.count - shift
        else { return false }
        let (start, common) = (new.count, min(count, old.count - shift))
        var place = 0
        while place + 8 <= common {
            guard let same = reader.leb(), let others = reader.leb(), same + others > 0,
                place + (same + others) * 8 <= common
            else { return false }
            for word in 0..<same {
                let from = place + word * 8 < head ? place + word * 8 : place + word * 8 + shift
                new.append(contentsOf: old[from..<from + 8])
            }
            guard let literal = reader.bytes(others * 8) else { return false }
            new.append(contentsOf: literal)
            place += (same + others) * 8
        }
        guard let rest = reader.bytes(count - place) else { return false }
        new.append(contentsOf: rest)
        return new.count == start + count
    }
}

private struct ChangeReader {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        guard let found = bytes(MemoryLayout<Number>.size) else { return nil }
        return Number(littleEndian: found.loadUnaligned(as: Number.self))
    }

    /// Below 2^35.
    mutating func leb() -> Int? {
        var (value, shift) = (0, 0)
        while place < bytes.count, shift < 35 {
            let byte = bytes[place]
            place += 1
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - place else { return nil }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }
}

extension GrowingBuffer {
    fileprivate mutating func append(number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    fileprivate mutating func append(leb value: Int) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
