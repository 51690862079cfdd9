import BelfryModel

// Ordering follows the relational operators of ECMAScript (section 7.2.12 "IsLessThan"), which GrowthBook uses:
// two texts are compared as texts, everything else as numbers. Two things are ours: texts that are both date-times of
// RFC 3339 are compared as instants, and null (a missing property), a list or a mapping has no place in any order.

extension Condition {
    /// What `$gt` and its kin compare with, converted beforehand.
    struct Bound: Sendable {
        private let number: OrderedNumber?
        private let text: String?
        private let instant: Instant?

        /// Nil for null, a list and a mapping, which have no order.
        init?(_ value: Value) {
            switch value {
            case .null, .list, .map: return nil
            default: break
            }
            number = OrderedNumber(value)
            text = value.text
            instant = text.flatMap { Instant(rfc3339: $0) }
        }

        /// Whether `value` stands in that relation to the bound; never, if the two cannot be compared.
        func holds(_ relation: Relation, for value: Value) -> Bool {
            if case .integer(let integer) = value, case .whole(let whole)? = number {
                return relation.holds(integer, whole)
            }
            if let text, case .text(let other) = value { return holds(relation, for: other, text: text) }
            guard let number, let other = OrderedNumber(value) else { return false }
            return relation.holds(other, number)
        }

        private func holds(_ relation: Relation, for other: String, text: String) -> Bool {
            if let instant, let other = Instant(rfc3339: other) { return relation.holds(other, instant) }
            return relation.holds(CodeUnits(text: other), CodeUnits(text: text))
        }
    }

    /// A number that is compared without loss while both are whole.
    enum OrderedNumber: Sendable, Comparable {
        case whole(Int64)
        case real(Double)

        /// Nil for what does not convert to a number.
        init?(_ value: Value) {
            switch value {
            case .bool(let bool): self = .whole(bool ? 1 : 0)
            case .integer(let integer): self = .whole(integer)
            case .number(let number) where !number.isNaN: self = .real(number)
            case .text(let text):
                guard let number = Double(ecmaScript: text) else { return nil }
                self = .real(number)
            default: return nil
            }
        }

        private var double: Double {
            switch self {
            case .whole(let integer): Double(integer)
            case .real(let number): number
            }
        }

        static func < (left: Self, right: Self) -> Bool {
            if case (.whole(let left), .whole(let right)) = (left, right) { return left < right }
            return left.double < right.double
        }

        static func == (left: Self, right: Self) -> Bool {
            if case (.whole(let left), .whole(let right)) = (left, right) { return left == right }
            return left.double == right.double
        }
    }

    /// A text in ECMAScript's order: by UTF-16 code unit, whatever the language.
    struct CodeUnits: Comparable {
        let text: String

        static func < (left: Self, right: Self) -> Bool {
            left.text.utf16.lexicographicallyPrecedes(right.text.utf16)
        }

        static func == (left: Self, right: Self) -> Bool {
            left.text.utf8.elementsEqual(right.text.utf8)
        }
    }
}

extension Double {
    /// The number that ECMAScript's `Number(text)` makes of a text; nil where that is not a number.
    ///
    /// Blanks around it do not count, and nothing but blanks is 0.
    init?(ecmaScript text: String) {
        let scalars = text.unicodeScalars.trimmed
        guard let first = scalars.first else {
            self = 0
            return
        }
        if first == "0", let radix = scalars.dropFirst().first.flatMap(Self.radix) {
            self.init(digits: scalars.dropFirst(2), radix: radix)
        } else if Self.infinities.contains(String(scalars)) {
            self = first == "-" ? -.infinity : .infinity
        } else if scalars.allSatisfy(Self.isDecimal) {
            // The standard library reads more than we want ("nan", "0x1p4"), but of these characters just decimals.
            self.init(Substring(scalars))
        } else {
            return nil
        }
    }

    private static let infinities = ["Infinity", "+Infinity", "-Infinity"]

    private static func isDecimal(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", ".", "e", "E", "+", "-": true
        default: false
        }
    }

    private static func radix(_ letter: Unicode.Scalar) -> Int? {
        switch letter {
        case "x", "X": 16
        case "o", "O": 8
        case "b", "B": 2
        default: nil
        }
    }

    private init?(digits: Substring.UnicodeScalarView, radix: Int) {
        guard !digits.isEmpty else { return nil }
        self = 0
        for scalar in digits {
            guard scalar.isASCII, let digit = Character(scalar).hexDigitValue, digit < radix else { return nil }
            self = self * Double(radix) + Double(digit)
        }
    }
}

extension String.UnicodeScalarView {
    /// Without the white space and line ends around it.
    fileprivate var trimmed: Substring.UnicodeScalarView {
        let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace || scalar == "\u{FEFF}" }
        let start = firstIndex { !isBlank($0) } ?? endIndex
        let end = lastIndex { !isBlank($0) }.map(index(after:)) ?? start
        return self[start..<end]
    }
}
