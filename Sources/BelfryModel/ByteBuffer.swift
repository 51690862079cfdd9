/// Bytes that are appended one after the other, in memory that is used again.
///
/// What an array does, without its care for copies: there are none.
struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity = 256
    private(set) var count = 0

    init() { start = .allocate(capacity: 256) }

    deinit { start.deallocate() }

    var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    /// Until something is appended.
    var raw: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    mutating func removeAll() { count = 0 }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        let place = place(for: 1)
        place.pointee = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ more: UnsafeBufferPointer<UInt8>) {
        guard let source = more.baseAddress else { return }
        place(for: more.count).update(from: source, count: more.count)
        count += more.count
    }

    mutating func append(_ more: [UInt8]) { more.withUnsafeBufferPointer { append($0) } }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Has `body` write at most so many bytes; it returns how many there are.
    @inline(__always)
    mutating func append(atMost limit: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        count += body(place(for: limit))
    }

    /// The end, with room for so many more.
    @inline(__always)
    private mutating func place(for more: Int) -> UnsafeMutablePointer<UInt8> {
        if count + more > capacity { grow(count + more) }
        return start + count
    }

    private mutating func grow(_ needed: Int) {
        while capacity < needed { capacity *= 2 }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
    }
}
