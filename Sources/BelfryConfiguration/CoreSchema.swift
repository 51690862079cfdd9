import BelfryModel

/// What plain scalars mean: the core schema of YAML 1.2.2, section 10.3.2.
///
///     null      null Null NULL ~ and nothing      integer   [-+]?[0-9]+  0o[0-7]+  0x[0-9a-fA-F]+
///     boolean   true True TRUE false …            number    [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
///
/// Everything else is text: `on`, `off`, `yes`, `no` and dates too. By hand, because the parser's own resolver speaks YAML 1.1.
enum CoreSchema {
    /// Why a scalar has no value here, though YAML gives it one.
    struct Refusal: Error {
        let expected: String
    }

    static func value(of text: String) throws(Refusal) -> Value {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return true
        case "false", "False", "FALSE": return false
        default: break
        }
        // Most scalars are words; only these can begin a number.
        guard let first = text.utf8.first, "+-.0123456789".utf8.contains(first) else { return .text(text) }
        return try number(text) ?? .text(text)
    }

    private static func number(_ text: String) throws(Refusal) -> Value? {
        if isInfinityOrNaN(text) { throw Refusal(expected: "a finite number") }
        if let (digits, radix) = wholeNumber(text) {
            guard let integer = Int64(digits, radix: radix) else {
                throw Refusal(expected: "a whole number of at most 64 bits")
            }
            return .integer(integer)
        }
        guard isDecimal(text[...]), let number = Double(text.last == "." ? text + "0" : text) else {
            return nil
        }
        guard number.isFinite else { throw Refusal(expected: "a number that fits a double") }
        return .number(number)
    }

    private static func isInfinityOrNaN(_ text: String) -> Bool {
        let unsigned = text.hasPrefix("+") || text.hasPrefix("-") ? text.dropFirst() : text[...]
        return [".inf", ".Inf", ".INF"].contains(unsigned) || [".nan", ".NaN", ".NAN"].contains(text)
    }

    private static func wholeNumber(_ text: String) -> (digits: Substring, radix: Int)? {
        if text.hasPrefix("0x") { return digits(text.dropFirst(2), "0123456789abcdefABCDEF", 16) }
        if text.hasPrefix("0o") { return digits(text.dropFirst(2), "01234567", 8) }
        let unsigned = text.hasPrefix("+") || text.hasPrefix("-") ? text.dropFirst() : text[...]
        return digits(unsigned, "0123456789", 10) == nil ? nil : (text[...], 10)
    }

    private static func digits(_ text: Substring, _ allowed: String, _ radix: Int) -> (
        digits: Substring, radix: Int
    )? {
        !text.isEmpty && text.utf8.allSatisfy(allowed.utf8.contains) ? (text, radix) : nil
    }

    private static func isDecimal(_ text: Substring) -> Bool {
        var rest = text.utf8[...]
        func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
        func skip(_ any: String) -> Bool {
            guard let first = rest.first, any.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func skipDigits() -> Bool {
            let before = rest.startIndex
            rest = rest.drop(while: isDigit)
            return rest.startIndex > before
        }
        _ = skip("+-")
        let hasWhole = skipDigits()
        let hasFraction = skip(".") && skipDigits()
        guard hasWhole || hasFraction else { return false }
        if skip("eE") {
            _ = skip("+-")
            guard skipDigits() else { return false }
        }
        return rest.isEmpty
    }
}
