import BelfryModel

// What a journal says of a record that changed: how its block differs from what it was before. The directory is left out: it says what
// numbers stand for, which a journal says once for all records. Numbers are LEB128, signed ones zigzag.
//
//   4 bytes that tell the header as it is now from others
//   1 byte which of these changed, and by how much each: flags, timers armed, time, decisions, since when the app is where it is, next due
//   2 bytes which of the 12 sections changed, and for each of these: how long it is now, and steps until it is as long, each a number with
//   its kind in the lowest two bits:
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
    private static let sections = Section.directory.rawValue
    /// The end of the directory.
    private static let endOfDirectory = RecordBlock.Field.ends.offset + 4 * sections

    /// Tells a record from what it was before and after, by its header: the sizes of its sections, its time, the number of its decisions.
    private static func mark(_ content: UnsafeRawBufferPointer) -> UInt32 {
        let seed = stableHash(UnsafeRawBufferPointer(rebasing: content[..<endOfDirectory]))
        let rest = UnsafeRawBufferPointer(rebasing: content[(endOfDirectory + 4)..<RecordBlock.headerSize])
        return UInt32(truncatingIfNeeded: stableHash(rest, seed: seed))
    }

    private static func end(of section: Int, in content: UnsafeRawBufferPointer) -> Int {
        if section < 0 { return RecordBlock.headerSize }
        return Int(content.loadNumber(at: RecordBlock.Field.ends.offset + 4 * section, as: UInt32.self))
    }

    private static func range(of section: Int, in content: UnsafeRawBufferPointer) -> Range<Int> {
        Range(uncheckedBounds: (end(of: section - 1, in: content), end(of: section, in: content)))
    }

    // MARK: The header

    /// The numbers of the header that do not follow from sections: where they lie, and how many bytes each has.
    private static let numbers: [(offset: Int, size: Int)] = [
        (RecordBlock.Field.version.offset, 4), (RecordBlock.Field.timersArmed.offset, 4),
        (RecordBlock.Field.latest.offset, 8), (RecordBlock.Field.decisions.offset, 8),
        (RecordBlock.Field.appSince.offset, 8), (RecordBlock.Field.nextDue.offset, 8),
    ]

    private static func number(_ place: (offset: Int, size: Int), in content: UnsafeRawBufferPointer) -> Int64 {
        place.size == 4
            ? Int64(content.loadNumber(at: place.offset, as: UInt32.self))
            : content.loadNumber(at: place.offset, as: Int64.self)
    }

    private static func writeHeader(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer
    ) {
        let place = buffer.count
        buffer.append(UInt8(0))
        var changed: UInt8 = 0
        for (index, number) in numbers.enumerated() {
            let difference = self.number(number, in: new) &- self.number(number, in: old)
            if difference == 0 { continue }
            changed |= 1 << UInt8(index)
            buffer.append(zigzag: difference)
        }
        withUnsafeBytes(of: changed) { buffer.replace(place, with: $0) }
    }

    private static func readHeader(_ reader: inout ChangeReader, _ old: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let changed = reader.number(UInt8.self) else { return nil }
        var header = Array(old[..<RecordBlock.headerSize])
        for (index, number) in numbers.enumerated() where changed & 1 << UInt8(index) != 0 {
            guard let difference = reader.zigzag() else { return nil }
            let value = self.number(number, in: old) &+ difference
            withUnsafeBytes(of: value.littleEndian) {
                header.replaceSubrange(number.offset..<number.offset + number.size, with: $0[..<number.size])
            }
        }
        return header
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
            let kept = isTable ? SubjectRecord.idsHeaderSize : length
            let before = UnsafeRawBufferPointer(rebasing: old[oldPlace..<oldPlace + kept])
            oldPlace += kept
            let hasChanged =
                isTable
                ? writeTable(length, head: before, to: now, marks(section), &buffer)
                : writeSection(from: before, to: now, &buffer)
            if hasChanged { changed |= 1 << UInt16(section.rawValue) }
        }
        withUnsafeBytes(of: changed.littleEndian) { buffer.replace(place, with: $0) }
        if buffer.count > start + 7 { return true }
        buffer.cut(to: start)
        return false
    }

    /// Whether a section was a table, of which only the head was kept.
    private static func isTable(
        _ section: Section, _ length: Int, _ old: UnsafeRawBufferPointer, at place: Int
    ) -> Bool {
        guard section == .ids || section == .requestKeys, length > 0 else { return false }
        return old.loadNumber(at: place + 4, as: UInt32.self) != 0
    }

    /// Of a table it is known which places were written.
    private static func writeTable(
        _ length: Int, head: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ marks: [Int],
        _ buffer: inout GrowingBuffer
    ) -> Bool {
        let isSameHead = new.count == length && head.hasBytes(of: UnsafeRawBufferPointer(rebasing: new[..<head.count]))
        if marks.isEmpty, isSameHead { return false }
        var steps = Steps(new, &buffer)
        if marks.first ?? 0 == 0 {
            steps.append(upTo: new.count / 8, &buffer)
        } else {
            steps.append(upTo: 2, &buffer)
            for place in marks where place / 8 >= steps.word {
                steps.copy(upTo: place / 8, &buffer)
                steps.append(upTo: place / 8 + 2, &buffer)
            }
            steps.copy(upTo: new.count / 8, &buffer)
        }
        steps.end(&buffer)
        return true
    }

    private static func writeSection(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer
    ) -> Bool {
        if old.hasBytes(of: new) { return false }
        var steps = Steps(new, &buffer)
        var (word, isShiftKnown) = (0, false)
        let words = new.count / 8
        while word < words {
            if let end = steps.endOfSame(old, from: word) {
                steps.append(upTo: word, &buffer)
                steps.copy(upTo: end, &buffer)
                word = end
            } else if let shift = shift(old, new, at: word * 8, steps.shift, &isShiftKnown) {
                steps.append(upTo: word, &buffer)
                steps.move(to: shift, &buffer)
            } else {
                word += 1
            }
        }
        steps.append(upTo: words, &buffer)
        steps.end(&buffer)
        return true
    }

    /// Where the former section goes on like the new one does at a place: something was put in before, or what was oldest is gone.
    private static func shift(
        _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, at place: Int, _ now: Int,
        _ isSearched: inout Bool
    ) -> Int? {
        guard place + 16 <= new.count else { return nil }
        let wanted = new.loadUnaligned(fromByteOffset: place, as: SIMD2<UInt64>.self)
        // Zeros are everywhere.
        if wanted == .zero { return nil }
        func isThere(_ from: Int) -> Bool {
            from >= 0 && from + 16 <= old.count
                && old.loadUnaligned(fromByteOffset: from, as: SIMD2<UInt64>.self) == wanted
        }
        let growth = min(max(0, new.count - old.count), 256)
        for shift in stride(from: 0, through: -growth, by: -8) where shift != now && isThere(place + shift) {
            return shift
        }
        if isSearched || place > 16 { return nil }
        // What goes is what came first: it is not far.
        isSearched = place == 16
        return stride(from: 4, to: 512, by: 4).first { isThere(place + $0) }
    }

    // MARK: Applying

    /// Makes of a record's content, without its directory, what comes of it by a change. A table stays where it is, however large.
    ///
    /// - Returns: whether the change is one of that record; if not, the content is of no use any more.
    package static func apply(_ change: UnsafeRawBufferPointer, to content: inout [UInt8]) -> Bool {
        var reader = ChangeReader(change)
        let ends = content.withUnsafeBytes { content in (0..<sections).map { end(of: $0, in: content) } }
        guard let wanted = reader.number(UInt32.self),
            let header = content.withUnsafeBytes({ readHeader(&reader, $0) }), let changed = reader.number(UInt16.self)
        else { return false }
        content.replaceSubrange(0..<RecordBlock.headerSize, with: header)
        var (place, formerEnd) = (RecordBlock.headerSize, RecordBlock.headerSize)
        for (section, end) in ends.enumerated() {
            let former = place..<place + end - formerEnd
            formerEnd = end
            place = former.upperBound
            if changed & 1 << UInt16(section) != 0 {
                guard let length = reader.apply(to: former, of: &content) else { return false }
                place = former.lowerBound + length
            }
            let field = RecordBlock.Field.ends.offset + 4 * section
            withUnsafeBytes(of: UInt32(place).littleEndian) { content.replaceSubrange(field..<field + 4, with: $0) }
        }
        return reader.isAtEnd && content.withUnsafeBytes { mark($0) == wanted }
    }
}

/// Tells a section by steps from what it was.
private struct Steps {
    private let new: UnsafeRawBufferPointer
    /// How many words have been told.
    private(set) var word = 0
    private(set) var shift = 0

    enum Kind: Int {
        case literal, copy, zeros, shift
    }

    init(_ new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer) {
        self.new = new
        buffer.append(leb: UInt64(new.count))
    }

    private func step(_ kind: Kind, _ count: Int, _ buffer: inout GrowingBuffer) {
        buffer.append(leb: UInt64(count) << 2 | UInt64(kind.rawValue))
    }

    /// Words that follow as they are, but for zeros.
    mutating func append(upTo end: Int, _ buffer: inout GrowingBuffer) {
        while word < end {
            let begin = word
            while word < end, isZero(word) { word += 1 }
            if word - begin > 1 {
                step(.zeros, word - begin, &buffer)
            } else {
                word = begin
            }
            let first = word
            while word < end, !(isZero(word) && word + 1 < end && isZero(word + 1)) { word += 1 }
            if word == first { continue }
            step(.literal, word - first, &buffer)
            buffer.append(UnsafeRawBufferPointer(rebasing: new[first * 8..<word * 8]))
        }
    }

    private func isZero(_ word: Int) -> Bool { new.loadNumber(at: word * 8, as: UInt64.self) == 0 }

    mutating func copy(upTo end: Int, _ buffer: inout GrowingBuffer) {
        if end > word { step(.copy, end - word, &buffer) }
        word = end
    }

    mutating func move(to shift: Int, _ buffer: inout GrowingBuffer) {
        let zigzag = (shift << 1) ^ (shift >> (Int.bitWidth - 1))
        step(.shift, zigzag, &buffer)
        self.shift = shift
    }

    /// Where it stops being what it was; nil if it is not at that word.
    func endOfSame(_ old: UnsafeRawBufferPointer, from begin: Int) -> Int? {
        let (limit, first) = (min(new.count, old.count - shift) - 7, begin * 8)
        var place = first
        if place + shift < 0 { return nil }
        while place + 56 < limit,
            new.loadUnaligned(fromByteOffset: place, as: SIMD8<UInt64>.self)
                == old.loadUnaligned(fromByteOffset: place + shift, as: SIMD8<UInt64>.self)
        { place += 64 }
        while place < limit,
            new.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                == old.loadUnaligned(fromByteOffset: place + shift, as: UInt64.self)
        { place += 8 }
        return place == first ? nil : place / 8
    }

    /// The last bytes, fewer than a word.
    func end(_ buffer: inout GrowingBuffer) {
        buffer.append(UnsafeRawBufferPointer(rebasing: new[(new.count / 8 * 8)...]))
    }
}

private struct ChangeReader {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        bytes(MemoryLayout<Number>.size)?.loadNumber(at: 0, as: type)
    }

    mutating func leb() -> UInt64? {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while place < bytes.count, shift < 64 {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    mutating func zigzag() -> Int64? { leb().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) } }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - place else { return nil }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    /// No section is longer, in bytes.
    private static let limit: UInt64 = 1 << 31

    /// Makes of a section what steps lead to.
    ///
    /// - Returns: how long it is then; nil if they make no sense.
    mutating func apply(to section: Range<Int>, of content: inout [UInt8]) -> Int? {
        guard let length = leb(), length < Self.limit else { return nil }
        if Int(length) == section.count {
            var attempt = self
            if let isDone = attempt.write(over: section, of: &content) {
                self = attempt
                return isDone ? section.count : nil
            }
        }
        var new: [UInt8] = []
        guard content[section].withUnsafeBytes({ append(Int(length), from: $0, to: &new) }) else { return nil }
        content.replaceSubrange(section, with: new)
        return new.count
    }

    /// Where nothing moves, what changes is written in its place.
    ///
    /// - Returns: whether the steps make sense; nil if something moves, before anything is written.
    private mutating func write(over section: Range<Int>, of content: inout [UInt8]) -> Bool? {
        var look = self
        guard let moves = look.walk(section.count, { kind, _, _ in kind != .shift }) else { return false }
        if !moves { return nil }
        let start = section.lowerBound
        let isSound = walk(section.count) { kind, place, bytes in
            switch kind {
            case .literal: content.replaceSubrange(start + place..<start + place + bytes.count, with: bytes)
            case .zeros: for index in 0..<bytes.count { content[start + place + index] = 0 }
            case .copy, .shift: break
            }
            return true
        }
        return isSound ?? false
    }

    private func isSound(_ step: UInt64, _ place: Int, _ words: Int) -> Bool {
        step >> 2 < Self.limit && (step & 3 == 3 || step >> 2 > 0 && Int(step >> 2) <= words - place / 8)
    }

    /// Shows steps to a section that stays as long as it is; of zeros, as many bytes of whatever content.
    ///
    /// - Returns: whether `body` has seen all of them, and not ended it; nil if they make no sense.
    private mutating func walk(
        _ length: Int, _ body: (Steps.Kind, _ place: Int, UnsafeRawBufferPointer) -> Bool
    ) -> Bool? {
        var place = 0
        while place / 8 < length / 8 {
            guard let step = leb(), isSound(step, place, length / 8) else { return nil }
            let (kind, count) = (Steps.Kind(rawValue: Int(step & 3))!, Int(step >> 2) * 8)  // two bits
            var shown = UnsafeRawBufferPointer(start: nil, count: 0)
            if kind == .literal {
                guard let literal = bytes(count) else { return nil }
                shown = literal
            } else if kind == .zeros {
                shown = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 8), count: count)
            }
            if !body(kind, place, shown) { return false }
            if kind != .shift { place += count }
        }
        guard let rest = bytes(length % 8) else { return nil }
        return rest.isEmpty || body(.literal, place, rest)
    }

    /// Appends the section that steps lead to.
    private mutating func append(_ length: Int, from old: UnsafeRawBufferPointer, to new: inout [UInt8]) -> Bool {
        var shift = 0
        new.reserveCapacity(min(length, 1 << 24))
        while new.count / 8 < length / 8 {
            guard let step = leb(), isSound(step, new.count, length / 8) else { return false }
            let count = Int(step >> 2)
            switch Steps.Kind(rawValue: Int(step & 3))! {  // two bits
            case .literal:
                guard let literal = bytes(count * 8) else { return false }
                new.append(contentsOf: literal)
            case .copy:
                let from = new.count + shift
                guard from >= 0, from + count * 8 <= old.count else { return false }
                new.append(contentsOf: UnsafeRawBufferPointer(rebasing: old[from..<from + count * 8]))
            case .zeros: new.append(contentsOf: repeatElement(0, count: count * 8))
            case .shift: shift = count >> 1 ^ -(count & 1)
            }
        }
        guard let rest = bytes(length % 8) else { return false }
        new.append(contentsOf: rest)
        return true
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func loadNumber<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Number.Type
    ) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension GrowingBuffer {
    fileprivate mutating func append(number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    fileprivate mutating func append(leb value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    fileprivate mutating func append(zigzag value: Int64) {
        append(leb: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }
}
