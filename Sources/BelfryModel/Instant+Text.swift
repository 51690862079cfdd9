// The text form of an instant is the date-time of RFC 3339, section 5.6:
//
//     2026-03-02T09:00:00Z        2026-03-02T10:00:00.250+01:00
//     0         1         ^19

extension Instant {
    /// Reads an RFC 3339 date-time; nil when the text is not exactly one, or one that could not be written again: its
    /// offset, or a leap second, may lead out of the years 0000…9999 of UTC.
    ///
    /// `T` and `Z` may be lower case; a zone is required. A fraction of a second may have any length and is
    /// cut to milliseconds. A leap second (`:60`, only where UTC has 23:59) is taken as the second after
    /// it, since milliseconds since 1970 have no place for it.
    public init?(rfc3339 text: String) {
        var text = text
        guard let instant = text.withUTF8({ Instant(rfc3339: $0) }) else { return nil }
        self = instant
    }

    /// Reads an RFC 3339 date-time from UTF-8, with the rules of `init(rfc3339: String)` and without
    /// allocating.
    public init?(rfc3339 bytes: UnsafeBufferPointer<UInt8>) {
        self.init(anyYearRFC3339: bytes)
        // What is read here stands in decisions later, in UTC.
        if !isWritable { return nil }
    }

    /// The same without a look at the years, so that an error can tell the one mistake from the other.
    @inline(__always)
    package init?(anyYearRFC3339 bytes: UnsafeBufferPointer<UInt8>) {
        let reader = DateTimeReader(bytes: bytes)
        guard let dayNumber = reader.dayNumber(),
            let second = reader.secondOfDay(),
            let (fraction, zoneIndex) = reader.fraction(),
            let offset = reader.offset(at: zoneIndex)
        else { return nil }
        let seconds = dayNumber * 86_400 + second - offset
        // What was ":60" must be the last minute of a day in UTC: adding the 60 has led to a midnight there.
        if reader.isLeapSecond, seconds % 86_400 != 0 { return nil }
        self.init(milliseconds: seconds * 1_000 + fraction)
    }
}

extension Instant {
    /// What is expected where one is written, for the sentence that refuses another text.
    package static let expectedForm = "an RFC 3339 date-time, such as 2026-03-02T09:00:00Z"

    /// What a text lacks that is the beginning of a date-time, and the text with that: for the sentence that refuses it.
    package static func completion(of text: String) -> (missing: String, whole: String)? {
        for (missing, rest) in [("time of day", "T00:00:00Z"), ("time zone", "Z"), ("seconds and time zone", ":00Z")] {
            let whole = text + rest
            if Instant(rfc3339: whole) != nil { return (missing, whole) }
        }
        return nil
    }
}

/// Reads the parts of a date-time, each at its place; every method gives nil for what does not fit.
private struct DateTimeReader {
    let bytes: UnsafeBufferPointer<UInt8>

    func dayNumber() -> Int64? {
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] | 0x20 == UInt8(ascii: "t"),
            let century = pair(at: 0), let years = pair(at: 2), let month = pair(at: 5), let day = pair(at: 8)
        else { return nil }
        return CivilDate(year: Int(century * 100 + years), month: Int(month), day: Int(day))?.dayNumber
    }

    /// Up to 86 400, which only a leap second reaches.
    func secondOfDay() -> Int64? {
        guard bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let hour = pair(at: 11), let minute = pair(at: 14), let second = pair(at: 17),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    var isLeapSecond: Bool { bytes[17] == UInt8(ascii: "6") }

    /// Whole milliseconds, and where the zone begins.
    func fraction() -> (milliseconds: Int64, end: Int)? {
        guard bytes[19] == UInt8(ascii: ".") else { return (0, 19) }
        var index = 20
        var weight: Int64 = 100
        var milliseconds: Int64 = 0
        while index < bytes.count, let digit = digit(at: index) {
            milliseconds += digit * weight
            weight /= 10
            index += 1
        }
        return index > 20 && index < bytes.count ? (milliseconds, index) : nil
    }

    /// Seconds east of UTC; the zone must end the text.
    func offset(at index: Int) -> Int64? {
        let sign: Int64
        switch bytes[index] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): return bytes.count == index + 1 ? 0 : nil
        case UInt8(ascii: "+"): sign = 1
        case UInt8(ascii: "-"): sign = -1
        default: return nil
        }
        guard bytes.count == index + 6, bytes[index + 3] == UInt8(ascii: ":"),
            let hours = pair(at: index + 1), let minutes = pair(at: index + 4), hours <= 23, minutes <= 59
        else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    private func pair(at index: Int) -> Int64? {
        guard let tens = digit(at: index), let ones = digit(at: index + 1) else { return nil }
        return tens * 10 + ones
    }

    private func digit(at index: Int) -> Int64? {
        let value = bytes[index] &- UInt8(ascii: "0")
        return value <= 9 ? Int64(value) : nil
    }
}

extension Instant: CustomStringConvertible {
    /// RFC 3339 in UTC, as `2026-03-02T09:00:00Z`, with `.250` after the seconds unless the milliseconds
    /// are zero.
    ///
    /// Outside the years 0000…9999, which RFC 3339 cannot say, the year has a sign and at least six digits
    /// (`+010000-01-01T00:00:00Z`, as in ECMAScript); such a text shows the truth but is not read back.
    public var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `description` as UTF-8.
    public func append(to bytes: inout [UInt8]) {
        var buffer = GrowingBuffer()
        var writer = InstantWriter()
        writer.append(self, to: &buffer)
        bytes += buffer.bytes.dropFirst().dropLast()  // the quotes
    }
}
