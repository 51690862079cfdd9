/// What surrounds bytes in a store, so that whoever reads them knows what they are, who wrote them, and that they are whole.
///
///     offset  size  what
///     0       4     what it is: "BLFR" for a record
///     4       2     format version, little endian
///     6       8     FNV-1a of the version and of everything after the checksum, little endian
///     14      1+n   the version of the belfry that wrote it, as text after its length
///     …       …     the content
///
/// This holds for every version to come, so that a belfry can name the writer of what it does not know. Only the first version
/// of records has no writer.
package struct Seal: Sendable {
    /// Four letters of ASCII.
    private let magic: String
    /// What is written; everything up to it is read.
    private let version: UInt16
    /// The first version that names its writer.
    private let firstNamed: UInt16
    /// What it is, in messages: `a record`.
    private let name: String

    private static let headerSize = 14
    private static let checksumPlace = 6..<14

    package init(magic: String, version: UInt16, firstNamed: UInt16 = 1, name: String) {
        self.magic = magic
        self.version = version
        self.firstNamed = firstNamed
        self.name = name
    }

    package struct Opened {
        package var version: UInt16
        /// The version of the belfry that wrote it; nil where the format has none.
        package var writer: String?
        package var content: ArraySlice<UInt8>
    }

    /// - Parameter writer: the version of this belfry.
    package func close(_ content: [UInt8], writer: String) -> [UInt8] {
        var bytes = ByteWriter(reserving: Self.headerSize + writer.utf8.count + 1 + content.count)
        bytes.raw(magic.utf8)
        bytes.byte(UInt8(version & 0xFF))
        bytes.byte(UInt8(version >> 8))
        bytes.fixed(0)
        bytes.text(writer)
        bytes.raw(content)
        bytes.replace(Self.checksumPlace, with: Self.checksum(version, bytes.bytes[Self.headerSize...]))
        return bytes.bytes
    }

    /// - Throws: damage, or that the version is a later one. Neither is guessed at.
    package func open(_ bytes: [UInt8]) throws(RecordDamage) -> Opened {
        guard bytes.count >= Self.headerSize, bytes.starts(with: magic.utf8) else {
            throw RecordDamage(reason: "it does not begin like \(name) of Belfry")
        }
        let found = UInt16(bytes[4]) | UInt16(bytes[5]) << 8
        let content = bytes[Self.headerSize...]
        let isWhole = Self.checksum(found, content) == UInt64(littleEndian: bytes[Self.checksumPlace])
        guard found <= version else { throw newer(found, isWhole ? content : nil) }
        guard isWhole else { throw RecordDamage(reason: "its checksum does not match: the bytes have changed") }
        guard found >= firstNamed else { return Opened(version: found, content: content) }
        guard let (writer, rest) = Self.writer(content) else {
            throw RecordDamage(reason: "the name of its writer makes no sense")
        }
        return Opened(version: found, writer: writer, content: rest)
    }

    private func newer(_ found: UInt16, _ content: ArraySlice<UInt8>?) -> RecordDamage {
        let writer = content.flatMap(Self.writer).map { ", written by belfry \($0.text)" } ?? ""
        return RecordDamage(
            reason: "it has format version \(found)\(writer); this belfry knows versions up to \(version)",
            isNewer: true)
    }

    private static func writer(_ content: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>)? {
        var reader = ByteReader(content)
        return (try? reader.text()).map { ($0, reader.rest) }
    }

    private static func checksum(_ version: UInt16, _ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBufferPointer { buffer in
            var hash: UInt64 = (0xCBF2_9CE4_8422_2325 ^ UInt64(version)) &* 0x100_0000_01B3
            for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return hash
        }
    }
}

extension UInt64 {
    init(littleEndian bytes: ArraySlice<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Why stored bytes cannot be read. They are never guessed at.
public struct RecordDamage: Error, Sendable, Hashable {
    public var reason: String
    /// They are whole, as far as this belfry can tell, and of a format that came after it.
    public var isNewer: Bool

    public init(reason: String, isNewer: Bool = false) {
        self.reason = reason
        self.isNewer = isNewer
    }
}
