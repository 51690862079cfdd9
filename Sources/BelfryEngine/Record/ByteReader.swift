import BelfryModel

/// Reads what `ByteWriter` wrote. Every length is checked against what is left, so that damaged bytes end in an error.
struct ByteReader: ~Escapable {
    struct Damage: Error {
        var offset: Int
    }

    private let bytes: RawSpan
    private(set) var position = 0
    /// Nested values deeper than this are damage, not data.
    private static let depthLimit = 512

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    @_lifetime(copy self)
    func bytes(in range: Range<Int>) -> RawSpan { bytes.extracting(range) }

    /// How many bytes were not read yet.
    var rest: Int { bytes.byteCount - position }

    /// Bytes beyond the last one that is read are damage too.
    func end() throws(Damage) {
        guard rest == 0 else { throw damage }
    }

    var damage: Damage { Damage(offset: position) }

    @inline(__always) @_lifetime(self: copy self)
    mutating func fixed<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type = Number.self) throws(Damage)
        -> Number
    {
        guard rest >= MemoryLayout<Number>.size else { throw damage }
        let number = bytes.unsafeLoadUnaligned(fromByteOffset: position, as: Number.self)
        position += MemoryLayout<Number>.size
        return Number(littleEndian: number)
    }

    @_lifetime(self: copy self)
    mutating func byte() throws(Damage) -> UInt8 { try fixed() }

    @_lifetime(self: copy self)
    mutating func unsigned() throws(Damage) -> UInt64 {
        var result: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            let byte = try byte()
            result |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return result }
        }
        throw damage
    }

    @_lifetime(self: copy self)
    mutating func signed() throws(Damage) -> Int64 {
        let zigzag = try unsigned()
        return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }

    @_lifetime(self: copy self)
    mutating func number() throws(Damage) -> Double { Double(bitPattern: try fixed()) }

    @_lifetime(self: copy self)
    mutating func bool() throws(Damage) -> Bool {
        let byte = try byte()
        guard byte < 2 else { throw damage }
        return byte == 1
    }

    @_lifetime(self: copy self)
    mutating func instant() throws(Damage) -> Instant { Instant(milliseconds: try signed()) }

    /// Skips so many bytes.
    ///
    /// - Returns: where they are.
    @_lifetime(self: copy self)
    mutating func skip(_ count: Int) throws(Damage) -> Range<Int> {
        guard count >= 0, count <= rest else { throw damage }
        defer { position += count }
        return position..<position + count
    }

    /// The bytes of a text, as long as what is read is there.
    @_lifetime(copy self) @_lifetime(self: copy self)
    mutating func utf8() throws(Damage) -> RawSpan {
        let range = try skip(try count())
        return bytes.extracting(range)
    }

    @_lifetime(self: copy self)
    mutating func text() throws(Damage) -> String {
        let utf8 = try utf8()
        guard let text = String(checking: utf8) else { throw damage }
        return text
    }

    /// A number of things that take at least a byte each.
    @_lifetime(self: copy self)
    mutating func count() throws(Damage) -> Int {
        let count = try unsigned()
        guard count <= UInt64(rest) else { throw damage }
        return Int(count)
    }

    @_lifetime(self: copy self)
    mutating func optionalText() throws(Damage) -> String? { try bool() ? try text() : nil }

    @_lifetime(self: copy self)
    mutating func texts() throws(Damage) -> [String] {
        var texts: [String] = []
        for _ in 0..<(try count()) { texts.append(try text()) }
        return texts
    }

    @_lifetime(self: copy self)
    mutating func value(depth: Int = 0) throws(Damage) -> Value {
        guard depth < Self.depthLimit else { throw damage }
        switch try byte() {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return .integer(try signed())
        case 4: return .number(try number())
        case 5: return .text(try text())
        case 6: return .list(try values(depth: depth + 1))
        case 7: return .map(try fields(depth: depth + 1))
        default: throw damage
        }
    }

    @_lifetime(self: copy self)
    mutating func values(depth: Int = 0) throws(Damage) -> [Value] {
        var list: [Value] = []
        for _ in 0..<(try count()) { list.append(try value(depth: depth)) }
        return list
    }

    @_lifetime(self: copy self)
    mutating func fields(depth: Int = 0) throws(Damage) -> Fields {
        let count = try count()
        // Each takes two bytes at least.
        var fields = Fields(capacity: min(count, rest / 2))
        for _ in 0..<count {
            let key = try text()
            fields.append(try value(depth: depth), forNewKey: key)
        }
        return fields
    }

    @_lifetime(self: copy self)
    mutating func optionalValue() throws(Damage) -> Value? { try bool() ? try value() : nil }

    // MARK: Passing over

    /// Passes over a text that is known to be sound.
    @_lifetime(self: copy self)
    mutating func skipText() throws(Damage) { _ = try skip(try count()) }

    /// Passes over a text, and checks that it is one.
    @_lifetime(self: copy self)
    mutating func checkText() throws(Damage) {
        guard try utf8().isUTF8 else { throw damage }
    }

    /// Passes over a value that is known to be sound, without making one.
    @_lifetime(self: copy self)
    mutating func skipValue() throws(Damage) {
        try passValue(0) { (reader) throws(Damage) in try reader.skipText() }
    }

    /// Passes over a value, and checks that it is one.
    @_lifetime(self: copy self)
    mutating func checkValue() throws(Damage) {
        try passValue(0) { (reader) throws(Damage) in try reader.checkText() }
    }

    /// The same of a mapping without the byte that tells its kind.
    @_lifetime(self: copy self)
    mutating func checkFields() throws(Damage) {
        try passFields(0) { (reader) throws(Damage) in try reader.checkText() }
    }

    @inline(__always) @_lifetime(self: copy self)
    private mutating func passValue(_ depth: Int, _ passText: (inout ByteReader) throws(Damage) -> Void) throws(Damage)
    {
        switch try byte() {
        case 0, 1, 2: break
        case 3: _ = try unsigned()
        case 4: _ = try skip(8)
        case 5: try passText(&self)
        case 6: try passValues(depth + 1, passText)
        case 7: try passFields(depth + 1, passText)
        default: throw damage
        }
    }

    @_lifetime(self: copy self)
    private mutating func passValues(
        _ depth: Int, _ passText: (inout ByteReader) throws(Damage) -> Void
    ) throws(Damage) {
        guard depth < Self.depthLimit else { throw damage }
        for _ in 0..<(try count()) { try passValue(depth, passText) }
    }

    @_lifetime(self: copy self)
    private mutating func passFields(
        _ depth: Int, _ passText: (inout ByteReader) throws(Damage) -> Void
    ) throws(Damage) {
        guard depth < Self.depthLimit else { throw damage }
        for _ in 0..<(try count()) {
            try passText(&self)
            try passValue(depth, passText)
        }
    }
}

extension String {
    /// Nil if it is no UTF-8.
    package init?(checking utf8: RawSpan) {
        let text = utf8.withUnsafeBytes { bytes -> String? in
            // Nearly every text, and validating takes ten times as long.
            if utf8.isASCII { return String(decoding: bytes, as: UTF8.self) }
            return String(validating: bytes, as: UTF8.self)
        }
        guard let text else { return nil }
        self = text
    }
}

extension RawSpan {
    /// Whether it is the UTF-8 of one of these texts.
    func isAmong(_ texts: [String]) -> Bool {
        withUnsafeBytes { bytes in texts.contains { $0.withBytes { bytes.hasBytes(of: $0) } } }
    }

    var isUTF8: Bool { isASCII || String(checking: self) != nil }

    fileprivate var isASCII: Bool {
        var (bits, place): (UInt64, Int) = (0, 0)
        while place + 8 <= byteCount {
            bits |= unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self)
            place += 8
        }
        while place < byteCount {
            bits |= UInt64(unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self))
            place += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
