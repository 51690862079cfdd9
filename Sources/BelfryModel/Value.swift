/// Any JSON value: what attributes, the data of a signal or a campaign, and parameters are made of. Texts are equal byte by byte.
public enum Value: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([Value])
    case map(Fields)
}

extension Value {
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.text(let left), .text(let right)): left.isSameText(as: right)
        case (.list(let left), .list(let right)): left == right
        case (.map(let left), .map(let right)): left == right
        default: false
        }
    }

    /// How deep values may be nested: signals beyond it are refused, what plugins hand over is cut off there.
    public static let depthLimit = 128

    public var isNull: Bool { self == .null }

    public var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The value as a whole number; a number with a fraction has none.
    public var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): number.exactInteger
        default: nil
        }
    }

    public var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    public var list: [Value]? {
        if case .list(let list) = self { list } else { nil }
    }

    public var map: Fields? {
        if case .map(let map) = self { map } else { nil }
    }

    /// What an error message calls a value of this kind.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "a whole number"
        case .number: "a number"
        case .text: "text"
        case .list: "a list"
        case .map: "a mapping"
        }
    }
}

extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(arrayLiteral elements: Value...) { self = .list(elements) }
    public init(dictionaryLiteral elements: (String, Value)...) { self = .map(Fields(elements)) }
}

extension Double {
    /// `Int64(exactly:)` without `trunc`, so that plugins need not link the mathematics library.
    var exactInteger: Int64? {
        // 2^63 is the first number above Int64; below it every conversion is defined.
        guard self >= -0x1p63, self < 0x1p63 else { return nil }
        let integer = Int64(self)
        return Double(integer) == self ? integer : nil
    }
}

extension Value {
    /// The value as an error names it: text in quotes, everything else as JSON.
    public var quoted: String {
        if case .text(let text) = self { "'\(text)'" } else { json }
    }

    /// The same of a value that may be as long as a line, with `…` behind what is cut.
    package var quotedInShort: String {
        if case .text(let text) = self { "'\(text.cut)'" } else { json.cut }
    }
}

extension String {
    /// The beginning that an error shows of it.
    fileprivate var cut: String {
        let beginning = prefix(80)
        return beginning.endIndex == endIndex ? self : "\(beginning)…"
    }
}
