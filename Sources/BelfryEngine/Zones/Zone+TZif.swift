// A TZif file (RFC 9636, section 3) is a header and a data block with 32-bit times; from version 2 on a
// second header and block with 64-bit times follow, then a footer: the POSIX rule for what comes after the
// last transition, between newlines.
//
//     header   "TZif" version 15×0, then six counts: isut isstd leap time type char
//     block    time × (4|8)   time × 1 (type index)   type × 6 (offset 4, dst 1, name 1)   char
//              leap × (4|8 + 4)   isstd   isut

extension Zone {
    /// Builds a zone from the bytes of its compiled tz data; nil when they are not well-formed.
    ///
    /// Versions 1 to 4 are read; a version 1 file has no rule, so its last offset stays. Files that count
    /// leap seconds (`right/…`) are refused, because `Instant` does not count them.
    public convenience init?(name: String, tzif bytes: [UInt8]) {
        var reader = TZifReader(bytes: bytes)
        guard var header = reader.header() else { return nil }
        var timeSize = 4
        if header.version >= UInt8(ascii: "2") {
            guard reader.skip(header.blockSize(timeSize: 4)), let second = reader.header() else { return nil }
            (header, timeSize) = (second, 8)
        }
        guard let block = reader.block(header, timeSize: timeSize) else { return nil }
        var rule: YearlyRule?
        if timeSize == 8 {
            guard let footer = reader.footer() else { return nil }
            if !footer.isEmpty {
                guard let parsed = YearlyRule(posix: footer) else { return nil }
                rule = parsed
            }
        }
        self.init(name: name, block: block, rule: rule)
    }

    private convenience init(name: String, block: TZifBlock, rule: YearlyRule?) {
        var initialOffset = block.initialOffset
        if let rule, block.transitions.isEmpty { initialOffset = rule.standard }
        var table = OffsetTable(initialOffset: initialOffset)
        for transition in block.transitions {
            table.append(start: transition.start, offset: transition.offset)
        }
        let cycleStart = rule?.extend(&table, after: block.transitions.last?.start)
        self.init(name: name, table: table, cycleStart: cycleStart)
    }
}

private struct TZifHeader {
    var version: UInt8
    var isUTCount, isStandardCount, leapCount, timeCount, typeCount, characterCount: Int

    func blockSize(timeSize: Int) -> Int {
        timeCount * (timeSize + 1) + typeCount * 6 + trailerSize(timeSize: timeSize)
    }

    /// What follows the types: of no use here.
    func trailerSize(timeSize: Int) -> Int {
        characterCount + leapCount * (timeSize + 4) + isStandardCount + isUTCount
    }
}

/// What matters of a data block, in UTC milliseconds and milliseconds east of UTC.
private struct TZifBlock {
    var initialOffset: Int64
    var transitions: [(start: Int64, offset: Int64)]
}

/// Eats the bytes from the front; every method gives nil for what is not well-formed.
private struct TZifReader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func header() -> TZifHeader? {
        guard bytes[position...].starts(with: Array("TZif".utf8)), bytes.count - position >= 44 else { return nil }
        let version = bytes[position + 4]
        position += 20
        let counts = (0..<6).map { _ in Int(integer(UInt32.self)) }
        return TZifHeader(
            version: version, isUTCount: counts[0], isStandardCount: counts[1], leapCount: counts[2],
            timeCount: counts[3], typeCount: counts[4], characterCount: counts[5])
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - position else { return false }
        position += count
        return true
    }

    mutating func block(_ header: TZifHeader, timeSize: Int) -> TZifBlock? {
        guard header.blockSize(timeSize: timeSize) <= bytes.count - position,
            header.leapCount == 0, header.typeCount > 0
        else { return nil }
        let starts = times(header.timeCount, size: timeSize)
        let types = (0..<header.timeCount).map { _ in Int(integer(UInt8.self)) }
        guard let offsets = offsets(header.typeCount), skip(header.trailerSize(timeSize: timeSize)),
            types.allSatisfy({ $0 < offsets.count }), zip(starts, starts.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        return TZifBlock(
            initialOffset: offsets[0], transitions: zip(starts, types).map { ($0, offsets[$1]) })
    }

    /// The rule between its newlines, without them.
    mutating func footer() -> ArraySlice<UInt8>? {
        let newline = UInt8(ascii: "\n")
        let rest = bytes[position...]
        guard rest.first == newline, let end = rest.dropFirst().firstIndex(of: newline) else { return nil }
        return rest[(position + 1)..<end]
    }

    private mutating func times(_ count: Int, size: Int) -> [Int64] {
        (0..<count).map { _ in
            let seconds = size == 8 ? integer(Int64.self) : Int64(integer(Int32.self))
            // Some compilers write -2⁵⁹ for "since ever".
            let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
            return overflow ? (seconds < 0 ? .min : .max) : milliseconds
        }
    }

    private mutating func offsets(_ count: Int) -> [Int64]? {
        let offsets = (0..<count).map { _ in
            let offset = Int64(integer(Int32.self)) * 1_000
            position += 2
            return offset
        }
        return offsets.allSatisfy { abs($0) < Zone.offsetBound } ? offsets : nil
    }

    /// Reads a big-endian integer; the caller has seen to it that there are enough bytes.
    private mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer {
        var value: Integer = 0
        for byte in bytes[position..<(position + Integer.bitWidth / 8)] {
            value = (value &<< 8) | Integer(truncatingIfNeeded: byte)
        }
        position += Integer.bitWidth / 8
        return value
    }
}
