/// A page of ids: of the signals processed, the hashes of so many that came one after the other.
///
/// Pages come before the rest of a stored record. One that is full stays as it is for ever, so that it is written once only, however
/// many signals a subject has.
enum IDPage {
    /// How many ids are in it: two pages take a little less than one of SQLite.
    static let count = 240

    private static let seal = Seal(magic: "BLFI", version: 1, firstByWords: 1, name: "a page of ids")

    static func write(_ ids: ArraySlice<UInt64>, by writer: String, to bytes: inout ByteWriter) {
        seal.close(writer: writer, in: &bytes) { bytes in for id in ids { bytes.fixed(id) } }
    }

    /// Reads the pages that `bytes` begin with.
    ///
    /// - Returns: what follows them.
    static func read(_ bytes: ArraySlice<UInt8>, into ids: inout FingerprintSet) throws(RecordDamage) -> ArraySlice<
        UInt8
    > {
        var rest = bytes
        while let end = end(in: rest) {
            for id in numbers(try seal.open(rest[..<end]).content) { ids.insert(id) }
            rest = rest[end...]
        }
        return rest
    }

    /// What follows the pages, without looking into them.
    static func skip(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        while let end = end(in: rest) { rest = rest[end...] }
        return rest
    }

    private static func numbers(_ content: ArraySlice<UInt8>) -> [UInt64] {
        stride(from: content.startIndex, to: content.endIndex, by: 8).map { UInt64(littleEndian: content[$0..<$0 + 8]) }
    }

    /// Where the first page ends; nil if the bytes do not begin with one.
    private static func end(in bytes: ArraySlice<UInt8>) -> Int? {
        guard let content = seal.content(in: bytes), content.count >= count * 8 else { return nil }
        return content.startIndex + count * 8
    }
}
