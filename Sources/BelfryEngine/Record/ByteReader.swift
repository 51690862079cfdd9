import BelfryModel

/// Reads what `ByteWriter` wrote. Every length is checked against what is left, so that damaged bytes end in an error.
struct ByteReader {
    struct Damage: Error {
        var offset: Int
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    /// Where what many share is looked for.
    let notices: NoticeLibrary?
    /// Nested values deeper than this are damage, not data.
    private static let depthLimit = 512

    init(_ bytes: ArraySlice<UInt8>, notices: NoticeLibrary? = nil) {
        self.bytes = bytes
        self.notices = notices
        position = bytes.startIndex
    }

    /// What was not read yet.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    /// Bytes that nobody asked for are damage too.
    func end() throws(Damage) {
        guard position == bytes.endIndex else { throw damage }
    }

    mutating func byte() throws(Damage) -> UInt8 {
        guard position < bytes.endIndex else { throw damage }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func raw(_ count: Int) throws(Damage) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - position else { throw damage }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func unsigned() throws(Damage) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let byte = try byte()
            result |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return result }
        }
        throw damage
    }

    mutating func signed() throws(Damage) -> Int64 {
        let zigzag = try unsigned()
        return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }

    /// Something that counts up: below zero or near the end of the numbers it is damage, and would not bear to be counted on.
    mutating func number(upTo limit: Int64) throws(Damage) -> Int64 {
        let count = try signed()
        guard (0...limit).contains(count) else { throw damage }
        return count
    }

    mutating func fixed() throws(Damage) -> UInt64 {
        UInt64(littleEndian: try raw(8))
    }

    mutating func number() throws(Damage) -> Double { Double(bitPattern: try fixed()) }
    mutating func bool() throws(Damage) -> Bool { try byte() != 0 }
    mutating func instant() throws(Damage) -> Instant { Instant(milliseconds: try signed()) }

    mutating func text() throws(Damage) -> String { try text(ofLength: try unsigned()) }

    mutating func text(ofLength length: UInt64) throws(Damage) -> String {
        guard length <= UInt64(bytes.endIndex - position), let text = String(stored: try raw(Int(length))) else {
            throw damage
        }
        return text
    }

    mutating func optional<Wrapped>(_ read: (inout ByteReader) throws(Damage) -> Wrapped) throws(Damage) -> Wrapped? {
        try bool() ? try read(&self) : nil
    }

    mutating func optionalText() throws(Damage) -> String? {
        try optional { reader throws(Damage) in try reader.text() }
    }

    mutating func list<Element>(_ read: (inout ByteReader) throws(Damage) -> Element) throws(Damage) -> [Element] {
        let count = try count()
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    mutating func value(depth: Int = 0) throws(Damage) -> Value {
        guard depth < Self.depthLimit else { throw damage }
        switch try byte() {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .integer(try signed())
        case 4: return .number(try number())
        case 5: return .text(try text())
        case 6: return .list(try list { reader throws(Damage) in try reader.value(depth: depth + 1) })
        case 7: return .map(try fields(depth: depth + 1))
        default: throw damage
        }
    }

    mutating func fields(depth: Int = 0) throws(Damage) -> Fields {
        let count = try count()
        // Each takes two bytes at least.
        var fields = Fields(capacity: min(count, rest.count / 2))
        for _ in 0..<count {
            let key = try text()
            fields.append(try value(depth: depth), forNewKey: key)
        }
        return fields
    }

    mutating func optionalValue() throws(Damage) -> Value? {
        try optional { reader throws(Damage) in try reader.value() }
    }

    /// A number of things that take at least a byte each.
    mutating func count() throws(Damage) -> Int {
        let count = try unsigned()
        guard count <= UInt64(bytes.endIndex - position) else { throw damage }
        return Int(count)
    }

    var damage: Damage { Damage(offset: position - bytes.startIndex) }
}

extension String {
    /// Nil if it is no UTF-8.
    fileprivate init?(stored bytes: ArraySlice<UInt8>) {
        let text = bytes.withUnsafeBufferPointer { utf8 -> String? in
            // Nearly every text, and validating takes ten times as long.
            if utf8.isASCII { return String(decoding: utf8, as: UTF8.self) }
            return String(validating: utf8, as: UTF8.self)
        }
        guard let text else { return nil }
        self = text
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var isASCII: Bool {
        var bits: UInt8 = 0
        for byte in self { bits |= byte }
        return bits < 0x80
    }
}
