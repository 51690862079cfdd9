/// What a stored record begins with: parts that are written only when they change.
///
///     body           what changes now and then: attributes, what was sent; only if it is large
///     states         of strategies, who may change them whenever they are asked, and seldom do; only if they are large
///     pages of ids   of the signals processed, the hashes of so many that came one after the other; what is full never changes
///
/// Each is sealed, and has its length before its content.
struct PartSeal: Sendable {
    private let seal: Seal

    // Their first version was that of version 4 of a record.
    static let body = PartSeal(seal: Seal(magic: "BLFB", version: 2, firstByWords: 1, name: "the body of a record"))
    static let states = PartSeal(
        seal: Seal(magic: "BLFS", version: 2, firstByWords: 1, name: "the states of a record"))
    static let page = PartSeal(seal: Seal(magic: "BLFI", version: 1, firstByWords: 1, name: "a page of ids"))

    // The numbers of parts.
    static let bodyNumber = 0
    static let statesNumber = 1
    static let firstPageNumber = 2

    /// How many ids are in a page.
    static let idsOfPage = 128
    /// A body or states that take fewer bytes lie in the record itself: a part costs a row.
    static let smallest = 2048

    func sealed(_ content: UnsafeRawBufferPointer, by writer: String) -> [UInt8] {
        var bytes = ByteWriter()
        seal.close(writer: writer, in: &bytes) { bytes in
            bytes.fixed(UInt64(content.count))
            bytes.raw(content)
        }
        return bytes.bytes
    }

    /// The content of a part, and the version of its format.
    struct Content {
        let bytes: ArraySlice<UInt8>
        let version: UInt16
    }

    /// Takes the first part away if it is of this kind.
    ///
    /// - Returns: nil if something else comes first.
    func takeContent(from bytes: inout ArraySlice<UInt8>) throws(RecordDamage) -> Content? {
        guard let end = end(in: bytes) else { return nil }
        defer { bytes = bytes[end...] }
        let opened = try seal.open(bytes[..<end])
        return Content(bytes: opened.content.dropFirst(8), version: opened.version)
    }

    /// What follows all parts, without looking into them.
    static func skipAll(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        while let end = body.end(in: rest) ?? states.end(in: rest) ?? page.end(in: rest) { rest = rest[end...] }
        return rest
    }

    private func end(in bytes: ArraySlice<UInt8>) -> Int? {
        guard let content = seal.content(in: bytes) else { return nil }
        var reader = ByteReader(content)
        guard let size = try? reader.fixed(), size <= UInt64(reader.rest.count) else { return nil }
        return reader.rest.startIndex + Int(size)
    }
}
