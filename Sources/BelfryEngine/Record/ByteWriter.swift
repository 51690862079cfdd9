import BelfryModel

/// Writes the parts of a stored record: numbers as variable-length integers, texts and lists after their length.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }
    mutating func raw(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Puts a number where one was written before.
    mutating func replace(_ place: Range<Int>, with number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(place, with: $0) }
    }

    /// LEB128: seven bits a byte, the lowest first.
    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Zigzag, so that small negative numbers stay short.
    mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }
    mutating func fixed(_ value: UInt64) { withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) } }
    mutating func number(_ value: Double) { fixed(value.bitPattern) }
    mutating func bool(_ value: Bool) { byte(value ? 1 : 0) }
    mutating func instant(_ value: Instant) { signed(value.milliseconds) }

    mutating func text(_ text: String) {
        unsigned(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func optional<Wrapped>(_ value: Wrapped?, _ write: (inout ByteWriter, Wrapped) -> Void) {
        bool(value != nil)
        if let value { write(&self, value) }
    }

    mutating func text(_ text: String?) { optional(text) { $0.text($1) } }

    mutating func list<Elements: Collection>(
        _ elements: Elements, _ write: (inout ByteWriter, Elements.Element) -> Void
    ) {
        unsigned(UInt64(elements.count))
        for element in elements { write(&self, element) }
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
