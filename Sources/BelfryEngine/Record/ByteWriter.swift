import BelfryModel

/// Writes the parts of a stored record: numbers as variable-length integers, texts and lists after their length.
///
/// Into memory that is used again: whoever stores many records keeps one of these.
public struct ByteWriter: ~Copyable {
    // Not a `GrowingBuffer`, whose functions stay calls when they are called from here: a record is a hundred small pieces.
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    public init() {
        capacity = 1024
        start = .allocate(capacity: capacity)
    }

    deinit { start.deallocate() }

    /// A copy of all that was written.
    var bytes: [UInt8] { copy(from: 0) }

    /// A copy of what was written from there on.
    func copy(from place: Int) -> [UInt8] {
        let bytes = bytes(from: place)
        return Array(unsafeUninitializedCapacity: bytes.count) { copy, count in
            UnsafeMutableRawBufferPointer(copy).copyMemory(from: bytes)
            count = bytes.count
        }
    }

    /// What was written from there on, until something is added.
    func bytes(from place: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + place, count: count - place)
    }

    func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.upperBound <= count)
        return UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
    }

    /// Takes back what was written from there on.
    mutating func cut(to place: Int) { count = place }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        place(for: 1).pointee = byte
        count += 1
    }

    mutating func raw(_ more: UnsafeRawBufferPointer) {
        guard let source = more.baseAddress else { return }
        UnsafeMutableRawPointer(place(for: more.count)).copyMemory(from: source, byteCount: more.count)
        count += more.count
    }

    mutating func raw(_ more: [UInt8]) { more.withUnsafeBytes { raw($0) } }

    mutating func zeros(_ more: Int) {
        place(for: more).initialize(repeating: 0, count: more)
        count += more
    }

    /// Appends what was written before.
    mutating func `repeat`(_ range: Range<Int>) {
        precondition(range.upperBound <= count)
        place(for: range.count).update(from: start + range.lowerBound, count: range.count)
        count += range.count
    }

    /// The end, with room for so many more.
    @inline(__always)
    private mutating func place(for more: Int) -> UnsafeMutablePointer<UInt8> {
        if count + more > capacity { grow(count + more) }
        return start + count
    }

    @inline(never)
    private mutating func grow(_ needed: Int) {
        while capacity < needed { capacity *= 2 }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
    }

    // MARK: Numbers

    /// Puts a number where one was written before.
    mutating func replace(_ place: Int, with number: UInt64) {
        precondition(place + 8 <= count)
        UnsafeMutableRawPointer(start + place).storeBytes(of: number.littleEndian, as: UInt64.self)
    }

    /// LEB128: seven bits a byte, the lowest first.
    @inline(__always)
    mutating func unsigned(_ value: UInt64) {
        if value < 0x80 { byte(UInt8(truncatingIfNeeded: value)) } else { long(value) }
    }

    private mutating func long(_ value: UInt64) {
        let end = place(for: 10)
        var (rest, length) = (value, 0)
        while rest >= 0x80 {
            end[length] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            length += 1
        }
        end[length] = UInt8(truncatingIfNeeded: rest)
        count += length + 1
    }

    /// Zigzag, so that small negative numbers stay short.
    mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    @inline(__always)
    mutating func fixed(_ value: UInt64) {
        UnsafeMutableRawPointer(place(for: 8)).storeBytes(of: value.littleEndian, as: UInt64.self)
        count += 8
    }

    mutating func number(_ value: Double) { fixed(value.bitPattern) }
    mutating func bool(_ value: Bool) { byte(value ? 1 : 0) }
    mutating func instant(_ value: Instant) { signed(value.milliseconds) }

    // MARK: Texts and lists

    mutating func text(_ text: borrowing String) {
        let utf8 = text.utf8
        let length = utf8.count
        unsigned(UInt64(length))
        guard length > 0 else { return }
        let end = place(for: length)
        let isCopied: Void? = utf8.withContiguousStorageIfAvailable {
            end.update(from: $0.baseAddress!, count: length)  // there are some
        }
        if isCopied == nil { for (place, byte) in utf8.enumerated() { end[place] = byte } }
        count += length
    }

    /// - Parameter utf8: is UTF-8.
    mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) {
        unsigned(UInt64(utf8.count))
        raw(UnsafeRawBufferPointer(utf8))
    }

    mutating func optional<Wrapped>(_ value: Wrapped?, _ write: (inout ByteWriter, Wrapped) -> Void) {
        bool(value != nil)
        if let value { write(&self, value) }
    }

    mutating func text(_ text: String?) { optional(text) { $0.text($1) } }

    mutating func list<Element>(_ elements: [Element], _ write: (inout ByteWriter, borrowing Element) -> Void) {
        elements.withUnsafeBufferPointer { list($0, write) }
    }

    /// Lends each element where it lies: a copy would count references.
    mutating func list<Element>(
        _ elements: UnsafeBufferPointer<Element>, _ write: (inout ByteWriter, borrowing Element) -> Void
    ) {
        unsigned(UInt64(elements.count))
        for place in elements.indices { write(&self, elements[place]) }
    }

    /// A list whose length is known when it is written.
    ///
    /// - Parameter write: returns the length.
    mutating func list(_ write: (inout ByteWriter) -> Int) {
        let place = count
        byte(0)
        setLength(write(&self), at: place)
    }

    /// Fills in a length for which there is a byte; of one that needs more, what follows moves.
    mutating func setLength(_ length: Int, at place: Int) {
        if length < 0x80 { return start[place] = UInt8(length) }
        let end = count
        unsigned(UInt64(length))
        let size = count - end
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { number in
            number.copyMemory(from: bytes(from: end))
            (start + place + size).update(from: start + place + 1, count: end - place - 1)
            (start + place).update(from: number.baseAddress!.assumingMemoryBound(to: UInt8.self), count: size)
        }
        count = end + size - 1
    }

    mutating func value(_ value: Value) {
        switch value {
        case .null: byte(0)
        case .bool(let bool): byte(bool ? 2 : 1)
        case .integer(let integer):
            byte(3)
            signed(integer)
        case .number(let double):
            byte(4)
            number(double)
        case .text(let string):
            byte(5)
            text(string)
        case .list(let items):
            byte(6)
            list(items) { $0.value($1) }
        case .map(let map):
            byte(7)
            fields(map)
        }
    }

    mutating func fields(_ fields: Fields) {
        list(fields.entries) {
            $0.text($1.key)
            $0.value($1.value)
        }
    }

    mutating func value(_ value: Value?) { optional(value) { $0.value($1) } }
}

extension UnsafeRawBufferPointer {
    /// Memory of its own with what is written; whoever has it frees it.
    static func allocating(_ write: (inout ByteWriter) -> Void) -> UnsafeRawBufferPointer {
        var bytes = ByteWriter()
        write(&bytes)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyMemory(from: bytes.bytes(from: 0))
        return UnsafeRawBufferPointer(copy)
    }
}
