/// What a text in JSON consists of, by its grammar alone (RFC 8259): where the items are, if it is a list.
///
/// Nothing is converted, and nothing is too large or too deep: what cannot be taken of an item is the matter of that item alone. What is open
/// stands in a list and not on the stack of the thread; a level takes a byte there, and at least one in the text, which is bounded.
struct JSONOutline {
    /// Nil if the text is no list.
    private(set) var items: [Range<Int>]?

    private let text: [UInt8]
    private var place = 0
    /// The brackets that close what is open, the innermost last.
    private var closing: [UInt8] = []
    /// Where the item begins that is being read.
    private var start: Int?

    private struct NotJSON: Error {}

    /// Nil if the text is not JSON in UTF-8.
    init?(of text: [UInt8]) {
        self.text = text
        guard String(validating: text, as: UTF8.self) != nil else { return nil }
        do throws(NotJSON) {
            repeat {
                while try begins() {}
                while ends() {}
            } while try goesOn()
        } catch {
            return nil
        }
    }

    /// Reads a value up to the first one in it.
    ///
    /// - Returns: whether there is one in it.
    private mutating func begins() throws(NotJSON) -> Bool {
        skipBlanks()
        if closing.count == 1, items != nil { start = place }
        switch try next() {
        case UInt8(ascii: "["):
            if closing.isEmpty { items = [] }
            closing.append(UInt8(ascii: "]"))
            skipBlanks()
            return peek != UInt8(ascii: "]")
        case UInt8(ascii: "{"):
            closing.append(UInt8(ascii: "}"))
            skipBlanks()
            if peek == UInt8(ascii: "}") { return false }
            try takeName()
            return true
        case UInt8(ascii: "\""): try takeText()
        case UInt8(ascii: "t"): try take("rue")
        case UInt8(ascii: "f"): try take("alse")
        case UInt8(ascii: "n"): try take("ull")
        case let byte: try takeNumber(byte)
        }
        return false
    }

    /// Takes note of the end of a value, and reads the bracket behind it.
    ///
    /// - Returns: whether there is one, which is the end of a value too.
    private mutating func ends() -> Bool {
        if closing.count == 1, let from = start {
            items?.append(from..<place)
            start = nil
        }
        skipBlanks()
        guard let bracket = closing.last, bracket == peek else { return false }
        closing.removeLast()
        place += 1
        return true
    }

    /// Reads what stands between two values.
    ///
    /// - Returns: false at the end of the text.
    private mutating func goesOn() throws(NotJSON) -> Bool {
        guard let bracket = closing.last else {
            if place < text.count { throw NotJSON() }
            return false
        }
        try take(",")
        if bracket == UInt8(ascii: "}") { try takeName() }
        return true
    }

    // MARK: Parts

    private mutating func takeName() throws(NotJSON) {
        skipBlanks()
        try take("\"")
        try takeText()
        skipBlanks()
        try take(":")
    }

    /// Reads a text behind its first quote (section 7). Halves of a character beyond U+FFFF are in the grammar.
    private mutating func takeText() throws(NotJSON) {
        while true {
            switch try next() {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try takeEscape()
            case 0x00..<0x20: throw NotJSON()
            default: break
            }
        }
    }

    private mutating func takeEscape() throws(NotJSON) {
        let byte = try next()
        if byte == UInt8(ascii: "u") {
            for _ in 0..<4 { try take(oneOf: "0123456789abcdefABCDEF") }
        } else if !"\"\\/bfnrt".utf8.contains(byte) {
            throw NotJSON()
        }
    }

    /// Reads a number behind its first byte (section 6).
    private mutating func takeNumber(_ first: UInt8) throws(NotJSON) {
        let digit = try first == UInt8(ascii: "-") ? next() : first
        guard digit.isDigit else { throw NotJSON() }
        if digit != UInt8(ascii: "0") { skipDigits() }
        if peek == UInt8(ascii: ".") {
            place += 1
            try takeDigits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            place += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { place += 1 }
            try takeDigits()
        }
    }

    private mutating func takeDigits() throws(NotJSON) {
        try take(oneOf: "0123456789")
        skipDigits()
    }

    // MARK: Bytes

    private var peek: UInt8? { place < text.count ? text[place] : nil }

    private mutating func next() throws(NotJSON) -> UInt8 {
        guard let byte = peek else { throw NotJSON() }
        place += 1
        return byte
    }

    private mutating func take(_ word: String) throws(NotJSON) {
        for byte in word.utf8 { if try next() != byte { throw NotJSON() } }
    }

    private mutating func take(oneOf characters: String) throws(NotJSON) {
        let byte = try next()
        if !characters.utf8.contains(byte) { throw NotJSON() }
    }

    private mutating func skipDigits() { while let byte = peek, byte.isDigit { place += 1 } }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
