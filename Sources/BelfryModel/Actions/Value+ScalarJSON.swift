extension Value {
    /// Reads one JSON text, number or boolean (RFC 8259), with nothing around it; nil for anything else, null included.
    init?(scalarJSON text: String) {
        switch text.utf8.first {
        case UInt8(ascii: "\""): self.init(quotedJSON: text)
        case UInt8(ascii: "t") where text == "true": self = true
        case UInt8(ascii: "f") where text == "false": self = false
        default: self.init(numberJSON: text)
        }
    }

    /// Section 6: no plus sign in front, no superfluous zeros, digits on both sides of the point.
    private init?(numberJSON text: String) {
        var rest = text.utf8[...]
        rest.skip { $0 == UInt8(ascii: "-") }
        let first = rest.first
        let whole = rest.dropDigits()
        guard whole == 1 || (whole > 1 && first != UInt8(ascii: "0")) else { return nil }
        if rest.isEmpty, let integer = Int64(text) {
            self = .integer(integer)
            return
        }
        if rest.skip({ $0 == UInt8(ascii: ".") }), rest.dropDigits() == 0 { return nil }
        if rest.skip({ $0 | 0x20 == UInt8(ascii: "e") }) {
            rest.skip { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            if rest.dropDigits() == 0 { return nil }
        }
        guard rest.isEmpty, let number = Double(text), number.isFinite else { return nil }
        self = .number(number)
    }

    /// Section 7.
    private init?(quotedJSON text: String) {
        var scalars = text.unicodeScalars[...].dropFirst()
        var content = String.UnicodeScalarView()
        while let scalar = scalars.popFirst(), scalar != "\"" {
            guard scalar.value >= 0x20, let meant = scalar == "\\" ? scalars.popEscape() : scalar else { return nil }
            content.append(meant)
            if scalars.isEmpty { return nil }
        }
        guard scalars.isEmpty, text.utf8.count > 1 else { return nil }
        self = .text(String(content))
    }
}

extension Substring.UTF8View {
    /// Leaves out the next byte if it is one of those.
    @discardableResult
    fileprivate mutating func skip(_ isOne: (UInt8) -> Bool) -> Bool {
        guard let first, isOne(first) else { return false }
        removeFirst()
        return true
    }

    /// How many there were.
    fileprivate mutating func dropDigits() -> Int {
        let before = count
        self = drop { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return before - count
    }
}

extension Substring.UnicodeScalarView {
    /// What follows a backslash.
    fileprivate mutating func popEscape() -> Unicode.Scalar? {
        switch popFirst() {
        case "\""?: "\""
        case "\\"?: "\\"
        case "/"?: "/"
        case "b"?: "\u{8}"
        case "f"?: "\u{C}"
        case "n"?: "\n"
        case "r"?: "\r"
        case "t"?: "\t"
        case "u"?: popHexadecimal()
        default: nil
        }
    }

    /// Four digits, or the two halves of a surrogate pair.
    private mutating func popHexadecimal() -> Unicode.Scalar? {
        guard let unit = popUnit() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard popFirst() == "\\", popFirst() == "u", let trail = popUnit(), UTF16.isTrailSurrogate(trail) else {
            return nil
        }
        return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00))
    }

    private mutating func popUnit() -> UInt16? {
        let digits = prefix(4)
        guard digits.count == 4, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
        removeFirst(4)
        return UInt16(String(digits), radix: 16)
    }
}
