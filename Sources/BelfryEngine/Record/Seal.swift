/// What surrounds bytes in a store, so that whoever reads them knows what they are, who wrote them, and that they are whole.
///
///     offset  size  what
///     0       4     what it is: "BLFR" for a record
///     4       2     format version, little endian
///     6       8     checksum of the version and of everything after the checksum, little endian
///     14      1+n   the version of the belfry that wrote it, as text after its length
///     …       …     the content
///
/// The checksum was FNV-1a, byte by byte; a version may have begun to take words of eight bytes, which costs a tenth. Only the first
/// version of records has no writer.
package struct Seal: Sendable {
    /// Four letters of ASCII.
    private let magic: String
    /// What is written; everything up to it is read.
    private let version: UInt16
    /// The first version that names its writer.
    private let firstNamed: UInt16
    /// The first version whose checksum takes words.
    private let firstByWords: UInt16
    /// What it is, in messages: `a record`.
    private let name: String

    private static let headerSize = 14
    private static let checksumPlace = 6

    package init(
        magic: String, version: UInt16, firstNamed: UInt16 = 1, firstByWords: UInt16 = .max, name: String
    ) {
        self.magic = magic
        self.version = version
        self.firstNamed = firstNamed
        self.firstByWords = firstByWords
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
        var bytes = ByteWriter()
        close(writer: writer, in: &bytes) { $0.raw(content) }
        return bytes.bytes
    }

    /// Writes the content between what surrounds it.
    func close(writer: String, in bytes: inout ByteWriter, _ writeContent: (inout ByteWriter) -> Void) {
        let place = bytes.count
        var magic = magic
        magic.withUTF8 { bytes.raw(UnsafeRawBufferPointer($0)) }
        bytes.byte(UInt8(version & 0xFF))
        bytes.byte(UInt8(version >> 8))
        bytes.fixed(0)
        bytes.text(writer)
        writeContent(&bytes)
        let checksum = checksum(version, bytes.bytes(from: place + Self.headerSize))
        bytes.replace(place + Self.checksumPlace, with: checksum)
    }

    /// - Throws: damage, or that the version is a later one. Neither is guessed at.
    package func open(_ bytes: [UInt8]) throws(RecordDamage) -> Opened { try open(bytes[...]) }

    func open(_ bytes: ArraySlice<UInt8>) throws(RecordDamage) -> Opened {
        guard isSealed(bytes) else { throw RecordDamage(reason: "it does not begin like \(name) of Belfry") }
        let start = bytes.startIndex
        let found = UInt16(bytes[start + 4]) | UInt16(bytes[start + 5]) << 8
        let content = bytes[(start + Self.headerSize)...]
        let expected = UInt64(littleEndian: bytes[start + Self.checksumPlace..<content.startIndex])
        let isWhole = content.withUnsafeBytes { checksum(found, $0) } == expected
        guard found <= version else { throw newer(found, isWhole ? content : nil) }
        guard isWhole else { throw RecordDamage(reason: "its checksum does not match: the bytes have changed") }
        guard found >= firstNamed else { return Opened(version: found, content: content) }
        guard let (writer, rest) = Self.writer(content) else {
            throw RecordDamage(reason: "the name of its writer makes no sense")
        }
        return Opened(version: found, writer: writer, content: rest)
    }

    /// What follows the writer, whole or not; nil if something else begins there.
    func content(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        isSealed(bytes) ? Self.writer(bytes.dropFirst(Self.headerSize))?.rest : nil
    }

    private func isSealed(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= Self.headerSize && bytes.starts(with: magic.utf8)
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

    private func checksum(_ version: UInt16, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        version < firstByWords ? Self.byBytes(version, bytes) : Self.byWords(version, bytes)
    }

    /// FNV-1a.
    private static func byBytes(_ version: UInt16, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = (0xCBF2_9CE4_8422_2325 ^ UInt64(version)) &* 0x100_0000_01B3
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }

    /// Tells whether bytes are the same as others.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 { byWords(0, bytes) }

    /// The same with words, little endian, the last one filled up with zeros, and half of each product mixed into the other half.
    private static func byWords(_ version: UInt16, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(version) ^ UInt64(bytes.count) << 16
        var rest: UInt64 = 0
        if var next = bytes.baseAddress {
            let end = next + bytes.count
            while end - next >= 8 {
                hash.absorb(UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)))
                next += 8
            }
            for place in stride(from: end - next - 1, through: 0, by: -1) {
                rest = rest << 8 | UInt64(next.load(fromByteOffset: place, as: UInt8.self))
            }
        }
        hash.absorb(rest)
        return hash
    }
}

extension UInt64 {
    init(littleEndian bytes: ArraySlice<UInt8>) {
        self = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
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
