import BelfryModel

extension RecordDifference {
    /// Makes of a record's content, without its directory, what comes of it by a change. A table stays where it is, however large.
    ///
    /// - Returns: whether the change is one of that record; if not, the content is of no use any more.
    package static func apply(_ change: RawSpan, to content: inout [UInt8]) -> Bool {
        do throws(ByteReader.Damage) {
            var reader = ByteReader(change)
            let wanted = try reader.fixed(UInt32.self)
            try apply(&reader, to: &content)
            try reader.end()
            return content.withUnsafeBytes { mark($0) } == wanted
        } catch {
            return false
        }
    }

    private static func apply(_ reader: inout ByteReader, to content: inout [UInt8]) throws(ByteReader.Damage) {
        let ends = content.withUnsafeBytes { content in (0..<sections).map { end(of: $0, in: content) } }
        try applyHeader(&reader, to: &content)
        let changed = try reader.fixed(UInt16.self)
        var (place, formerEnd) = (RecordBlock.headerSize, RecordBlock.headerSize)
        for (section, end) in ends.enumerated() {
            let former = place..<place + end - formerEnd
            formerEnd = end
            place = former.upperBound
            if changed & 1 << UInt16(section) != 0 {
                place = former.lowerBound + (try apply(&reader, to: former, of: &content))
                guard place < limit else { throw reader.damage }
            }
            content.store(UInt32(place), at: RecordBlock.Field.ends.offset + 4 * section)
        }
    }

    private static func applyHeader(_ reader: inout ByteReader, to content: inout [UInt8]) throws(ByteReader.Damage) {
        let changed = try reader.byte()
        let numbers = numbers
        for index in numbers.indices where changed & 1 << UInt8(index) != 0 {
            let number = numbers[index]
            let value = content.withUnsafeBytes { self.number(number, in: $0) } &+ (try reader.signed())
            if number.size == 4 {
                content.store(UInt32(truncatingIfNeeded: value), at: number.offset)
            } else {
                content.store(value, at: number.offset)
            }
        }
        if changed & 1 << UInt8(numbers.count) != 0 {
            content.store(try reader.due(), at: RecordBlock.Field.nextDue.offset)
        }
    }

    /// When the next timer is due after a change, if it says so: then nil within if there is none.
    package static func nextDue(after change: ArraySlice<UInt8>) -> Instant?? {
        do throws(ByteReader.Damage) {
            var reader = ByteReader(change.span.bytes)
            _ = try reader.fixed(UInt32.self)
            let changed = try reader.byte()
            guard changed & 1 << UInt8(numbers.count) != 0 else { return nil }
            for index in numbers.indices where changed & 1 << UInt8(index) != 0 { _ = try reader.signed() }
            let due = try reader.due()
            return .some(due == .max ? nil : Instant(milliseconds: due))
        } catch {
            // To apply it will say so.
            return nil
        }
    }

    /// - Returns: how long the section is then.
    private static func apply(
        _ reader: inout ByteReader, to section: Range<Int>, of content: inout [UInt8]
    ) throws(ByteReader.Damage) -> Int {
        let head = try reader.unsigned()
        guard head >> 1 < limit else { throw reader.damage }
        let length = Int(head >> 1)
        if head & 1 == 1 {
            guard length == section.count else { throw reader.damage }
            try overwrite(&reader, section, of: &content)
        } else {
            content.replaceSubrange(section, with: try rebuilt(&reader, content[section], length))
        }
        return length
    }

    /// No section is longer, in bytes.
    private static let limit: UInt64 = 1 << 31

    /// Where nothing moves, what changes is written in its place.
    private static func overwrite(
        _ reader: inout ByteReader, _ section: Range<Int>, of content: inout [UInt8]
    ) throws(ByteReader.Damage) {
        var place = section.lowerBound
        while section.upperBound - place >= 8 {
            let (kind, count) = try reader.step(atMost: (section.upperBound - place) / 8)
            let words = place..<place + count * 8
            switch kind {
            case .literal: content.replaceSubrange(words, with: try reader.take(count * 8))
            case .zeros: content.replaceSubrange(words, with: repeatElement(0, count: count * 8))
            case .copy: break
            case .shift: throw reader.damage
            }
            place = words.upperBound
        }
        content.replaceSubrange(place..<section.upperBound, with: try reader.take(section.upperBound - place))
    }

    private static func rebuilt(
        _ reader: inout ByteReader, _ old: ArraySlice<UInt8>, _ length: Int
    ) throws(ByteReader.Damage) -> [UInt8] {
        var (new, shift): ([UInt8], Int) = ([], 0)
        while length - new.count >= 8 {
            let (kind, count) = try reader.step(atMost: (length - new.count) / 8)
            switch kind {
            case .literal: new += try reader.take(count * 8)
            case .zeros: new += repeatElement(0, count: count * 8)
            case .copy:
                let from = new.count + shift
                guard from >= 0, from + count * 8 <= old.count else { throw reader.damage }
                new += old[(old.startIndex + from)...].prefix(count * 8)
            case .shift: shift = count >> 1 ^ -(count & 1)
            }
        }
        return new + (try reader.take(length - new.count))
    }
}

extension ByteReader {
    /// The next step; of a shift, its zigzag in place of a count of words.
    @_lifetime(self: copy self)
    fileprivate mutating func step(
        atMost words: Int
    ) throws(Damage) -> (kind: RecordDifference.Kind, count: Int) {
        let step = try unsigned()
        guard step >> 2 < 1 << 31, let kind = RecordDifference.Kind(rawValue: Int(step & 3)) else { throw damage }
        let count = Int(step >> 2)
        guard kind == .shift || 1...words ~= count else { throw damage }
        return (kind, count)
    }

    /// When a timer is due, in ms; the largest number for none.
    @_lifetime(self: copy self)
    fileprivate mutating func due() throws(Damage) -> Int64 {
        let told = try unsigned()
        if told == 0 { return .max }
        return Int64(bitPattern: (told - 1) >> 1) ^ -Int64((told - 1) & 1)
    }

    /// So many bytes.
    @_lifetime(self: copy self)
    fileprivate mutating func take(_ count: Int) throws(Damage) -> [UInt8] {
        bytes(in: try skip(count)).withUnsafeBytes { Array($0) }
    }
}

extension [UInt8] {
    fileprivate mutating func store(_ number: some FixedWidthInteger, at place: Int) {
        Swift.withUnsafeBytes(of: number.littleEndian) { bytes in
            for (offset, byte) in bytes.enumerated() { self[place + offset] = byte }
        }
    }
}
