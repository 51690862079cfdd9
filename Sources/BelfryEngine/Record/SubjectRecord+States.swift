import BelfryModel

// The states of strategies, one for each chain entry and counter that is not as it was at first.
//
//     size  what
//     4     how many there are
//     4     zero
//     8     an index entry for each, in ascending order: a hash of owner and counter, and where the slot begins after the index
//     …     the slots, each at a multiple of 8:
//             4  the owner: a hash of strategy and entry
//             4  the shape of what it holds (`StateShape`)
//             4  a hash of the entry's own parameters when the state was used last
//             4  length of what it holds
//             4  length of the counter's key and one; 0 where the entry counts per subject
//             …  the key, filled up with zeros to a multiple of 8
//             …  what it holds, filled up in the same way

extension SubjectRecord {
    /// A state, where it lies until something is added or removed.
    struct Slot {
        fileprivate let place: UInt32
        let owner: UInt32
        let shape: UInt32
        let parameters: UInt32
        fileprivate let length: UInt32
        /// Of the counter's key and one; 0 where the entry counts per subject.
        fileprivate let keyLength: UInt32

        /// From the beginning of the header.
        @inline(__always)
        fileprivate var offset: Int { Int(place) }

        /// What it holds, from the beginning of the header.
        @inline(__always)
        var content: Range<Int> {
            let start = offset + paddedToWord(SubjectRecord.slotHeaderSize + max(0, Int(keyLength) - 1))
            return Range(uncheckedBounds: (start, start + Int(length)))
        }

        /// The key of the counter; nil where the entry counts per subject.
        @inline(__always)
        var counter: Range<Int>? {
            if keyLength == 0 { return nil }
            let start = offset + SubjectRecord.slotHeaderSize
            return Range(uncheckedBounds: (start, start + Int(keyLength) - 1))
        }

        /// Whether nothing but what it holds would be another for a state of that kind.
        @inline(__always)
        fileprivate func isOf(_ shape: UInt32, _ parameters: UInt32, _ length: Int) -> Bool {
            self.shape == shape && self.parameters == parameters && self.length == length
        }
    }

    /// Whose state it is, and what the configuration and the plugin say of it now.
    struct SlotKey {
        let owner: UInt32
        let counter: CounterKey

        /// What slots are ordered by.
        @inline(__always)
        fileprivate var hash: UInt32 { SubjectRecord.slotHash(owner, counter.hash) }
    }

    private static let statesHeaderSize = 8
    private static let indexEntrySize = 8
    fileprivate static let slotHeaderSize = 20

    @inline(__always)
    fileprivate static func slotHash(_ owner: UInt32, _ counter: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((UInt64(owner) ^ counter) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }

    // MARK: Finding

    @inline(__always)
    private var statesStart: Int { block.range(of: .states).lowerBound }

    public var stateCount: Int {
        block.isEmpty(.states) ? 0 : Int(block.number(at: statesStart, as: UInt32.self))
    }

    /// Nil if there is none: then the state is as it was at first.
    func slot(_ key: SlotKey) -> Slot? {
        if block.isEmpty(.states) { return nil }
        let states = block.bytes(of: .states)
        let first = Self.statesHeaderSize + Int(states.knownNumber(at: 0, as: UInt32.self)) * Self.indexEntrySize
        let hash = key.hash
        var index = Self.statesHeaderSize
        // There are few: to look at one after the other is faster than to search.
        while index < first, states.knownNumber(at: index) < hash { index += Self.indexEntrySize }
        while index < first, states.knownNumber(at: index) == hash {
            let place = first + Int(states.knownNumber(at: index + 4, as: UInt32.self))
            let slot = Self.slot(at: place, in: states, from: statesStart)
            if slot.owner == key.owner, isCounter(slot, key.counter) { return slot }
            index += Self.indexEntrySize
        }
        return nil
    }

    /// All of them, in no particular order.
    var slots: [Slot] {
        let count = stateCount
        return (0..<count).map { slot(inIndex: $0, count) }
    }

    func counter(of slot: Slot) -> String? { slot.counter.flatMap { String(checking: block.bytes.extracting($0)) } }

    @inline(__always)
    private func isCounter(_ slot: Slot, _ key: CounterKey) -> Bool {
        guard let counter = slot.counter else { return key.text.bytes == nil }
        return key.text.bytes != nil && counter.count == Int(key.text.length)
            && block.has(key.text.utf8, at: counter.lowerBound)
    }

    /// The first place of the index whose hash is not less.
    private func firstIndex(notBefore hash: UInt32, _ count: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if hashOfIndex(middle) < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }

    @inline(__always)
    private func indexOffset(_ place: Int) -> Int {
        statesStart + Self.statesHeaderSize + place * Self.indexEntrySize
    }

    @inline(__always)
    private func hashOfIndex(_ place: Int) -> UInt32 { block.number(at: indexOffset(place)) }

    @inline(__always)
    func slot(inIndex place: Int, _ count: Int) -> Slot {
        slot(at: indexOffset(count) + Int(block.number(at: indexOffset(place) + 4, as: UInt32.self)))
    }

    private func slot(at offset: Int) -> Slot {
        let start = statesStart
        return Self.slot(at: offset - start, in: block.bytes(of: .states), from: start)
    }

    /// - Parameters:
    ///   - place: from the beginning of the section.
    ///   - start: where that is.
    @inline(__always)
    private static func slot(at place: Int, in states: RawSpan, from start: Int) -> Slot {
        Slot(
            place: UInt32(truncatingIfNeeded: start + place), owner: states.knownNumber(at: place),
            shape: states.knownNumber(at: place + 4), parameters: states.knownNumber(at: place + 8),
            length: states.knownNumber(at: place + 12), keyLength: states.knownNumber(at: place + 16))
    }

    // MARK: Showing

    /// A state as `state show` has it.
    public struct State: Sendable, Hashable {
        public let strategy: String
        public let entry: String
        /// Nil where the entry counts per subject.
        public let counter: String?
        /// Of one that saves itself: the version of the strategy that wrote it.
        public let version: UInt32?
        public let values: [StatePair]
    }

    /// By entry, strategy and counter. A record as it was read without a configuration has everything that is needed for that.
    public var states: [State] { states(nil) }

    package func states(_ directory: StateDirectory?) -> [State] {
        slots.map { slot in
            let owner = owner(slot.owner, directory)
            let isDeclared = slot.shape & StateShape.isDeclared != 0
            let values = try? shape(slot.shape, directory)?.values(in: block.bytes.extracting(slot.content))
            return State(
                strategy: owner?.strategy ?? "", entry: owner?.entry ?? "", counter: counter(of: slot),
                version: isDeclared ? nil : slot.shape, values: values ?? [])
        }.sorted {
            ($0.entry, $0.strategy, $0.counter ?? "") < ($1.entry, $1.strategy, $1.counter ?? "")
        }
    }

    // MARK: Changing

    /// Puts a state in its slot.
    ///
    /// - Parameter slot: nil if it has none yet.
    mutating func setState(
        _ key: SlotKey, _ slot: Slot?, shape: UInt32, parameters: UInt32, to content: UnsafeRawBufferPointer
    ) {
        if let slot, slot.isOf(shape, parameters, content.count) {
            return block.copy(content, to: slot.content.lowerBound)
        }
        let slot = slot ?? addSlot(key, length: content.count)
        let room = slot.content.lowerBound..<slot.content.lowerBound + paddedToWord(slot.content.count)
        resizeSlot(room, to: paddedToWord(content.count))
        block.store(shape, at: slot.offset + 4)
        block.store(parameters, at: slot.offset + 8)
        block.store(UInt32(content.count), at: slot.offset + 12)
        block.copy(content, to: slot.content.lowerBound)
        for place in content.count..<paddedToWord(content.count) {
            block.store(0 as UInt8, at: slot.content.lowerBound + place)
        }
    }

    /// Forgets a state: it is as it was at first.
    mutating func removeState(_ key: SlotKey) {
        guard let slot = slot(key) else { return }
        let count = stateCount
        let place = (0..<count).first { self.slot(inIndex: $0, count).offset == slot.offset }!  // it was found there
        resizeSlot(slot.offset..<slot.content.lowerBound + paddedToWord(slot.content.count), to: 0)
        let index = indexOffset(place)
        block.resize(.states, index..<index + Self.indexEntrySize, to: 0)
        block.store(UInt32(count - 1), at: statesStart)
        if count == 1 { empty(.states) }
    }

    /// - Parameter length: of what it will hold: what lies behind the states moves once for both.
    private mutating func addSlot(_ key: SlotKey, length: Int) -> Slot {
        if block.isEmpty(.states) { block.store(0 as UInt64, at: block.extend(.states, by: Self.statesHeaderSize)) }
        let count = stateCount
        let start = block.range(of: .states).upperBound - indexOffset(count)
        addIndexEntry(key.hash, start, count)
        let counter = key.counter.text.bytes == nil ? 0 : key.counter.text.utf8.count + 1
        let size = paddedToWord(Self.slotHeaderSize + max(0, counter - 1))
        let offset = block.extend(.states, by: size + paddedToWord(length))
        for place in stride(from: offset, to: offset + size, by: 8) { block.store(0 as UInt64, at: place) }
        block.store(key.owner, at: offset)
        block.store(UInt32(length), at: offset + 12)
        block.store(UInt32(counter), at: offset + 16)
        block.copy(key.counter.text.utf8, to: offset + Self.slotHeaderSize)
        return slot(at: offset)
    }

    private mutating func addIndexEntry(_ hash: UInt32, _ start: Int, _ count: Int) {
        let index = indexOffset(firstIndex(notBefore: hash, count))
        block.resize(.states, index..<index, to: Self.indexEntrySize)
        block.store(hash, at: index)
        block.store(UInt32(start), at: index + 4)
        block.store(UInt32(count + 1), at: statesStart)
    }

    /// Makes a range of the slots longer or shorter, and notes where those behind it begin then.
    private mutating func resizeSlot(_ range: Range<Int>, to length: Int) {
        let difference = length - range.count
        if difference == 0 { return }
        let count = stateCount
        let place = range.lowerBound - indexOffset(count)
        block.resize(.states, range, to: length)
        for index in 0..<count {
            let start: UInt32 = block.number(at: indexOffset(index) + 4)
            if Int(start) > place { block.store(UInt32(Int(start) + difference), at: indexOffset(index) + 4) }
        }
    }

    // MARK: Checking

    /// Whether the section of a record that came from outside is made of states.
    static func areStates(_ bytes: RawSpan) -> Bool {
        if bytes.isEmpty { return true }
        var reader = ByteReader(bytes)
        do throws(ByteReader.Damage) {
            let count = Int(try reader.fixed(UInt32.self))
            guard count > 0, try reader.fixed(UInt32.self) == 0, bytes.byteCount % 8 == 0,
                count <= reader.rest / (indexEntrySize + slotHeaderSize)
            else { return false }
            let index = bytes.extracting(try reader.skip(count * indexEntrySize))
            guard isOrdered(index) else { return false }
            let first = reader.position
            // Each slot is where the one before it ends: none overlaps another, and there is nothing in between.
            for _ in 0..<count {
                let start = reader.position - first
                let hash = try reader.skipSlot()
                guard let hash, has(hash, start, in: index) else { return false }
            }
            return reader.rest == 0
        } catch {
            return false
        }
    }

    private static func isOrdered(_ index: RawSpan) -> Bool {
        var last: UInt32 = 0
        for place in stride(from: 0, to: index.byteCount, by: indexEntrySize) {
            let hash: UInt32 = index.knownNumber(at: place)
            if hash < last { return false }
            last = hash
        }
        return true
    }

    /// Whether an ordered index has an entry.
    private static func has(_ hash: UInt32, _ start: Int, in index: RawSpan) -> Bool {
        var (low, high) = (0, index.byteCount / indexEntrySize)
        while low < high {
            let middle = (low + high) / 2
            if index.knownNumber(at: middle * indexEntrySize) < hash { low = middle + 1 } else { high = middle }
        }
        var place = low * indexEntrySize
        while place < index.byteCount, index.knownNumber(at: place) == hash {
            if Int(index.knownNumber(at: place + 4, as: UInt32.self)) == start { return true }
            place += indexEntrySize
        }
        return false
    }

    fileprivate static func hash(of owner: UInt32, _ counter: UnsafeRawBufferPointer?) -> UInt32 {
        slotHash(owner, counter.map { stableHash($0) } ?? 0)
    }
}

extension ByteReader {
    /// - Returns: what it is found by; nil if its counter is no text.
    @_lifetime(self: copy self)
    fileprivate mutating func skipSlot() throws(Damage) -> UInt32? {
        let owner = try fixed(UInt32.self)
        _ = try fixed(UInt64.self)
        let (length, counter) = (Int(try fixed(UInt32.self)), Int(try fixed(UInt32.self)))
        let key = try skip(max(0, counter - 1))
        _ = try skip((8 - position % 8) % 8)
        _ = try skip(length)
        _ = try skip((8 - position % 8) % 8)
        if counter == 0 { return SubjectRecord.hash(of: owner, nil) }
        let text = bytes(in: key)
        guard text.isUTF8 else { return nil }
        return text.withUnsafeBytes { SubjectRecord.hash(of: owner, $0) }
    }
}
