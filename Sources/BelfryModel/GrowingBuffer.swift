/// Bytes that are appended one after the other, in memory that is used again.
///
/// What an array does, without its care for copies: there are none. Inlinable in its smallest parts, for writers in other modules:
/// a line is a hundred small pieces.
@usableFromInline
package struct GrowingBuffer: ~Copyable {
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var length = 0
    private var isOwner = true

    /// - Parameter capacity: at least one; it grows by itself.
    package init(capacity: Int = 256) {
        self.capacity = capacity
        start = .allocate(capacity: capacity)
    }

    /// Over memory that it does not own, and that it leaves when more than fits is appended.
    package init(over memory: UnsafeMutableRawBufferPointer) {
        (start, capacity) = (memory.baseAddress!.assumingMemoryBound(to: UInt8.self), memory.count)
        isOwner = false
    }

    deinit { if isOwner { start.deallocate() } }

    @inlinable
    package var count: Int { length }

    /// A copy of all that was written.
    package var bytes: [UInt8] { bytes(from: 0) }

    /// A copy of what was written from there on.
    package func bytes(from place: Int) -> [UInt8] {
        let bytes = raw(from: place)
        return Array(unsafeUninitializedCapacity: bytes.count) { copy, count in
            UnsafeMutableRawBufferPointer(copy).copyMemory(from: bytes)
            count = bytes.count
        }
    }

    /// Lends what was written.
    package borrowing func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(raw())
    }

    /// What was written from there on, until something is appended.
    @inlinable
    package func raw(from place: Int = 0) -> UnsafeRawBufferPointer { raw(in: place..<length) }

    @inlinable
    package func raw(in range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.upperBound <= length)
        return UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
    }

    package mutating func removeAll() { length = 0 }

    /// Takes back what was written from there on.
    @inlinable
    package mutating func cut(to place: Int) { length = place }

    @inlinable @inline(__always)
    package mutating func append(_ byte: UInt8) {
        place(for: 1).pointee = byte
        length += 1
    }

    @inlinable @inline(__always)
    package mutating func append(_ more: UnsafeBufferPointer<UInt8>) {
        append(UnsafeRawBufferPointer(more))
    }

    @inlinable @inline(__always)
    package mutating func append(_ more: UnsafeRawBufferPointer) {
        guard let source = more.baseAddress else { return }
        UnsafeMutableRawPointer(place(for: more.count)).copyMemory(from: source, byteCount: more.count)
        length += more.count
    }

    /// Little endian.
    @inlinable @inline(__always)
    package mutating func append(fixed number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { append($0) }
    }

    /// Puts a number where one was written before.
    @inlinable @inline(__always)
    package mutating func replace(_ place: Int, withFixed number: some FixedWidthInteger & BitwiseCopyable) {
        precondition(place + MemoryLayout.size(ofValue: number) <= length)
        UnsafeMutableRawPointer(start + place).storeBytes(of: number.littleEndian, as: type(of: number))
    }

    /// LEB128: seven bits a byte, the lowest first.
    @inlinable @inline(__always)
    package mutating func append(unsigned value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Zigzag, so that small negative numbers stay short.
    @inlinable @inline(__always)
    package mutating func append(signed value: Int64) {
        append(unsigned: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    package mutating func append(_ more: [UInt8]) { more.withUnsafeBytes { append($0) } }

    package mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }

    /// Appends what was written before.
    package mutating func append(again range: Range<Int>) {
        precondition(range.upperBound <= length)
        // This may move everything, so `start` is read after it.
        let place = place(for: range.count)
        place.update(from: start + range.lowerBound, count: range.count)
        length += range.count
    }

    /// Has `body` write at most so many bytes; it returns how many there are.
    @inlinable @inline(__always)
    package mutating func append(atMost limit: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        length += body(place(for: limit))
    }

    /// The end, with room for so many more.
    @inlinable @inline(__always)
    mutating func place(for more: Int) -> UnsafeMutablePointer<UInt8> {
        if length + more > capacity { grow(length + more) }
        return start + length
    }

    @usableFromInline @inline(never)
    mutating func grow(_ needed: Int) {
        while capacity < needed { capacity *= 2 }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: start, count: length)
        if isOwner { start.deallocate() }
        (start, isOwner) = (larger, true)
    }
}
