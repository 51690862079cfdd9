// The POSIX TZ text, as in the footer of a TZif file (RFC 9636, section 3.3.1):
//
//     CET-1CEST,M3.5.0,M10.5.0/3       <-03>3       IST-1GMT0,M10.5.0,M3.5.0/1
//     name offset [name [offset] , day[/time] , day[/time]]
//
// Offsets count west, unlike everywhere else. Times are 02:00 unless given, and may be from -167 to 167
// hours.

extension YearlyRule {
    /// Reads a POSIX TZ text; nil when it is not well-formed, or names daylight saving time without saying
    /// when.
    init?(posix text: ArraySlice<UInt8>) {
        var reader = PosixReader(bytes: text)
        guard reader.name(), let west = reader.time(maximumHours: 24) else { return nil }
        standard = -west
        guard !reader.bytes.isEmpty else { return }
        guard reader.name() else { return nil }
        var offset = standard + 3_600_000
        if !reader.isAtComma {
            guard let west = reader.time(maximumHours: 24) else { return nil }
            offset = -west
        }
        guard let start = reader.moment(), let end = reader.moment(), reader.bytes.isEmpty else { return nil }
        daylight = Daylight(offset: offset, start: start, end: end)
    }
}

/// Eats a text from the front; every method gives nil (or false) for what does not fit.
private struct PosixReader {
    var bytes: ArraySlice<UInt8>

    var isAtComma: Bool { bytes.first == UInt8(ascii: ",") }

    /// Skips an abbreviation: at least three letters, or anything in angle brackets.
    mutating func name() -> Bool {
        if skip("<") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: ">")) else { return false }
            bytes = bytes[(end + 1)...]
            return true
        }
        let letters = bytes.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
        bytes = bytes[letters.endIndex...]
        return letters.count >= 3
    }

    /// Reads `,day` or `,day/time`.
    mutating func moment() -> YearlyRule.Moment? {
        guard skip(","), let day = day() else { return nil }
        guard skip("/") else { return YearlyRule.Moment(day: day, time: 7_200_000) }
        return time(maximumHours: 167).map { YearlyRule.Moment(day: day, time: $0) }
    }

    private mutating func day() -> YearlyRule.Day? {
        if skip("J") { return number(1...365).map { .julian($0) } }
        guard skip("M") else { return number(0...365).map { .ordinal($0) } }
        guard let month = number(1...12), skip("."), let week = number(1...5), skip("."), let weekday = number(0...6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
    }

    /// Reads `[+-]h[:mm[:ss]]` as milliseconds.
    mutating func time(maximumHours: Int) -> Int64? {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        guard let hours = number(0...maximumHours) else { return nil }
        var seconds = hours * 3_600
        for unit in [60, 1] where skip(":") {
            guard let count = number(0...59) else { return nil }
            seconds += count * unit
        }
        return Int64(isNegative ? -seconds : seconds) * 1_000
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int? {
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        bytes = bytes[digits.endIndex...]
        guard let number = Int(String(decoding: digits, as: UTF8.self)), range.contains(number) else { return nil }
        return number
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard bytes.first == UInt8(ascii: character) else { return false }
        bytes = bytes.dropFirst()
        return true
    }
}
