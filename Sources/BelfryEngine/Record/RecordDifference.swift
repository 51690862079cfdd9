import BelfryModel

// What a journal says of a record that changed: how its block differs from what it was before, and the hash of what it is now.
//
// The directory is left out: it says what numbers stand for, which a journal says once for all records. So a change is
//
//   8 bytes the hash of the block as it is now, without its directory
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
    private typealias Section = RecordBlock.Section
    private static let words = RecordBlock.headerSize / 8
    /// Of the header: it has the end of the directory in its upper half.
    private static let wordOfDirectory = (RecordBlock.Field.ends.offset + 4 * Section.directory.rawValue) / 8
    private static let sections = Section.directory.rawValue

    /// Of a record without its directory.
    package static func hash(_ content: UnsafeRawBufferPointer) -> UInt64 {
        var header = (UInt64(0), UInt64(0))
        header.0 = stableHash(UnsafeRawBufferPointer(rebasing: content[..<(wordOfDirectory * 8)]))
        header.1 = word(content, wordOfDirectory)
        let seed = header.0 ^ (header.1 &* 0x9E37_79B9_7F4A_7C15)
        return stableHash(UnsafeRawBufferPointer(rebasing: content[((wordOfDirectory + 1) * 8)...]), seed: seed)
    }

    /// The hash that a change leads to.
    package static func result(of change: UnsafeRawBufferPointer) -> UInt64? {
        change.count < 12 ? nil : UInt64(littleEndian: change.loadUnaligned(as: UInt64.self))
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
    /// - Returns: whether it does.
    package static func write(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer
    ) -> Bool {
        let start = buffer.count
        buffer.append(number: hash(new))
        writeHeader(from: old, to: new, &buffer)
        let place = buffer.count
        buffer.append(number: UInt16(0))
        var changed: UInt16 = 0
        for section in 0..<sections {
            let before = UnsafeRawBufferPointer(rebasing: old[range(of: section, in: old)])
            let now = UnsafeRawBufferPointer(rebasing: new[range(of: section, in: new)])
            if before.hasBytes(of: now) { continue }
            changed |= 1 << UInt16(section)
            writeSection(from: before, to: now, &buffer)
        }
        withUnsafeBytes(of: changed.littleEndian) { buffer.replace(place, with: $0) }
        if buffer.count > start + 12 { return true }
        buffer.cut(to: start)
        return false
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
    ) {
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
            while place + 8 <= common, isSame(place) { place += 8 }
            buffer.append(leb: (place - begin) / 8)
            let other = place
            while place + 8 <= common, !isSame(place) { place += 8 }
            buffer.append(leb: (place - other) / 8)
            buffer.append(UnsafeRawBufferPointer(rebasing: new[other..<place]))
        }
        buffer.append(UnsafeRawBufferPointer(rebasing: new[place...]))
    }

    /// How the former section has to be shifted so that it goes on like the new one.
    private static func shift(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
    ) -> (head: Int, shift: Int) {
        for head in [0, 16] where new.count >= head + 16 && old.count > head + 16 {
            let wanted = UnsafeRawBufferPointer(rebasing: new[head..<head + 16])
            if UnsafeRawBufferPointer(rebasing: old[head..<head + 16]).hasBytes(of: wanted) { return (0, 0) }
            var place = head + 4
            while place + 16 <= old.count {
                if UnsafeRawBufferPointer(rebasing: old[place..<place + 16]).hasBytes(of: wanted) {
                    return (head, place - head)
                }
                place += 4
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
        guard let wanted = reader.number(UInt64.self), let header = header(&reader, old),
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
        guard reader.isAtEnd, new.withUnsafeBytes({ areSectionsSound($0) && hash($0) == wanted }) else { return nil }
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
