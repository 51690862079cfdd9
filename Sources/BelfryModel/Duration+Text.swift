// A duration is written in one of two ways:
//
//     units       1h30m   90s   300ms   7d       d, h, m, s, ms: from large to small, each at most once
//     ISO 8601    PT1H30M   P1DT2H   P1W   PT0.5S   weeks stand alone; years and months have no fixed length
//
// Both need a unit: a reader of `cooldown: 30` should not have to guess.

extension Duration {
    /// What texts of both forms look like, as a regular expression of JSON Schema.
    package static let pattern = "^(P.*|(?=.)(\\d+d)?(\\d+h)?(\\d+m(?!s))?(\\d+s)?(\\d+ms)?)$"

    /// Reads a duration in either form; nil when it is neither, or longer than can be counted in
    /// milliseconds.
    ///
    /// A bare number, a sign, a space and an empty text are refused. Only the seconds of the ISO form may
    /// have a fraction (after `.` or `,`), and it must be whole milliseconds: rounding `PT0.0004S` to zero
    /// would turn a limit into none.
    public init?(text: String) {
        var reader = DurationReader(bytes: Array(text.utf8)[...])
        let isISO = reader.skip("P")
        guard isISO ? reader.readISO() : reader.readUnits() else { return nil }
        self.init(milliseconds: reader.total)
    }
}

/// Eats a text from the front and adds up what it finds; every `read` is false for what does not fit.
private struct DurationReader {
    var bytes: ArraySlice<UInt8>
    var total: Int64 = 0

    private static let units: [(name: String, length: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("ms", 1), ("m", 60_000), ("s", 1_000),
    ]

    mutating func readUnits() -> Bool {
        var limit = Int64.max
        repeat {
            guard let count = number(), let unit = Self.units.first(where: { skip($0.name) }),
                unit.length < limit, add(count, of: unit.length)
            else { return false }
            limit = unit.length
        } while !bytes.isEmpty
        return true
    }

    /// Reads what follows the `P`.
    mutating func readISO() -> Bool {
        let atStart = bytes
        if let weeks = number(), skip("W") { return bytes.isEmpty && add(weeks, of: 604_800_000) }
        bytes = atStart
        guard bytes.first == UInt8(ascii: "T") || readPart("D", 86_400_000) else { return false }
        return bytes.isEmpty || skip("T") && readISOTime()
    }

    /// Reads what follows the `T`: at least one of hours, minutes and seconds.
    private mutating func readISOTime() -> Bool {
        guard !bytes.isEmpty else { return false }
        _ = readPart("H", 3_600_000)
        _ = readPart("M", 60_000)
        return bytes.isEmpty || readISOSeconds()
    }

    private mutating func readISOSeconds() -> Bool {
        guard let seconds = number(), add(seconds, of: 1_000) else { return false }
        if skip(".") || skip(",") {
            guard let milliseconds = fraction(), add(milliseconds, of: 1) else { return false }
        }
        return skip("S") && bytes.isEmpty
    }

    /// Takes a number with that designator; takes nothing when the next one has another.
    private mutating func readPart(_ designator: String, _ length: Int64) -> Bool {
        let before = self
        if let count = number(), skip(designator), add(count, of: length) { return true }
        self = before
        return false
    }

    mutating func skip(_ prefix: String) -> Bool {
        guard bytes.starts(with: prefix.utf8) else { return false }
        bytes = bytes.dropFirst(prefix.utf8.count)
        return true
    }

    private mutating func number() -> Int64? {
        let digits = bytes.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        bytes = bytes[digits.endIndex...]
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    /// The digits after the point, as milliseconds; nil when there are none or they are finer than that.
    private mutating func fraction() -> Int64? {
        let digits = bytes.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard !digits.isEmpty, digits.dropFirst(3).allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        bytes = bytes[digits.endIndex...]
        let padded = digits.prefix(3) + repeatElement(UInt8(ascii: "0"), count: 3 - min(3, digits.count))
        return Int64(String(decoding: padded, as: UTF8.self))
    }

    private mutating func add(_ count: Int64, of length: Int64) -> Bool {
        let (product, tooLarge) = count.multipliedReportingOverflow(by: length)
        let (sum, overflow) = total.addingReportingOverflow(product)
        total = overflow ? total : sum
        return !tooLarge && !overflow
    }
}

extension Duration: CustomStringConvertible {
    /// The canonical text, units from large to small without those that are zero: `1h30m`, `7d`, `1s500ms`,
    /// `0s`.
    ///
    /// `init(text:)` reads it back, except that a negative duration, which configuration cannot say, begins
    /// with `-`.
    public var description: String {
        guard milliseconds != 0 else { return "0s" }
        var text = milliseconds < 0 ? "-" : ""
        var rest = milliseconds.magnitude
        let units: [(String, UInt64)] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]
        for (name, length) in units where rest >= length {
            text += "\(rest / length)\(name)"
            rest %= length
        }
        return text
    }
}
