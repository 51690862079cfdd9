import BelfryEngine
import BelfryModel

/// Reads what a `MessageWriter` wrote, and trusts none of it: the process that wrote it runs plugins.
struct MessageReader {
    private let bytes: [UInt8]
    /// How many bytes the whole message has, of which these are a part.
    private let whole: Int
    private var place = 0

    /// What was read makes no sense.
    struct Nonsense: Error {}

    init(_ bytes: [UInt8], of size: Int? = nil) { (self.bytes, whole) = (bytes, size ?? bytes.count) }

    mutating func number() throws(Nonsense) -> Int {
        guard place + 8 <= bytes.count else { throw Nonsense() }
        defer { place += 8 }
        return bytes.withUnsafeBytes {
            Int(Int64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Int64.self)))
        }
    }

    /// A number of things that take at least a byte each.
    mutating func count() throws(Nonsense) -> Int {
        let count = try number()
        guard count >= 0, count <= bytes.count - place else { throw Nonsense() }
        return count
    }

    /// A place in the message, or how many of something it has.
    mutating func size() throws(Nonsense) -> Int {
        let size = try number()
        guard 0...whole ~= size else { throw Nonsense() }
        return size
    }

    /// How often something was, so that many of them can be added.
    mutating func amount() throws(Nonsense) -> Int {
        let amount = try number()
        guard 0...1 << 40 ~= amount else { throw Nonsense() }
        return amount
    }

    mutating func bool() throws(Nonsense) -> Bool {
        guard place < bytes.count, bytes[place] < 2 else { throw Nonsense() }
        defer { place += 1 }
        return bytes[place] == 1
    }

    /// Where bytes lie in the message.
    mutating func range() throws(Nonsense) -> Range<Int> {
        let count = try count()
        defer { place += count }
        return place..<place + count
    }

    mutating func slice() throws(Nonsense) -> ArraySlice<UInt8> { bytes[try range()] }

    mutating func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(Nonsense) -> Result {
        let range = try range()
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    mutating func text() throws(Nonsense) -> String {
        let range = try range()
        guard let text = String(checking: bytes.span.bytes.extracting(range)) else { throw Nonsense() }
        return text
    }

    mutating func instant() throws(Nonsense) -> Instant { Instant(milliseconds: Int64(try number())) }

    mutating func value() throws(Nonsense) -> Value {
        guard let value = Value(json: try slice()) else { throw Nonsense() }
        return value
    }

    mutating func fields() throws(Nonsense) -> Fields {
        guard let fields = try value().map else { throw Nonsense() }
        return fields
    }

    mutating func optional<Element>(
        _ read: (inout MessageReader) throws(Nonsense) -> Element
    ) throws(Nonsense) -> Element? { try bool() ? try read(&self) : nil }

    mutating func optionalText() throws(Nonsense) -> String? { try bool() ? try text() : nil }

    mutating func list<Element>(
        _ read: (inout MessageReader) throws(Nonsense) -> Element
    ) throws(Nonsense) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try count()) { elements.append(try read(&self)) }
        return elements
    }

    /// One of the cases of an enumeration.
    mutating func word<Word: RawRepresentable<String>>() throws(Nonsense) -> Word {
        guard let word = Word(rawValue: try text()) else { throw Nonsense() }
        return word
    }

    /// How many bytes are left.
    var rest: Int { bytes.count - place }

    /// Nothing may be left.
    func end() throws(Nonsense) {
        guard place == bytes.count else { throw Nonsense() }
    }
}
