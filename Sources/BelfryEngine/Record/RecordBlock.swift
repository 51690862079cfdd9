import BelfryModel

/// The memory of a record: a header and sections of any length, one behind the other, in one allocation.
///
/// It is the stored form, too (docs/state.md describes it byte by byte): to store a record is to copy the block. All numbers are little
/// endian. A section grows and shrinks in place: what lies behind it moves. Only this file has addresses; others get spans.
struct RecordBlock: ~Copyable {
    /// Where the header begins. What only this process knows lies before it.
    private var start: UnsafeMutableRawPointer

    static let magic: UInt32 = 0x5246_4C42  // "BLFR"
    static let version: UInt16 = 1
    /// Without the sections.
    static let headerSize = 104
    private static let bookkeepingSize = 24

    /// A number in the header.
    struct Field<Number: FixedWidthInteger> {
        let offset: Int

        init(_ offset: Int) { self.offset = offset }
    }

    /// What comes after the header, in this order. Ids may be megabytes, so nothing that changes its size often lies before them. They take
    /// multiples of 8, at which the states are to lie.
    enum Section: Int, CaseIterable {
        case ids, requestKeys, states, subject, campaigns, notifications, attributes, channels, geotriggers, position,
            presence, timers
        /// Names that the states refer to and that the configuration does not have.
        case directory
    }

    /// Of a record that has a header and the subject.
    init(subject: String) {
        let id = subject.utf8.count
        start = Self.allocate(Self.headerSize + id)
        UnsafeMutableRawBufferPointer(start: start, count: Self.headerSize).initializeMemory(
            as: UInt8.self, repeating: 0)
        self[.magic] = Self.magic
        self[.version] = Self.version
        for section in Section.allCases {
            setEnd(of: section, Self.headerSize + (section.rawValue < Section.subject.rawValue ? 0 : id))
        }
        subject.withBytes {
            UnsafeMutableRawBufferPointer(start: start + Self.headerSize, count: id).copyMemory(from: $0)
        }
    }

    /// A copy of a block's bytes, which were checked before.
    init(copying bytes: RawSpan) {
        start = Self.allocate(bytes.byteCount)
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: start, count: $0.count).copyMemory(from: $0) }
    }

    deinit {
        (start - Self.bookkeepingSize).deallocate()
    }

    // MARK: Numbers

    subscript<Number: FixedWidthInteger>(field: Field<Number>) -> Number {
        @inline(__always) get { number(at: field.offset) }
        @inline(__always) set { store(newValue, at: field.offset) }
    }

    /// The number at an offset from the beginning of the header.
    @inline(__always)
    func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        precondition(offset + MemoryLayout<Number>.size <= count || offset < Self.headerSize)
        return Number(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    @inline(__always)
    mutating func store<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        precondition(offset + MemoryLayout<Number>.size <= count || offset < Self.headerSize)
        willWrite(at: offset)
        start.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }

    /// Copies bytes to an offset from the beginning of the header.
    mutating func copy(_ bytes: UnsafeRawBufferPointer, to offset: Int) {
        precondition(offset + bytes.count <= count)
        willWrite(at: offset)
        UnsafeMutableRawBufferPointer(start: start + offset, count: bytes.count).copyMemory(from: bytes)
    }

    /// Whether there are these bytes at an offset from the beginning of the header.
    @inline(__always)
    func has(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard offset + bytes.count <= count else { return false }
        let own = UnsafeRawBufferPointer(start: start + offset, count: bytes.count)
        // Names that differ mostly do so at their ends.
        return own.last == bytes.last && own.hasBytes(of: bytes)
    }

    /// Makes all bytes of a range zero.
    mutating func clear(_ range: Range<Int>) {
        precondition(range.upperBound <= count)
        willWrite(at: range.lowerBound)
        UnsafeMutableRawBufferPointer(start: start + range.lowerBound, count: range.count).initializeMemory(
            as: UInt8.self, repeating: 0)
    }

    // MARK: Sections

    /// How many bytes there are, with the header.
    @inline(__always)
    var count: Int { end(of: .directory) }

    /// From the beginning of the header.
    @inline(__always)
    func range(of section: Section) -> Range<Int> {
        let begin = section == .ids ? Self.headerSize : end(ofSection: section.rawValue - 1)
        return Range(uncheckedBounds: (begin, end(of: section)))
    }

    @inline(__always)
    func isEmpty(_ section: Section) -> Bool { range(of: section).isEmpty }

    @inline(__always)
    private func end(of section: Section) -> Int { end(ofSection: section.rawValue) }

    @inline(__always)
    private func end(ofSection number: Int) -> Int {
        Int(UInt32(littleEndian: start.load(fromByteOffset: Field.ends.offset + 4 * number, as: UInt32.self)))
    }

    @inline(__always)
    private func moveEnds(from section: Section, by difference: Int) {
        let ends = start + Field.ends.offset
        for place in stride(from: 4 * section.rawValue, through: 4 * Section.directory.rawValue, by: 4) {
            let end = Int(UInt32(littleEndian: ends.load(fromByteOffset: place, as: UInt32.self))) + difference
            ends.storeBytes(of: UInt32(end).littleEndian, toByteOffset: place, as: UInt32.self)
        }
    }

    @inline(__always)
    private func setEnd(of section: Section, _ end: Int) {
        start.storeBytes(
            of: UInt32(end).littleEndian, toByteOffset: Field.ends.offset + 4 * section.rawValue, as: UInt32.self)
    }

    /// All of it.
    var bytes: RawSpan {
        @inline(__always) @_lifetime(borrow self) borrowing get {
            _overrideLifetime(RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count), borrowing: self)
        }
    }

    @inline(__always) @_lifetime(borrow self)
    func bytes(of section: Section) -> RawSpan { bytes.extracting(range(of: section)) }

    /// Puts other bytes in the place of a section.
    mutating func replace(_ section: Section, with bytes: UnsafeRawBufferPointer) {
        resize(section, range(of: section), to: bytes.count)
        UnsafeMutableRawBufferPointer(start: start + range(of: section).lowerBound, count: bytes.count)
            .copyMemory(from: bytes)
    }

    /// Makes room at the end of a section.
    ///
    /// - Parameter gap: goes, and what is behind it in the section moves forward.
    /// - Returns: where it begins. What lies there is not set.
    mutating func extend(_ section: Section, by count: Int, over gap: Range<Int>? = nil) -> Int {
        let end = range(of: section).upperBound
        let begin = end - (gap?.count ?? 0)
        if let gap {
            precondition(gap.upperBound <= end)
            willWrite(section)
            // What it becomes shorter by, `resize` notes.
            former?.pointee.remove(min(gap.count, count), from: section)
            (start + gap.lowerBound).copyMemory(from: start + gap.upperBound, byteCount: end - gap.upperBound)
        }
        resize(section, begin..<end, to: count)
        return begin
    }

    /// Makes a range of a section longer or shorter; what is behind it moves. New bytes are not set.
    ///
    /// - Parameter range: from the beginning of the header.
    mutating func resize(_ section: Section, _ range: Range<Int>, to length: Int) {
        let (difference, count) = (length - range.count, count)
        precondition(range.upperBound <= count)
        willResize(section, range)
        if difference == 0 { return }
        if difference < 0 { former?.pointee.remove(-difference, from: section) }
        if difference > 0 { reserve(count + difference) }
        if section.rawValue <= Section.states.rawValue { arrangement &+= 1 }
        (start + range.lowerBound + length).copyMemory(
            from: start + range.upperBound, byteCount: count - range.upperBound)
        moveEnds(from: section, by: difference)
    }

    // MARK: Memory

    /// Where the processor is to fetch from before a decision.
    var address: UnsafeRawPointer { UnsafeRawPointer(start) }

    private var capacity: Int { Int((start - Self.bookkeepingSize).load(as: UInt32.self)) }

    /// For the cache that the record is in: when it was used last, in batches.
    var lastUse: UInt32 {
        get { (start - Self.bookkeepingSize).load(fromByteOffset: 4, as: UInt32.self) }
        nonmutating set { (start - Self.bookkeepingSize).storeBytes(of: newValue, toByteOffset: 4, as: UInt32.self) }
    }

    /// For the same cache: where it lies in its store, as `StoredRecord` has it.
    var storePlace: UInt32 {
        get { (start - Self.bookkeepingSize).load(fromByteOffset: 8, as: UInt32.self) }
        nonmutating set { (start - Self.bookkeepingSize).storeBytes(of: newValue, toByteOffset: 8, as: UInt32.self) }
    }

    /// For the same cache: whether it changed since it was stored.
    var isDirty: Bool {
        get { (start - Self.bookkeepingSize).load(fromByteOffset: 12, as: Bool.self) }
        nonmutating set { (start - Self.bookkeepingSize).storeBytes(of: newValue, toByteOffset: 12, as: Bool.self) }
    }

    /// Another number whenever states begin elsewhere than a moment before.
    private(set) var arrangement: UInt16 {
        get { (start - Self.bookkeepingSize).load(fromByteOffset: 14, as: UInt16.self) }
        set { (start - Self.bookkeepingSize).storeBytes(of: newValue, toByteOffset: 14, as: UInt16.self) }
    }

    /// What the block was when a `RecordWatch` began to watch it; nil while none does.
    var former: UnsafeMutablePointer<FormerRecord>? {
        get { (start - Self.bookkeepingSize).load(fromByteOffset: 16, as: UnsafeMutablePointer<FormerRecord>?.self) }
        nonmutating set {
            (start - Self.bookkeepingSize).storeBytes(
                of: newValue, toByteOffset: 16, as: UnsafeMutablePointer<FormerRecord>?.self)
        }
    }

    /// Notes that a section is about to be written.
    @inline(__always)
    func willWrite(_ section: Section) { former?.pointee.keep(section, of: self) }

    @inline(__always)
    private func willResize(_ section: Section, _ range: Range<Int>) {
        guard let former else { return }
        if range.isEmpty, range.lowerBound == self.range(of: section).upperBound {
            former.pointee.extend(section, of: self)
        } else {
            former.pointee.keep(section, of: self)
        }
    }

    /// Notes that bytes from an offset on, all of one section, are about to be written.
    @inline(__always)
    private func willWrite(at offset: Int) { if former != nil { keepSection(at: offset) } }

    @inline(never)
    private func keepSection(at offset: Int) {
        if offset < Self.headerSize { return }
        // No bytes may lie at the end of all.
        var number = 0
        while number < Section.directory.rawValue, end(ofSection: number) <= offset { number += 1 }
        let section = Section(rawValue: number)!
        former?.pointee.keep(section, writtenAt: offset - range(of: section).lowerBound, of: self)
    }

    private static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        // As much as malloc gives without another word: pieces of 16 bytes, 8 of which are its own.
        let capacity = (bookkeepingSize + count + 8 + 15) / 16 * 16 - 8 - bookkeepingSize
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bookkeepingSize + capacity, alignment: 8)
        memory.initializeMemory(as: UInt32.self, repeating: 0, count: bookkeepingSize / 4)
        memory.storeBytes(of: UInt32(capacity), as: UInt32.self)
        return memory + bookkeepingSize
    }

    private mutating func reserve(_ needed: Int) {
        if needed <= capacity { return }
        let larger = Self.allocate(needed + needed / 8)
        larger.copyMemory(from: start, byteCount: count)
        (larger - Self.bookkeepingSize + 4).copyMemory(
            from: start - Self.bookkeepingSize + 4, byteCount: Self.bookkeepingSize - 4)
        (start - Self.bookkeepingSize).deallocate()
        start = larger
    }
}

extension RawSpan {
    /// A number, little endian, of which it is known that it is there: its section was checked when it was read.
    @inline(__always)
    func knownNumber<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Number.Type = Number.self
    ) -> Number {
        Number(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Number.self))
    }
}

extension RecordBlock.Field<UInt32> {
    static var magic: Self { Self(0) }
    /// Given to the next timer.
    static var timersArmed: Self { Self(8) }
    /// Where each section ends, from the beginning of the header: one number for each.
    static var ends: Self { Self(12) }
    /// How many notifications are in the history.
    static var inHistory: Self { Self(96) }
    /// How many are current, and only a request can delete them.
    static var held: Self { Self(100) }
}

extension RecordBlock.Field<UInt16> {
    static var version: Self { Self(4) }
    static var flags: Self { Self(6) }
}

extension RecordBlock.Field<Int64> {
    static var latest: Self { Self(64) }
    static var appSince: Self { Self(80) }
    /// Of the earliest timer; the largest number without any.
    static var nextDue: Self { Self(88) }
}

extension RecordBlock.Field<UInt64> {
    static var decisions: Self { Self(72) }
}
