import BelfryModel
import CBelfry

/// What a stored state is made of.
///
/// A state with declared fields is stored field by field, in their order. If all of them are numbers, instants or durations that always have
/// a value, each takes 8 bytes. Otherwise:
///
///     what                           bytes
///     of an optional field           1: whether it has a value; if not, nothing follows
///     a boolean                      1
///     an integer, instant, duration  zigzag and LEB128
///     a number                       8
///     a text                         its length in bytes as LEB128, its UTF-8
///     integers, instants             their count as LEB128, the first one, and by how much each is more than the one before it
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

        var isNumber: Bool { rawValue < Kind.text.rawValue }
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
    /// - Parameter initial: what fields have that are not among the values, or are of another type.
    func content(_ values: [StatePair], initial: [StatePair] = []) -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .saved: writer.stateValues(values)
        case .fields(let fields):
            writer.fields(
                fields.map { field in
                    (field, [values, initial].lazy.compactMap { $0[field.name] }.first { field.takes($0) })
                })
        }
        return writer.bytes
    }
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
    /// Whether it takes 8 bytes where all fields of a state do.
    var isWord: Bool { type.isNumber && type != .boolean && !isOptional }
}

extension ByteReader {
    @_lifetime(self: copy self)
    fileprivate mutating func values(of fields: [StateShape.Field]) throws(Damage) -> [StatePair] {
        let areWords = fields.allSatisfy(\.isWord)
        var values: [StatePair] = []
        for field in fields {
            if field.isOptional, !(try bool()) { continue }
            if let value = areWords ? field.value(try fixed()) : try value(of: field.type) {
                values.append(StatePair(key: field.name, value: value))
            }
        }
        return values
    }

    /// Nil for an instant that is never, and for a text or list that is empty.
    @_lifetime(self: copy self)
    private mutating func value(of type: StateShape.Kind) throws(Damage) -> StateValue? {
        switch type {
        case .boolean: return .bool(try bool())
        case .integer: return .integer(try signed())
        case .number: return .number(try number())
        case .instant:
            let instant = try instant()
            return instant == .distantPast ? nil : .instant(instant)
        case .duration: return .duration(Duration(milliseconds: try signed()))
        case .text:
            let text = try text()
            return text.isEmpty ? nil : .text(text)
        case .integers:
            let numbers = try series()
            return numbers.isEmpty ? nil : .integers(numbers)
        case .instants:
            let numbers = try series()
            return numbers.isEmpty ? nil : .instants(numbers.map { Instant(milliseconds: $0) })
        }
    }

    /// Numbers by their differences.
    @_lifetime(self: copy self)
    private mutating func series() throws(Damage) -> [Int64] {
        var (numbers, last) = ([Int64](), Int64(0))
        for _ in 0..<(try count()) {
            last &+= try signed()
            numbers.append(last)
        }
        return numbers
    }
}

extension StateShape.Field {
    /// Of a field that takes 8 bytes.
    fileprivate func value(_ word: UInt64) -> StateValue? {
        switch type {
        case .number: .number(Double(bitPattern: word))
        case .instant: word == 1 << 63 ? nil : .instant(Instant(milliseconds: Int64(bitPattern: word)))
        case .duration: .duration(Duration(milliseconds: Int64(bitPattern: word)))
        default: .integer(Int64(bitPattern: word))
        }
    }
}

extension ByteWriter {
    fileprivate mutating func fields(_ fields: [(field: StateShape.Field, value: StateValue?)]) {
        let areWords = fields.allSatisfy(\.field.isWord)
        for (field, value) in fields {
            if field.isOptional { bool(value != nil) }
            if areWords {
                fixed(value?.word ?? (field.type == .instant ? 1 << 63 : 0))
            } else if value != nil || !field.isOptional {
                fieldValue(value, field.type)
            }
        }
    }

    private mutating func fieldValue(_ value: StateValue?, _ type: StateShape.Kind) {
        switch (type, value) {
        case (.boolean, .bool(let bool)): self.bool(bool)
        case (.boolean, _): bool(false)
        case (.number, .number(let double)): number(double)
        case (.number, _): number(0)
        case (.text, .text(let text)): self.text(text)
        case (.text, _): unsigned(0)
        case (.integers, .integers(let integers)): series(integers)
        case (.instants, .instants(let instants)): series(instants.map(\.milliseconds))
        case (.integers, _), (.instants, _): unsigned(0)
        case (.instant, nil): instant(.distantPast)
        default: signed(Int64(bitPattern: value?.word ?? 0))
        }
    }

    private mutating func series(_ numbers: [Int64]) {
        numbers.withUnsafeBufferPointer { series($0) }
    }

    /// Numbers by their differences.
    mutating func series(_ numbers: UnsafeBufferPointer<Int64>) {
        unsigned(UInt64(numbers.count))
        var last: Int64 = 0
        for number in numbers {
            signed(number &- last)
            last = number
        }
    }
}

extension StateValue {
    /// Of a value that can take 8 bytes.
    fileprivate var word: UInt64 {
        switch self {
        case .integer(let integer): UInt64(bitPattern: integer)
        case .number(let number): number.bitPattern
        case .instant(let instant): UInt64(bitPattern: instant.milliseconds)
        case .duration(let duration): UInt64(bitPattern: duration.milliseconds)
        default: 0
        }
    }
}
