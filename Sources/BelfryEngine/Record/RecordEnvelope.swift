/// What surrounds a stored record.
///
///     offset  size  what
///     0       4     "BLFR"
///     4       2     format version, little endian
///     6       8     FNV-1a of the version and of everything after the checksum, little endian
///     14      …     the body, see `SubjectRecord+Encoding`
enum RecordEnvelope {
    static let version: UInt16 = 1
    private static let magic = Array("BLFR".utf8)
    private static let headerSize = 14

    static func seal(_ body: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(magic)
        writer.byte(UInt8(version & 0xFF))
        writer.byte(UInt8(version >> 8))
        writer.fixed(checksum(version, body[...]))
        writer.raw(body)
        return writer.bytes
    }

    static func open(_ bytes: [UInt8]) throws(RecordDamage) -> ArraySlice<UInt8> {
        guard bytes.count >= headerSize, bytes.starts(with: magic) else {
            throw RecordDamage(reason: "it does not begin like a record of Belfry")
        }
        let found = UInt16(bytes[4]) | UInt16(bytes[5]) << 8
        guard found <= version else {
            throw RecordDamage(reason: "it has format version \(found); this belfry knows versions up to \(version)")
        }
        let body = bytes[headerSize...]
        let stored = bytes[6..<14].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard stored == checksum(found, body) else {
            throw RecordDamage(reason: "its checksum does not match: the bytes have changed")
        }
        return body
    }

    private static func checksum(_ version: UInt16, _ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBufferPointer { buffer in
            var hash: UInt64 = (0xCBF2_9CE4_8422_2325 ^ UInt64(version)) &* 0x100_0000_01B3
            for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return hash
        }
    }
}

/// Why a stored record cannot be read. It is never guessed at.
public struct RecordDamage: Error, Sendable, Hashable {
    public var reason: String
}
