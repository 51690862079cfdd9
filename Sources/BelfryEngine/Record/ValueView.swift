import BelfryModel

/// A value where it lies in a record, so that a condition is held against it without a copy.
struct ValueView: ~Escapable {
    /// As it was written, with the byte that tells its kind.
    private let bytes: RawSpan
    let kind: Kind

    enum Kind: UInt8 {
        case null, no, yes, integer, number, text, list, map
    }

    /// The value under a key of a mapping; nil if there is none.
    @_lifetime(copy mapping)
    init?(named name: String, in mapping: RawSpan) {
        guard let place = Self.place(of: name, in: mapping),
            let kind = Kind(
                rawValue: mapping.unsafeLoad(
                    fromByteOffset: place, as: UInt8.self))
        else { return nil }
        bytes = mapping.extracting(droppingFirst: place)
        self.kind = kind
    }

    /// Where the value of a member begins.
    private static func place(of name: String, in mapping: RawSpan) -> Int? {
        name.withBytes { name in
            var reader = ByteReader(mapping)
            do throws(ByteReader.Damage) {
                for _ in 0..<(try reader.count()) {
                    let key = try reader.skip(try reader.count())
                    if key.count == name.count, mapping.hasBytes(name, at: key.lowerBound) { return reader.position }
                    try reader.skipValue()
                }
            } catch {}
            return nil
        }
    }

    /// The bytes of a text.
    var utf8: RawSpan? {
        @_lifetime(copy self) get {
            guard kind == .text else { return nil }
            var reader = ByteReader(bytes.extracting(droppingFirst: 1))
            return try? reader.utf8()
        }
    }

    /// A copy of it.
    var value: Value {
        var reader = ByteReader(bytes)
        return (try? reader.value()) ?? .null
    }
}

extension RawSpan {
    /// Whether there are these bytes at an offset.
    @inline(__always)
    fileprivate func hasBytes(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        for index in 0..<bytes.count where unsafeLoad(fromByteOffset: offset + index, as: UInt8.self) != bytes[index] {
            return false
        }
        return true
    }
}
