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
    init?(named name: UTF8Text, in mapping: RawSpan) {
        guard let place = Self.place(of: name, in: mapping),
            let kind = Kind(
                rawValue: mapping.unsafeLoad(
                    fromByteOffset: place, as: UInt8.self))
        else { return nil }
        bytes = mapping.extracting(droppingFirst: place)
        self.kind = kind
    }

    /// Where the value of a member begins.
    private static func place(of name: UTF8Text, in mapping: RawSpan) -> Int? {
        var place = 0
        for _ in 0..<mapping.knownCount(at: &place) {
            let length = mapping.knownCount(at: &place)
            let isIt = length == name.count && name.isSame(as: mapping.extracting(place..<place + length))
            place += length
            if isIt { return place }
            skipValue(in: mapping, at: &place)
        }
        return nil
    }

    /// Passes over a value of a record, which was checked when that was read.
    private static func skipValue(in mapping: RawSpan, at place: inout Int) {
        switch mapping.unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self) {
        case 0, 1, 2: place += 1
        case 4: place += 9
        case 5:
            place += 1
            let length = mapping.knownCount(at: &place)
            place += length
        default:
            // Numbers, lists and mappings.
            var reader = ByteReader(mapping.extracting(droppingFirst: place))
            try? reader.skipValue()
            place += reader.position
        }
    }

    /// The bytes of a text.
    var utf8: RawSpan? {
        @inline(__always) @_lifetime(copy self) get {
            guard kind == .text else { return nil }
            var place = 1
            let length = bytes.knownCount(at: &place)
            return bytes.extracting(place..<place + length)
        }
    }

    /// A copy of it.
    var value: Value {
        var reader = ByteReader(bytes)
        return (try? reader.value()) ?? .null
    }
}

extension RawSpan {
    /// A number of things or bytes, as `ByteReader.count` reads it, of bytes that were checked.
    @inline(__always)
    fileprivate func knownCount(at place: inout Int) -> Int {
        let byte = unsafeLoad(fromUncheckedByteOffset: place, as: UInt8.self)
        if byte < 0x80 {
            place += 1
            return Int(byte)
        }
        return knownLargeCount(at: &place)
    }

    @inline(never)
    private func knownLargeCount(at place: inout Int) -> Int {
        var reader = ByteReader(extracting(droppingFirst: place))
        let count = try? reader.count()
        place += reader.position
        return count ?? 0
    }
}
