/// Appends JSON to a buffer of bytes, compact and without an intermediate tree.
///
/// The caller keeps the grammar: commas come by themselves, a key is followed by one value.
public struct JSONWriter: ~Copyable {
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init() {}

    /// What was written; the writer starts afresh.
    public mutating func takeBytes() -> [UInt8] {
        defer { (bytes, needsComma) = ([], false) }
        return bytes
    }

    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginList() { open(UInt8(ascii: "[")) }
    public mutating func endList() { close(UInt8(ascii: "]")) }

    /// Ends a line of JSON Lines; the next value starts afresh.
    public mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    public mutating func key(_ key: String) {
        separate()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
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
        bytes.append(UInt8(ascii: "\""))
        instant.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
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
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Nearly every text goes in as it is.
            if utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                bytes.append(contentsOf: utf8)
            } else {
                escape(utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ utf8: UnsafeBufferPointer<UInt8>) {
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""): escape("\\\"")
            case UInt8(ascii: "\\"): escape("\\\\")
            case 0x0A: escape("\\n")
            case 0x0D: escape("\\r")
            case 0x09: escape("\\t")
            case 0..<0x20: escape("\\u00" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16))
            default: bytes.append(byte)
            }
        }
    }

    private mutating func escape(_ text: String) {
        bytes.append(contentsOf: text.utf8)
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
