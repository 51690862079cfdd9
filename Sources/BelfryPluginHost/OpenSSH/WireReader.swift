/// Reads the data types of SSH (RFC 4251, section 5) from bytes of others: every length is checked.
struct WireReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }
    var remainder: [UInt8] { Array(rest) }

    /// Whether these very bytes come next; they are taken then.
    mutating func takes(_ bytes: some Collection<UInt8>) -> Bool {
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
        return true
    }

    mutating func uint32() -> UInt32? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func string() -> [UInt8]? {
        var reader = self
        guard let length = reader.uint32(), length <= reader.rest.count else { return nil }
        defer { self.rest = reader.rest.dropFirst(Int(length)) }
        return Array(reader.rest.prefix(Int(length)))
    }

    /// A string that is this text.
    mutating func takesString(_ text: String) -> Bool { string() == Array(text.utf8) }
}

/// Writes the data types of SSH.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func raw(_ bytes: some Sequence<UInt8>) { self.bytes += bytes }
    mutating func uint32(_ number: UInt32) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }

    mutating func string(_ bytes: [UInt8]) {
        uint32(UInt32(bytes.count))
        self.bytes += bytes
    }

    mutating func string(_ text: String) { string(Array(text.utf8)) }
}
