import BelfryModel

extension RecordDifference {
    /// Appends how a record differs from what it was.
    ///
    /// - Parameters:
    ///   - old: without the places of tables.
    ///   - marks: gives the places of a table that were written.
    /// - Returns: whether it does.
    static func write(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer,
        marks: (RecordBlock.Section) -> [Int]
    ) -> Bool {
        let start = buffer.count
        buffer.append(fixed: mark(new))
        writeHeader(from: old, to: new, &buffer)
        let place = buffer.count
        buffer.append(fixed: UInt16(0))
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
                : writeSection(from: before, to: now, isQueue: queues.contains(section), &buffer)
            if hasChanged { changed |= 1 << UInt16(section.rawValue) }
        }
        buffer.replace(place, withFixed: changed)
        if buffer.count > start + 7 { return true }
        buffer.cut(to: start)
        return false
    }

    /// The sections whose oldest entries are removed: only in these a shift towards the front is searched for.
    private static let queues: [Section] = [.ids, .requestKeys, .notifications, .geotriggers]

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
        var steps = Steps(new, staysInPlace: new.count == length, &buffer)
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
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, isQueue: Bool,
        _ buffer: inout GrowingBuffer
    ) -> Bool {
        if old.hasBytes(of: new) { return false }
        var steps = Steps(new, staysInPlace: false, &buffer)
        var (word, isShiftKnown) = (0, !isQueue)
        let words = new.count / 8
        while word < words {
            if let end = steps.endOfSame(old, from: word) {
                steps.append(upTo: word, &buffer)
                steps.copy(upTo: end, &buffer)
                word = end
            } else if let end = endOfNew(old, new, from: word * 8, steps.shift) {
                steps.append(upTo: end / 8, &buffer)
                if end / 8 < words { steps.move(to: old.count - new.count, &buffer) }
                word = end / 8
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

    /// Where what was put in at a place ends, if that is all by which the rest of the section has grown.
    private static func endOfNew(
        _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, from place: Int, _ shift: Int
    ) -> Int? {
        let (growth, from) = (new.count - old.count + shift, place + shift)
        guard growth > 0, growth % 8 == 0, from >= 0 else { return nil }
        if from == old.count { return new.count / 8 * 8 }
        guard from + 16 <= old.count else { return nil }
        let isThere =
            new.loadUnaligned(fromByteOffset: place + growth, as: SIMD2<UInt64>.self)
            == old.loadUnaligned(fromByteOffset: from, as: SIMD2<UInt64>.self)
        return isThere ? place + growth : nil
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
            buffer.append(signed: difference)
        }
        buffer.replace(place, withFixed: changed)
    }
}

/// Tells a section by steps from what it was.
private struct Steps {
    private let new: UnsafeRawBufferPointer
    /// How many words have been told.
    private(set) var word = 0
    private(set) var shift = 0

    init(_ new: UnsafeRawBufferPointer, staysInPlace: Bool, _ buffer: inout GrowingBuffer) {
        self.new = new
        buffer.append(unsigned: UInt64(new.count) << 1 | (staysInPlace ? 1 : 0))
    }

    private func step(_ kind: RecordDifference.Kind, _ count: Int, _ buffer: inout GrowingBuffer) {
        buffer.append(unsigned: UInt64(count) << 2 | UInt64(kind.rawValue))
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
