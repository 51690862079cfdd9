import BelfryModel
import CBelfry

/// What a stored state is made of.
///
/// Declared fields are stored in their order, in words of 8 bytes, little endian. Where all are numbers, instants or durations that are not
/// optional, each is one word, as it lies in the memory of most plugins. Elsewhere a map comes first: a bit for each field that has a
/// value, from the lowest of the first word, filled up to a multiple of 64; then of these fields only:
///
///     what                         words
///     a number, instant, duration  1: its value
///     a boolean                    1: 0 or 1
///     a text or list               1: how many elements there are; then these, filled up with zeros to a multiple of 8
///
/// What has no value: what is optional and absent, 0, false, an instant that is never, and an empty text or list.
///
/// A state that saves itself is stored as its values by key.
enum StateShape: Sendable, Hashable {
    /// With the version of the strategy that saved it.
    case saved(version: UInt32)
    case fields([Field])

    struct Field: Sendable, Hashable {
        let name: String
        let type: Kind
        let isOptional: Bool
    }

    /// As in the contract, `BELFRY_FIELD_…`.
    enum Kind: UInt8, Sendable {
        case boolean = 1
        case integer, number, instant, duration, text, integers, instants

        /// Of elements that lie behind the fields.
        var isSeries: Bool { rawValue >= Kind.text.rawValue }

        /// Of a series, in bytes.
        var elementSize: Int { self == .text ? 1 : 8 }
    }

    /// What records refer to it by: the version of a saved one; a hash of the fields, with the highest bit set.
    var number: UInt32 {
        switch self {
        case .saved(let version): version
        case .fields(let fields):
            UInt32(truncatingIfNeeded: fields.reduce(0) { stableHash($1.name, seed: $0 &+ $1.code) }) | Self.isDeclared
        }
    }

    /// The bit of numbers of declared fields.
    static let isDeclared: UInt32 = 1 << 31
}

extension StateShape.Field {
    fileprivate var code: UInt64 { UInt64(type.rawValue) | (isOptional ? 256 : 0) }
}

// MARK: Values

extension StateShape {
    /// The state by its keys. Of a state whose fields are not known any more there is nothing to tell.
    ///
    /// - Throws: if the bytes are not of this shape.
    func values(in content: RawSpan) throws(ByteReader.Damage) -> [StatePair] {
        var reader = ByteReader(content)
        switch self {
        case .saved:
            let values = try reader.stateValues()
            try reader.end()
            return values
        case .fields(let fields):
            let values = try reader.values(of: fields)
            try reader.end()
            return values
        }
    }

    /// Whether bytes are of this shape. Makes no values of declared fields.
    func isSound(_ content: RawSpan) -> Bool {
        var reader = ByteReader(content)
        do throws(ByteReader.Damage) {
            switch self {
            case .saved: _ = try reader.stateValues()
            case .fields(let fields):
                try reader.walk(fields) { index, _, elements in
                    fields[index].type != .text || elements.isUTF8
                }
            }
            try reader.end()
            return true
        } catch {
            return false
        }
    }

    /// The same of bytes that are kept; nil if they are not of this shape.
    func values(in content: [UInt8]) -> [StatePair]? {
        let span = content.span
        do throws(ByteReader.Damage) {
            return try values(in: span.bytes)
        } catch {
            return nil
        }
    }

    /// The bytes of a state with these values.
    ///
    /// - Parameters:
    ///   - shape: of the state that had them: a field that it has, and that has no value, has none here either.
    ///   - initial: what fields have that are not among the values, or are of another type.
    func content(_ values: [StatePair], of shape: StateShape? = nil, initial: [StatePair] = []) -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .saved: writer.stateValues(values)
        case .fields(let fields):
            writer.fields(
                fields.map { field in
                    let others = field.mayBeNone && shape?.has(field) == true ? [] : initial
                    return (field, [values, others].lazy.compactMap { $0[field.name] }.first { field.takes($0) })
                })
        }
        return writer.bytes
    }

    private func has(_ field: Field) -> Bool {
        guard case .fields(let fields) = self else { return false }
        return fields.contains { $0.name == field.name && $0.type == field.type }
    }
}

extension StateShape.Field {
    /// Whether it can be without a value: absent, never, or empty.
    fileprivate var mayBeNone: Bool { isOptional || type == .instant || type.isSeries }
}

extension StateShape.Field {
    fileprivate func takes(_ value: StateValue) -> Bool {
        switch (type, value) {
        case (.boolean, .bool), (.integer, .integer), (.number, .number), (.instant, .instant), (.duration, .duration),
            (.text, .text), (.integers, .integers), (.instants, .instants):
            true
        default: false
        }
    }
}

extension StateShape.Field {
    /// Whether it is a word and always stored, if all others are so.
    fileprivate var isWord: Bool { !isOptional && type != .boolean && !type.isSeries }

    /// What a word is that has no value.
    var absent: UInt64 {
        switch type {
        case .boolean: isOptional ? 2 : 0
        case .instant: isOptional ? 0 : 1 << 63
        default: 0
        }
    }

    /// Nil where there is none, for an instant that is never, and for an empty text or list.
    ///
    /// - Parameter stored: nil if it has no value.
    fileprivate func value(_ stored: UInt64?) -> StateValue? {
        if stored == nil, isOptional { return nil }
        let word = stored ?? absent
        switch type {
        case .boolean: return .bool(word == 1)
        case .number: return .number(Double(bitPattern: word))
        case .instant: return word == 1 << 63 ? nil : .instant(Instant(milliseconds: Int64(bitPattern: word)))
        case .duration: return .duration(Duration(milliseconds: Int64(bitPattern: word)))
        default: return .integer(Int64(bitPattern: word))
        }
    }

    /// The word that is stored behind a map; nil if there is no value.
    fileprivate func stored(_ value: StateValue?) -> UInt64? {
        value.map(\.word).flatMap { isValue($0) ? $0 : nil }
    }

    /// Whether a word is one that is stored behind a map.
    fileprivate func isValue(_ word: UInt64) -> Bool {
        if type == .boolean, word > 1 { return false }
        return isOptional && !type.isSeries || word != absent
    }

    /// A series that is not empty.
    fileprivate func value(of elements: RawSpan) -> StateValue? {
        switch type {
        case .text: String(checking: elements).map { .text($0) }
        case .instants: .instants(elements.integers.map { Instant(milliseconds: $0) })
        default: .integers(elements.integers)
        }
    }
}

extension RawSpan {
    fileprivate var integers: [Int64] {
        stride(from: 0, to: byteCount, by: 8).map {
            Int64(littleEndian: unsafeLoadUnaligned(fromByteOffset: $0, as: Int64.self))
        }
    }
}

extension [StateShape.Field] {
    /// How many bytes say which have a value; 0 if all are stored.
    var mapSize: Int {
        // By index, since to take a field out of the list is to copy its name.
        for index in indices where !self[index].isWord { return (count + 63) / 64 * 8 }
        return 0
    }
}

/// Up to the next multiple of 8.
@inline(__always)
func paddedToWord(_ count: Int) -> Int { (count + 7) & ~7 }

extension ByteReader {
    @_lifetime(self: copy self)
    fileprivate mutating func values(of fields: [StateShape.Field]) throws(Damage) -> [StatePair] {
        var values: [StatePair] = []
        try walk(fields) { index, word, elements in
            let field = fields[index]
            guard field.type.isSeries else {
                if let value = field.value(word) { values.append(StatePair(key: field.name, value: value)) }
                return true
            }
            if elements.isEmpty { return true }
            guard let value = field.value(of: elements) else { return false }
            values.append(StatePair(key: field.name, value: value))
            return true
        }
        return values
    }

    /// Shows the word of each field, nil if it has no value, and the elements of a text or list.
    ///
    /// - Parameter isSound: whether they make sense beyond that they are there.
    @_lifetime(self: copy self)
    fileprivate mutating func walk(
        _ fields: [StateShape.Field], _ isSound: (Int, UInt64?, RawSpan) -> Bool
    ) throws(Damage) {
        let map = bytes(in: try skip(fields.mapSize))
        for index in fields.indices {
            var (word, elements) = (UInt64?.none, position..<position)
            if map.isEmpty || map.hasBit(index) {
                let stored = try fixed(UInt64.self)
                guard map.isEmpty || fields[index].isValue(stored) else { throw damage }
                if fields[index].type.isSeries { elements = try series(stored, fields[index].type.elementSize) }
                word = stored
            }
            guard isSound(index, word, bytes(in: elements)) else { throw damage }
        }
        for bit in fields.count..<max(fields.count, map.byteCount * 8) where map.hasBit(bit) { throw damage }
    }

    /// Where the elements of a text or list are.
    @_lifetime(self: copy self)
    private mutating func series(_ count: UInt64, _ size: Int) throws(Damage) -> Range<Int> {
        guard count <= UInt64(rest / size) else { throw damage }
        let elements = try skip(Int(count) * size)
        // The same state is the same bytes.
        while position % 8 != 0 { if try byte() != 0 { throw damage } }
        return elements
    }
}

extension RawSpan {
    fileprivate func hasBit(_ bit: Int) -> Bool {
        knownNumber(at: bit / 64 * 8, as: UInt64.self) >> UInt64(bit % 64) & 1 == 1
    }
}

extension ByteWriter {
    fileprivate mutating func fields(_ fields: [(field: StateShape.Field, value: StateValue?)]) {
        let mapSize = fields.map(\.field).mapSize
        let stored = fields.map { field, value in mapSize == 0 ? value?.word ?? field.absent : field.stored(value) }
        for first in stride(from: 0, to: mapSize * 8, by: 64) {
            let words = stored[first..<min(first + 64, stored.count)]
            fixed(words.reversed().reduce(0 as UInt64) { $0 << 1 | ($1 == nil ? 0 : 1) })
        }
        for (word, field) in zip(stored, fields) {
            guard let word else { continue }
            fixed(word)
            if let value = field.value { series(value) }
        }
    }

    private mutating func series(_ value: StateValue) {
        switch value {
        case .text(let text): text.withBytes { raw($0) }
        case .integers(let numbers): for number in numbers { fixed(number) }
        case .instants(let instants): for instant in instants { fixed(instant.milliseconds) }
        default: break
        }
        pad()
    }

    /// Fills up with zeros to a multiple of 8.
    mutating func pad() { while count % 8 != 0 { byte(0) } }
}

extension StateValue {
    /// Its value, or how many elements it has.
    fileprivate var word: UInt64 {
        switch self {
        case .text, .integers, .instants: UInt64(elementCount)
        case .integer(let integer): UInt64(bitPattern: integer)
        case .number(let number): number.bitPattern
        case .bool(let bool): bool ? 1 : 0
        case .instant(let instant): UInt64(bitPattern: instant.milliseconds)
        case .duration(let duration): UInt64(bitPattern: duration.milliseconds)
        default: 0
        }
    }

    private var elementCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .integers(let numbers): numbers.count
        case .instants(let instants): instants.count
        default: 0
        }
    }
}
