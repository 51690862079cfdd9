import BelfryModel

/// What a record was before a signal or a timer changed it: its header, and each section that is written meanwhile. Sections in which
/// nothing is written, or only something added at the end, are neither copied nor compared.
struct FormerRecord: ~Copyable {
    typealias Section = RecordBlock.Section

    /// The header, and behind it sections before they were written: each once, of a table the head alone.
    private var bytes = GrowingBuffer(capacity: 1 << 12)
    /// Where they lie, for those that were copied.
    private var places: [12 of Range<Int>] = .init(repeating: 0..<0)
    /// How many bytes were removed from each since.
    private var removed: [12 of Int] = .init(repeating: 0)
    /// A bit for each of them.
    private var written: UInt16 = 0
    private var copied: UInt16 = 0
    /// The places of tables that were written, from the beginning of their sections; those of the second table with the highest bit.
    private(set) var marks: [TableMark] = []
    static let isOfSecond: UInt32 = 1 << 31
    /// Whether nothing but that is noted.
    private var isOfTables = false

    mutating func begin(_ block: borrowing RecordBlock) {
        isOfTables = false
        bytes.removeAll()
        (written, copied) = (0, 0)
        marks.removeAll(keepingCapacity: true)
        block.bytes.extracting(0..<RecordBlock.headerSize).withUnsafeBytes { bytes.append($0) }
    }

    mutating func beginTables() {
        isOfTables = true
        marks.removeAll(keepingCapacity: true)
    }

    /// Notes that a section is about to get more bytes at its end.
    mutating func extend(_ section: Section, of block: borrowing RecordBlock) {
        if isOfTables { return }
        // How many there are in a list or table is at its beginning.
        if section == .ids || section == .requestKeys { return keep(section, of: block) }
        written |= 1 << UInt16(section.rawValue)
    }

    /// Keeps a section that is about to be written at a place, from its beginning, unless that was added to it.
    mutating func keep(_ section: Section, writtenAt place: Int, of block: borrowing RecordBlock) {
        if isOfTables { return }
        if place < length(of: section.rawValue) || !isWritten(section.rawValue) { keep(section, of: block) }
    }

    /// Keeps a section that is about to be written.
    mutating func keep(_ section: Section, of block: borrowing RecordBlock) {
        guard !isOfTables, section != .directory, !isCopied(section.rawValue) else { return }
        written |= 1 << UInt16(section.rawValue)
        copied |= 1 << UInt16(section.rawValue)
        let (place, former) = (bytes.count, length(of: section.rawValue))
        block.bytes(of: section).withUnsafeBytes { content in
            let length = Self.isTable(section, content) ? SubjectRecord.idsHeaderSize : former
            bytes.append(UnsafeRawBufferPointer(rebasing: content[..<length]))
        }
        (places[section.rawValue], removed[section.rawValue]) = (place..<bytes.count, 0)
    }

    /// Notes that so many bytes of a section are about to be removed.
    mutating func remove(_ count: Int, from section: Section) {
        if section != .directory { removed[section.rawValue] += count }
    }

    /// Notes that a place of a table was written, or with nil that the table was made anew.
    ///
    /// A table may be large: what changed in it is not looked for.
    mutating func mark(_ section: Section, at place: Int?) {
        marks.append((section == .ids ? 0 : Self.isOfSecond) | UInt32(place ?? 0))
    }

    /// Call it before they are read.
    mutating func sortMarks() { if marks.count > 1 { marks.sort() } }

    // MARK: Reading

    var header: UnsafeRawBufferPointer { bytes.raw(in: 0..<RecordBlock.headerSize) }

    /// How many bytes a section had.
    func length(of section: Int) -> Int { RecordDifference.range(of: section, in: header).count }

    func isWritten(_ section: Int) -> Bool { written & 1 << UInt16(section) != 0 }

    /// Whether it was written elsewhere than behind its end.
    func isCopied(_ section: Int) -> Bool { copied & 1 << UInt16(section) != 0 }

    /// One that was copied, as it was; of a table, the head.
    subscript(section: Section) -> UnsafeRawBufferPointer { bytes.raw(in: places[section.rawValue]) }

    func removed(from section: Section) -> Int { removed[section.rawValue] }

    /// The places of a table that were written, ascending; 0 if it was made anew.
    func marks(of section: Section) -> some Sequence<Int> {
        let second = marks.firstIndex { $0 & Self.isOfSecond != 0 } ?? marks.endIndex
        return (section == .ids ? marks[..<second] : marks[second...]).lazy.map { Int($0 & ~Self.isOfSecond) }
    }

    static func isTable(_ section: Section, _ content: UnsafeRawBufferPointer) -> Bool {
        guard section == .ids || section == .requestKeys, !content.isEmpty else { return false }
        return content.loadNumber(at: 4, as: UInt32.self) != 0
    }
}
