/// Appends JSON to a buffer of bytes, compact and without an intermediate tree.
///
/// The caller keeps the grammar: commas come by themselves, a key is followed by one value.
public struct JSONWriter: ~Copyable {
    @usableFromInline var buffer: GrowingBuffer
    @usableFromInline var needsComma = false
    private var instants = InstantWriter()

    public init() { buffer = GrowingBuffer() }

    /// Writes where there is room for it; what is longer than that is elsewhere.
    package init(over memory: UnsafeMutableRawBufferPointer) { buffer = GrowingBuffer(over: memory) }

    public var bytes: [UInt8] { buffer.bytes }

    /// Lends what was written.
    package borrowing func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(buffer.raw())
    }

    /// How many bytes were written.
    public var count: Int { buffer.count }

    /// What was written; the writer starts afresh.
    public mutating func takeBytes() -> [UInt8] {
        defer { removeAll() }
        return bytes
    }

    public mutating func removeAll() {
        buffer.removeAll()
        needsComma = false
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginList() { open(UInt8(ascii: "[")) }
    public mutating func endList() { close(UInt8(ascii: "]")) }

    /// Ends a line of JSON Lines; the next value starts afresh.
    public mutating func endLine() {
        buffer.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    public mutating func key(_ key: String) {
        separate()
        quote(key)
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func write(_ text: String) {
        separate()
        quote(text)
    }

    public mutating func write(_ bool: Bool) { raw(bool ? "true" : "false") }
    public mutating func write(_ integer: Int64) { raw(String(integer)) }
    public mutating func writeNull() { raw("null") }
    /// Leaves room for a value that is put in later.
    mutating func skip() { raw("") }

    /// Appends JSON that was written before, commas and all.
    package mutating func append(_ json: [UInt8]) {
        buffer.append(json)
        needsComma = true
    }

    package mutating func append(_ json: UnsafeRawBufferPointer) {
        buffer.append(json)
        needsComma = true
    }

    @inlinable @inline(__always)
    package mutating func append(_ json: StaticString) {
        buffer.append(UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
        needsComma = true
    }

    /// Appends the text of an instant in quotes, without a comma.
    package mutating func appendQuoted(_ instant: Instant) {
        instants.append(instant, to: &buffer)
        needsComma = true
    }

    /// The id of a decision.
    package mutating func writeID(of number: UInt64, subject: String) {
        separate()
        appendID(of: number, subject: subject)
    }

    /// Appends the id of a decision, without a comma.
    ///
    /// - Returns: where the text of the subject is in it, for `appendQuoted(again:)`.
    @discardableResult
    package mutating func appendID(of number: UInt64, subject: String) -> Range<Int> {
        buffer.append(UInt8(ascii: "\""))
        let start = buffer.count
        subject.withBytes { escape($0.assumingMemoryBound(to: UInt8.self)) }
        let text = start..<buffer.count
        buffer.append(UInt8(ascii: ":"))
        append(number)
        buffer.append(UInt8(ascii: "\""))
        needsComma = true
        return text
    }

    /// Appends a text in quotes that was written before, without a comma.
    package mutating func appendQuoted(again text: Range<Int>) {
        buffer.append(UInt8(ascii: "\""))
        buffer.append(again: text)
        buffer.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Appends the digits of a number inside something that is being written.
    package mutating func append(_ number: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, place) = (number, 20)
            repeat {
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            buffer.append(UnsafeBufferPointer(rebasing: digits[place...]))
        }
    }

    /// Appends a text in quotes, without a comma. Bytes that are no UTF-8 are replaced.
    package mutating func appendQuoted(_ utf8: UnsafeBufferPointer<UInt8>) {
        if utf8.isPlainASCII { quotePlain(utf8) } else { quoteRepaired(utf8) }
        needsComma = true
    }

    @inline(never)
    private mutating func quoteRepaired(_ utf8: UnsafeBufferPointer<UInt8>) {
        quote(String(decoding: utf8, as: UTF8.self))
    }

    package mutating func appendQuoted(_ text: String) {
        quote(text)
        needsComma = true
    }

    /// Infinity and NaN, which JSON cannot say, become null.
    public mutating func write(_ number: Double) {
        guard number.isFinite else { return writeNull() }
        if let integer = number.exactInteger, abs(integer) < 1 << 53 {
            write(integer)
        } else {
            raw(String(number))
        }
    }

    /// As RFC 3339 text.
    public mutating func write(_ instant: Instant) {
        separate()
        instants.append(instant, to: &buffer)
    }

    public mutating func write(_ value: Value) {
        switch value {
        case .null: writeNull()
        case .bool(let bool): write(bool)
        case .integer(let integer): write(integer)
        case .number(let number): write(number)
        case .text(let text): write(text)
        case .list(let list):
            beginList()
            for item in list { write(item) }
            endList()
        case .map(let fields): write(fields)
        }
    }

    public mutating func write(_ fields: Fields) {
        beginObject()
        for entry in fields.entries {
            key(entry.key)
            write(entry.value)
        }
        endObject()
    }

    /// A member that is left out when it is nil.
    public mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        key(name)
        write(text)
    }

    public mutating func member(_ name: String, _ instant: Instant?) {
        guard let instant else { return }
        key(name)
        write(instant)
    }

    public mutating func member(_ name: String, _ value: Value?) {
        guard let value else { return }
        key(name)
        write(value)
    }
}

extension JSONWriter {
    private mutating func separate() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        buffer.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        buffer.append(bracket)
        needsComma = true
    }

    private mutating func raw(_ text: String) {
        separate()
        buffer.append(text)
    }

    private mutating func quote(_ text: String) {
        text.withBytes { quote($0.assumingMemoryBound(to: UInt8.self)) }
    }

    private mutating func quote(_ utf8: UnsafeBufferPointer<UInt8>) {
        // Nearly every text goes in as it is.
        if utf8.isPlainASCII { return quotePlain(utf8) }
        buffer.append(UInt8(ascii: "\""))
        escape(utf8)
        buffer.append(UInt8(ascii: "\""))
    }

    private mutating func quotePlain(_ utf8: UnsafeBufferPointer<UInt8>) {
        let count = utf8.count
        buffer.append(atMost: count + 2) { place in
            place[0] = UInt8(ascii: "\"")
            if let bytes = utf8.baseAddress { (place + 1).update(from: bytes, count: count) }
            place[count + 1] = UInt8(ascii: "\"")
            return count + 2
        }
    }

    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        if utf8.isPlainASCII { return buffer.append(utf8) }
        var rest = utf8
        while let place = rest.firstIndex(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
            buffer.append(UnsafeBufferPointer(rebasing: rest[..<place]))
            escape(rest[place])
            rest = UnsafeBufferPointer(rebasing: rest[(place + 1)...])
        }
        buffer.append(rest)
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): escape("\\\"")
        case UInt8(ascii: "\\"): escape("\\\\")
        case 0x0A: escape("\\n")
        case 0x0D: escape("\\r")
        case 0x09: escape("\\t")
        default: escape("\\u00" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16))
        }
    }

    private mutating func escape(_ text: String) {
        buffer.append(text)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether JSON takes it without an escape, and every byte is below 0x80. Looks at eight bytes at a time (Hacker's Delight, 6-1:
    /// find first zero byte).
    fileprivate var isPlainASCII: Bool {
        guard let start = UnsafeRawPointer(baseAddress) else { return true }
        if count < 8 { return Self.isPlainASCII(start.shortWord(count)) }
        // The last eight, some of which are looked at twice.
        let last = start + (count - 8)
        var place = start
        while place < last {
            if !Self.isPlainASCII(place.loadUnaligned(as: UInt64.self)) { return false }
            place += 8
        }
        return Self.isPlainASCII(last.loadUnaligned(as: UInt64.self))
    }

    private static func isPlainASCII(_ word: UInt64) -> Bool {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        let (quotes, backslashes) = (word ^ ones &* 0x22, word ^ ones &* 0x5C)
        // Where no byte has its highest bit, a subtraction sets it in those alone that are less, and perhaps in some above them.
        let found = (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | word
        return found & tops == 0
    }
}

extension UnsafeRawPointer {
    /// Less than eight bytes in one word, with blanks where there are none. Of four to seven, some are there twice.
    fileprivate func shortWord(_ count: Int) -> UInt64 {
        if count >= 4 {
            let last = loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            return UInt64(loadUnaligned(as: UInt32.self)) << 32 | UInt64(last)
        }
        return (0..<count).reduce(0x2020_2020_2020_2020) { $0 << 8 | UInt64(load(fromByteOffset: $1, as: UInt8.self)) }
    }
}

extension Value {
    /// Compact JSON.
    public var json: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
