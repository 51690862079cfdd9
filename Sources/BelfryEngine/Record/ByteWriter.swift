import BelfryModel

/// Writes the parts of a stored record: numbers as variable-length integers, texts and lists after their length.
///
/// Into memory that is used again: whoever stores many records keeps one of these.
public struct ByteWriter: ~Copyable {
    private var buffer = GrowingBuffer(capacity: 1024)

    public init() {}

    var count: Int { buffer.count }

    /// A copy of all that was written.
    var bytes: [UInt8] { buffer.bytes }

    /// A copy of what was written from there on.
    func copy(from place: Int) -> [UInt8] { buffer.bytes(from: place) }

    /// What was written from there on, until something is added.
    func bytes(from place: Int) -> UnsafeRawBufferPointer { buffer.raw(from: place) }

    func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer { buffer.raw(in: range) }

    /// Takes back what was written from there on.
    mutating func cut(to place: Int) { buffer.cut(to: place) }

    @inline(__always)
    mutating func byte(_ byte: UInt8) { buffer.append(byte) }

    mutating func raw(_ more: UnsafeRawBufferPointer) { buffer.append(more) }

    mutating func raw(_ more: [UInt8]) { more.withUnsafeBytes { buffer.append($0) } }

    mutating func zeros(_ more: Int) {
        buffer.append(atMost: more) {
            $0.initialize(repeating: 0, count: more)
            return more
        }
    }

    /// Appends what was written before.
    mutating func `repeat`(_ range: Range<Int>) { buffer.repeat(range) }

    // MARK: Numbers

    /// Puts a number where one was written before.
    mutating func replace(_ place: Int, with number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { buffer.replace(place, with: $0) }
    }

    /// LEB128: seven bits a byte, the lowest first.
    @inline(__always)
    mutating func unsigned(_ value: UInt64) {
        if value < 0x80 { byte(UInt8(truncatingIfNeeded: value)) } else { long(value) }
    }

    private mutating func long(_ value: UInt64) { buffer.append(atMost: 10) { Self.write(value, to: $0) } }

    /// - Returns: how many bytes it takes, at most ten.
    @inline(__always)
    private static func write(_ value: UInt64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        var (rest, length) = (value, 0)
        while rest >= 0x80 {
            bytes[length] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            length += 1
        }
        bytes[length] = UInt8(truncatingIfNeeded: rest)
        return length + 1
    }

    /// Zigzag, so that small negative numbers stay short.
    mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    @inline(__always)
    mutating func fixed(_ value: UInt64) {
        buffer.append(atMost: 8) {
            UnsafeMutableRawPointer($0).storeBytes(of: value.littleEndian, as: UInt64.self)
            return 8
        }
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
        buffer.append(atMost: length) { end in
            let isCopied: Void? = utf8.withContiguousStorageIfAvailable {
                end.update(from: $0.baseAddress!, count: length)  // there are some
            }
            if isCopied == nil { for (place, byte) in utf8.enumerated() { end[place] = byte } }
            return length
        }
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
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 10) { number in
            let size = Self.write(UInt64(length), to: number.baseAddress!)  // there is room for ten
            if size > 1 { buffer.open(size - 1, at: place + 1) }
            buffer.replace(place, with: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(number)[..<size]))
        }
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
