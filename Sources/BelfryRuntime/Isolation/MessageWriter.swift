import BelfryEngine
import BelfryModel

/// Writes what the host and a shard's process say to each other.
struct MessageWriter: ~Copyable {
    private var buffer: GrowingBuffer

    init() { buffer = GrowingBuffer(capacity: 1 << 16) }

    /// Writes where there is room for it; what is longer than that is elsewhere.
    init(over memory: UnsafeMutableRawBufferPointer) { buffer = GrowingBuffer(over: memory) }

    var count: Int { buffer.count }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withBytes(body)
    }

    /// A copy of it.
    var array: [UInt8] { withBytes { Array($0) } }

    mutating func number(_ number: some BinaryInteger) { buffer.append(fixed: Int64(truncatingIfNeeded: number)) }
    mutating func bool(_ bool: Bool) { buffer.append(bool ? 1 : 0) }

    mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        number(bytes.count)
        buffer.append(bytes)
    }

    /// Without their number, which the reader knows. They may lie there already.
    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        buffer.append(atMost: bytes.count) { place in
            if UnsafeRawPointer(place) != bytes.baseAddress {
                UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyMemory(from: bytes)
            }
            return bytes.count
        }
    }

    mutating func bytes(_ bytes: [UInt8]) { bytes.withUnsafeBytes { self.bytes($0) } }
    mutating func text(_ text: String) { text.withBytes { bytes($0) } }
    mutating func instant(_ instant: Instant) { number(instant.milliseconds) }
    mutating func value(_ value: Value) { text(value.json) }

    mutating func optional<Element>(_ element: Element?, _ write: (inout MessageWriter, Element) -> Void) {
        bool(element != nil)
        if let element { write(&self, element) }
    }

    mutating func optionalText(_ text: String?) { optional(text) { $0.text($1) } }

    mutating func list<Element>(_ elements: some Collection<Element>, _ write: (inout MessageWriter, Element) -> Void) {
        number(elements.count)
        for element in elements { write(&self, element) }
    }
}
