import BelfryModel
import CBelfry

/// What a stored state is made of.
///
/// A state with declared fields is stored as it lies in the memory of most plugins: its fields in their order, each in words of 8 bytes,
/// little endian.
///
///     what                           words
///     a number, instant or duration  1: its value
///     one that is optional           2: its value, or 0; 0 if it has a value and 1 if it has none
///     a boolean                      1: 0 or 1, and 2 for none
///     a text or list                 2: where its bytes begin, from the beginning of the state; how many elements there are
///
/// Behind the last field come the bytes of texts and lists, in the order of the fields, each filled up with zeros to a multiple of 8.
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
                try reader.walk(fields) { index, _, _, elements in
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
    /// How many bytes it takes among the fields.
    var size: Int { type.isSeries || hasFlag ? 16 : 8 }

    /// Whether a second word says if there is a value.
    var hasFlag: Bool { isOptional && type != .boolean && !type.isSeries }

    /// Nil where there is none, for an instant that is never, and for an empty text or list.
    fileprivate func value(_ word: UInt64, _ second: UInt64) -> StateValue? {
        if hasFlag, second != 0 { return nil }
        switch type {
        case .boolean: return word == 2 ? nil : .bool(word == 1)
        case .number: return .number(Double(bitPattern: word))
        case .instant: return word == 1 << 63 ? nil : .instant(Instant(milliseconds: Int64(bitPattern: word)))
        case .duration: return .duration(Duration(milliseconds: Int64(bitPattern: word)))
        default: return .integer(Int64(bitPattern: word))
        }
    }

    fileprivate func isSound(_ word: UInt64, _ second: UInt64) -> Bool {
        if hasFlag { return second == 0 || (second == 1 && word == 0) }
        return type != .boolean || word <= (isOptional ? 2 : 1)
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
    /// Of all fields, without what lies behind them.
    var size: Int {
        var size = 0
        // By index, since to take a field out of the list is to copy its name.
        for index in indices { size += self[index].size }
        return size
    }
}

/// Up to the next multiple of 8.
@inline(__always)
func paddedToWord(_ count: Int) -> Int { (count + 7) & ~7 }

extension ByteReader {
    @_lifetime(self: copy self)
    fileprivate mutating func values(of fields: [StateShape.Field]) throws(Damage) -> [StatePair] {
        var values: [StatePair] = []
        try walk(fields) { index, word, second, elements in
            let field = fields[index]
            guard field.type.isSeries else {
                if let value = field.value(word, second) { values.append(StatePair(key: field.name, value: value)) }
                return true
            }
            if elements.isEmpty { return true }
            guard let value = field.value(of: elements) else { return false }
            values.append(StatePair(key: field.name, value: value))
            return true
        }
        return values
    }

    /// Shows the words of each field, and what lies behind the fields of one that is a text or list.
    ///
    /// - Parameter isSound: whether they make sense beyond that they are there.
    @_lifetime(self: copy self)
    fileprivate mutating func walk(
        _ fields: [StateShape.Field], _ isSound: (Int, UInt64, UInt64, RawSpan) -> Bool
    ) throws(Damage) {
        var tail = fields.size
        for index in fields.indices {
            let word = try fixed(UInt64.self)
            let second = fields[index].size == 16 ? try fixed(UInt64.self) : 0
            var elements = tail..<tail
            if fields[index].type.isSeries {
                guard word == UInt64(tail) else { throw damage }
                elements = try series(second, fields[index].type.elementSize, from: tail)
                tail += paddedToWord(elements.count)
            } else {
                guard fields[index].isSound(word, second) else { throw damage }
            }
            guard isSound(index, word, second, bytes(in: elements)) else { throw damage }
        }
        _ = try skip(tail - position)
    }

    /// Where the elements of a text or list are.
    private func series(_ count: UInt64, _ size: Int, from tail: Int) throws(Damage) -> Range<Int> {
        let end = position + rest
        guard count <= UInt64(end), tail + Int(count) * size <= end else { throw damage }
        return tail..<tail + Int(count) * size
    }
}

extension ByteWriter {
    fileprivate mutating func fields(_ fields: [(field: StateShape.Field, value: StateValue?)]) {
        var tail = fields.map(\.field).size
        for (field, value) in fields {
            if field.type.isSeries {
                fixed(UInt64(tail))
                let count = value?.elementCount ?? 0
                fixed(UInt64(count))
                tail += paddedToWord(count * field.type.elementSize)
            } else {
                let none: UInt64 = field.type == .boolean ? (field.isOptional ? 2 : 0) : 0
                fixed(value?.word ?? (field.type == .instant && !field.isOptional ? 1 << 63 : none))
                if field.hasFlag { fixed(UInt64(value == nil ? 1 : 0)) }
            }
        }
        for case (_, let value?) in fields { series(value) }
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
    /// Of a value that takes a word.
    fileprivate var word: UInt64 {
        switch self {
        case .integer(let integer): UInt64(bitPattern: integer)
        case .number(let number): number.bitPattern
        case .bool(let bool): bool ? 1 : 0
        case .instant(let instant): UInt64(bitPattern: instant.milliseconds)
        case .duration(let duration): UInt64(bitPattern: duration.milliseconds)
        default: 0
        }
    }

    /// How many a text or list has.
    fileprivate var elementCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .integers(let numbers): numbers.count
        case .instants(let instants): instants.count
        default: 0
        }
    }
}
