import BelfryModel

extension RecordDifference {
    /// Appends how a record differs from what it was.
    ///
    /// - Returns: whether it does.
    static func write(
        from old: borrowing FormerRecord, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer
    ) -> Bool {
        let start = buffer.count
        buffer.append(fixed: mark(new))
        writeHeader(from: old.header, to: new, &buffer)
        let place = buffer.count
        buffer.append(fixed: UInt16(0))
        var changed: UInt16 = 0
        for number in 0..<sections where old.isWritten(number) {
            let section = UnsafeRawBufferPointer(rebasing: new[range(of: number, in: new)])
            if write(Section(rawValue: number)!, from: old, to: section, &buffer) { changed |= 1 << UInt16(number) }
        }
        buffer.replace(place, withFixed: changed)
        if buffer.count > start + 7 { return true }
        buffer.cut(to: start)
        return false
    }

    private static func write(
        _ section: Section, from old: borrowing FormerRecord, to new: UnsafeRawBufferPointer,
        _ buffer: inout GrowingBuffer
    ) -> Bool {
        let length = old.length(of: section.rawValue)
        if !old.isCopied(section.rawValue) { return writeAddition(behind: length, to: new, &buffer) }
        if FormerRecord.isTable(section, old[section]) {
            return writeTable(length, head: old[section], to: new, old.marks(of: section), &buffer)
        }
        return writeSection(from: old[section], to: new, removed: old.removed(from: section), &buffer)
    }

    /// Of a section that has only been added to.
    private static func writeAddition(
        behind length: Int, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer
    ) -> Bool {
        if new.count == length { return false }
        var steps = Steps(new, staysInPlace: false, &buffer)
        steps.copy(upTo: length / 8, &buffer)
        steps.append(upTo: new.count / 8, &buffer)
        steps.end(&buffer)
        return true
    }

    /// Of a table it is known which places were written.
    private static func writeTable(
        _ length: Int, head: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ marks: some Sequence<Int>,
        _ buffer: inout GrowingBuffer
    ) -> Bool {
        let isSameHead = new.count == length && head.hasBytes(of: UnsafeRawBufferPointer(rebasing: new[..<head.count]))
        let first = marks.first { _ in true }
        if first == nil, isSameHead { return false }
        var steps = Steps(new, staysInPlace: new.count == length, &buffer)
        if first ?? 0 == 0 || new.count != length {
            steps.append(upTo: new.count / 8, &buffer)
        } else {
            // How many there are; when the table was made stays.
            steps.append(upTo: 1, &buffer)
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
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, removed: Int, _ buffer: inout GrowingBuffer
    ) -> Bool {
        if old.hasBytes(of: new) { return false }
        var steps = Steps(new, staysInPlace: false, &buffer)
        let words = new.count / 8
        var word = 0
        while word < words {
            if let end = steps.endOfSame(old, from: word) {
                steps.append(upTo: word, &buffer)
                steps.copy(upTo: end, &buffer)
                word = end
            } else if let end = endOfNew(old, new, from: word * 8, steps.shift) {
                steps.append(upTo: end / 8, &buffer)
                if end / 8 < words { steps.move(to: old.count - new.count, &buffer) }
                word = end / 8
            } else if let shift = shift(old, new, at: word * 8, steps.shift, removed) {
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

    /// Where the former section goes on like the new one does at a place: something was put in before, or what was there is gone.
    private static func shift(
        _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, at place: Int, _ now: Int, _ removed: Int
    ) -> Int? {
        guard place + 16 <= new.count else { return nil }
        let wanted = new.loadUnaligned(fromByteOffset: place, as: SIMD2<UInt64>.self)
        // Zeros are everywhere.
        if wanted == .zero { return nil }
        func isThere(_ from: Int) -> Bool {
            from >= 0 && from + 16 <= old.count
                && old.loadUnaligned(fromByteOffset: from, as: SIMD2<UInt64>.self) == wanted
        }
        if removed != now, removed > 0, isThere(place + removed) { return removed }
        let net = old.count - new.count
        if net != now, net < 0, isThere(place + net) { return net }
        let growth = min(max(0, new.count - old.count), 256)
        return stride(from: 0, through: -growth, by: -8).first { $0 != now && isThere(place + $0) }
    }

    private static func nextDue(in content: UnsafeRawBufferPointer) -> Int64 {
        content.loadNumber(at: RecordBlock.Field.nextDue.offset, as: Int64.self)
    }

    private static func writeHeader(
        from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer, _ buffer: inout GrowingBuffer
    ) {
        let place = buffer.count
        buffer.append(UInt8(0))
        var changed: UInt8 = 0
        let numbers = numbers
        for index in numbers.indices {
            let difference = number(numbers[index], in: new) &- number(numbers[index], in: old)
            if difference == 0 { continue }
            changed |= 1 << UInt8(index)
            buffer.append(signed: difference)
        }
        let due = nextDue(in: new)
        if due != nextDue(in: old) {
            changed |= 1 << UInt8(numbers.count)
            buffer.append(unsigned: due == .max ? 0 : UInt64(bitPattern: due << 1 ^ due >> 63) &+ 1)
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
