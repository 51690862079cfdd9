import BelfryModel

// Fingerprints with the instant at which each came, in a section of their own: of the signals processed, or of the keys of requests.
//
//     size  what
//     4     how many there are
//     4     how many places a table has; 0: it is a list
//     8     when the table was made, in ms
//     16    each place: a fingerprint and an instant in ms
//
// Up to 32 are a list, in the order in which they came. More are a hash table with open addressing and linear probing: a power of two, at
// most three quarters of it taken, free places have the fingerprint 0. It is made anew, without what is forgotten, when it is full or
// old: so a record stays as small as what it remembers. Without any, the section is empty.

/// How long a record remembers what it was told.
public struct DuplicateMemory: Sendable, Hashable {
    /// Nil: for ever.
    public var span: Duration?

    public init(_ span: Duration?) { self.span = span }

    /// Half-open: what came exactly that long ago is forgotten.
    fileprivate func forgets(_ came: Int64, at now: Instant) -> Bool {
        guard let span else { return false }
        return Instant(milliseconds: came) + span <= now
    }
}

/// Where something was written in one of the two tables of a record: from the beginning of its section, of the second with the highest bit.
package typealias TableMark = UInt32

/// Where the two tables are, from the beginning of the header.
package struct TablePlaces: Equatable {
    let ids: Range<Int>
    let keys: Range<Int>
}

extension SubjectRecord {
    private static let longestList = 32
    static let idsHeaderSize = 16
    private static let placeSize = 16

    /// How many signals, and how many requests with a key, are remembered.
    public var rememberedIDs: (signals: Int, requests: Int) { (idCount(.ids), idCount(.requestKeys)) }

    /// Whether a fingerprint came, and is not forgotten at that instant.
    func remembers(
        _ fingerprint: UInt64, in section: RecordBlock.Section, _ memory: DuplicateMemory, at now: Instant
    ) -> Bool {
        guard let place = place(of: fingerprint, in: section) else { return false }
        return !memory.forgets(block.number(at: place + 8), at: now)
    }

    /// Notes that a fingerprint came at that instant, and lets go of what is forgotten by then.
    mutating func remember(
        _ fingerprint: UInt64, in section: RecordBlock.Section, _ memory: DuplicateMemory, at now: Instant
    ) {
        let fingerprint = fingerprint == 0 ? 1 : fingerprint
        if isTable(section) { return addToTable(fingerprint, section, memory, now) }
        forgetOldest(in: section, memory, now)
        if place(of: fingerprint, in: section) != nil { return }
        if idCount(section) == Self.longestList {
            makeTable(section, memory, now)
            return addToTable(fingerprint, section, memory, now)
        }
        let isFirst = block.isEmpty(section)
        var place = block.extend(section, by: Self.placeSize + (isFirst ? Self.idsHeaderSize : 0))
        if isFirst {
            setHeader(at: place, count: 0, capacity: 0, made: 0)
            place += Self.idsHeaderSize
        }
        store(fingerprint, now.milliseconds, at: place)
        changeCount(of: section, by: 1)
    }

    private func idCount(_ section: RecordBlock.Section) -> Int {
        block.isEmpty(section) ? 0 : Int(block.number(at: block.range(of: section).lowerBound, as: UInt32.self))
    }

    private func capacity(_ section: RecordBlock.Section) -> Int {
        block.isEmpty(section) ? 0 : Int(block.number(at: block.range(of: section).lowerBound + 4, as: UInt32.self))
    }

    func isTable(_ section: RecordBlock.Section) -> Bool { capacity(section) > 0 }

    /// Where it is; nil if it is not there.
    private func place(of fingerprint: UInt64, in section: RecordBlock.Section) -> Int? {
        let range = block.range(of: section)
        if range.isEmpty { return nil }
        let fingerprint = fingerprint == 0 ? 1 : fingerprint
        let first = range.lowerBound + Self.idsHeaderSize
        let capacity = capacity(section)
        if capacity > 0 {
            let place = tablePlace(of: fingerprint, first, capacity)
            return block.number(at: place, as: UInt64.self) == 0 ? nil : place
        }
        for place in stride(from: first, to: range.upperBound, by: Self.placeSize)
        where block.number(at: place) == fingerprint { return place }
        return nil
    }

    /// Its own place in a table, or the free one that it would get.
    private func tablePlace(of fingerprint: UInt64, _ first: Int, _ capacity: Int) -> Int {
        var index = Int(truncatingIfNeeded: fingerprint ^ fingerprint >> 32) & (capacity - 1)
        while true {
            let place = first + index * Self.placeSize
            let found: UInt64 = block.number(at: place)
            if found == 0 || found == fingerprint { return place }
            index = (index + 1) & (capacity - 1)
        }
    }

    private mutating func store(_ fingerprint: UInt64, _ came: Int64, at place: Int) {
        block.store(fingerprint, at: place)
        block.store(came, at: place + 8)
    }

    private mutating func setHeader(at place: Int, count: Int, capacity: Int, made: Int64) {
        block.store(UInt32(count), at: place)
        block.store(UInt32(capacity), at: place + 4)
        block.store(made, at: place + 8)
    }

    private mutating func changeCount(of section: RecordBlock.Section, by difference: Int) {
        block.store(UInt32(idCount(section) + difference), at: block.range(of: section).lowerBound)
    }

    // MARK: Lists

    private mutating func forgetOldest(in section: RecordBlock.Section, _ memory: DuplicateMemory, _ now: Instant) {
        let range = block.range(of: section)
        if range.isEmpty { return }
        let first = range.lowerBound + Self.idsHeaderSize
        var end = first
        while end < range.upperBound, memory.forgets(block.number(at: end + 8), at: now) { end += Self.placeSize }
        if end == first { return }
        if end == range.upperBound { return block.resize(section, range, to: 0) }
        block.resize(section, first..<end, to: 0)
        changeCount(of: section, by: -(end - first) / Self.placeSize)
    }

    // MARK: Tables

    private mutating func addToTable(
        _ fingerprint: UInt64, _ section: RecordBlock.Section, _ memory: DuplicateMemory, _ now: Instant
    ) {
        if isOld(section, memory, now) || (idCount(section) + 1) * 4 > capacity(section) * 3 {
            makeTable(section, memory, now)
            if !isTable(section) { return remember(fingerprint, in: section, memory, at: now) }
        }
        let first = block.range(of: section).lowerBound + Self.idsHeaderSize
        let place = tablePlace(of: fingerprint, first, capacity(section))
        if block.number(at: place, as: UInt64.self) == 0 { changeCount(of: section, by: 1) }
        store(fingerprint, now.milliseconds, at: place)
        block.former?.pointee.mark(section, at: place - block.range(of: section).lowerBound)
    }

    /// Whether half of what it was made with may be forgotten by now.
    private func isOld(_ section: RecordBlock.Section, _ memory: DuplicateMemory, _ now: Instant) -> Bool {
        guard let span = memory.span else { return false }
        let made: Int64 = block.number(at: block.range(of: section).lowerBound + 8)
        return Instant(milliseconds: made) + Duration(milliseconds: span.milliseconds / 2) <= now
    }

    /// Makes a table of what is not forgotten, with room for as much again; a list, if it is little.
    private mutating func makeTable(_ section: RecordBlock.Section, _ memory: DuplicateMemory, _ now: Instant) {
        var kept = remembered(in: section, memory, now)
        let capacity =
            kept.count < Self.longestList / 2 ? 0 : 1 << (Int.bitWidth - (kept.count * 2).leadingZeroBitCount)
        // A list is in the order in which they came.
        if capacity == 0 { kept.sort { ($0.came, $0.fingerprint) < ($1.came, $1.fingerprint) } }
        let places = capacity == 0 ? kept.count : capacity
        let size = places == 0 ? 0 : Self.idsHeaderSize + places * Self.placeSize
        block.resize(section, block.range(of: section), to: size)
        block.former?.pointee.mark(section, at: nil)
        if places == 0 { return }
        let start = block.range(of: section).lowerBound
        setHeader(at: start, count: kept.count, capacity: capacity, made: now.milliseconds)
        let first = start + Self.idsHeaderSize
        if capacity > 0 { block.clear(first..<first + places * Self.placeSize) }
        for (index, id) in kept.enumerated() {
            let place =
                capacity == 0 ? first + index * Self.placeSize : tablePlace(of: id.fingerprint, first, capacity)
            store(id.fingerprint, id.came, at: place)
        }
    }

    private func remembered(
        in section: RecordBlock.Section, _ memory: DuplicateMemory, _ now: Instant
    ) -> [(fingerprint: UInt64, came: Int64)] {
        let range = block.range(of: section)
        var ids: [(fingerprint: UInt64, came: Int64)] = []
        for place in stride(from: range.lowerBound + Self.idsHeaderSize, to: range.upperBound, by: Self.placeSize) {
            let id: (fingerprint: UInt64, came: Int64) = (block.number(at: place), block.number(at: place + 8))
            if id.fingerprint != 0, !memory.forgets(id.came, at: now) { ids.append(id) }
        }
        return ids
    }

    // MARK: Saving

    /// Whether the ids are so many that to copy them takes longer than all the rest.
    package var hasLargeTables: Bool {
        block.range(of: .requestKeys).upperBound - RecordBlock.headerSize >= Self.largeTables
    }

    private static let largeTables = 1 << 14

    package var tablePlaces: TablePlaces {
        TablePlaces(ids: block.range(of: .ids), keys: block.range(of: .requestKeys))
    }

    /// Of the record's block all that is not in tables, and what was written in these.
    package func ranges(written marks: [TableMark]) -> [Range<Int>] {
        var (ranges, begin): ([Range<Int>], Int) = ([], 0)
        for section in [Section.ids, .requestKeys] where isTable(section) {
            let table = block.range(of: section)
            ranges.append(begin..<table.lowerBound + Self.idsHeaderSize)
            for mark in marks where (mark & FormerRecord.isOfSecond == 0) == (section == .ids) {
                let place = table.lowerBound + Int(mark & ~FormerRecord.isOfSecond)
                ranges.append(place..<place + Self.placeSize)
            }
            begin = table.upperBound
        }
        return ranges + [begin..<block.count]
    }

    // MARK: Checking

    /// Whether a section of a record that came from outside is one of these.
    static func areIDs(_ bytes: RawSpan) -> Bool {
        if bytes.isEmpty { return true }
        var reader = ByteReader(bytes)
        guard let count = try? reader.fixed(UInt32.self), let capacity = try? reader.fixed(UInt32.self),
            (try? reader.fixed(Int64.self)) != nil, reader.rest % placeSize == 0
        else { return false }
        let places = reader.rest / placeSize
        if capacity == 0 { return count == UInt32(places) && places > 0 && places <= longestList }
        guard capacity == UInt32(places), places.nonzeroBitCount == 1, places > longestList else { return false }
        var taken: UInt32 = 0
        for place in stride(from: idsHeaderSize, to: bytes.byteCount, by: placeSize)
        where bytes.knownNumber(at: place, as: UInt64.self) != 0 { taken += 1 }
        // A table without a free place would be searched for ever.
        return taken == count && count * 4 <= capacity * 3
    }
}
