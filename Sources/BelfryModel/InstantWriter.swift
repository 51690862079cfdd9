/// Writes instants as text in quotes, one after the other (RFC 3339, section 5.6).
///
/// The instants of a decision, and of those before and after it, are of few days, and some come again: a denial and its decision have one
/// `until`. The texts of two days are kept, and that of the last instant.
struct InstantWriter {
    private var (first, second) = (Day(), Day())
    /// Then the second one is replaced next.
    private var wasFirstUsedLast = false
    private var latest = Latest()

    private struct Day {
        /// No instant is of the first one.
        var number = Int64.min
        /// `"2026-03-02T`: eight bytes and four.
        var text: (UInt64, UInt32) = (0, 0)

        static let length = 12
    }

    private struct Latest {
        var instant = Instant.distantPast
        var length = 0
        var text: Text = (0, 0, 0, 0)

        typealias Text = (UInt64, UInt64, UInt64, UInt64)
        static let longest = MemoryLayout<Text>.size
    }

    mutating func append(_ instant: Instant, to buffer: inout GrowingBuffer) {
        if latest.instant == instant, latest.length > 0 { return appendLatest(to: &buffer) }
        let (dayNumber, millisecondOfDay) = CivilDate.split(milliseconds: instant.milliseconds)
        guard let text = text(of: dayNumber) else {
            return Self.append(extended: CivilDate(dayNumber: dayNumber), UInt32(millisecondOfDay), to: &buffer)
        }
        buffer.append(atMost: Latest.longest) { place in
            let bytes = UnsafeMutableRawPointer(place)
            bytes.storeBytes(of: text.0, as: UInt64.self)
            (bytes + 8).storeBytes(of: text.1, as: UInt32.self)
            let length = Day.length + Self.write(UInt32(millisecondOfDay), to: place + Day.length)
            // What is behind its end was not written, and is not counted when it is written again.
            latest = Latest(
                instant: instant, length: length, text: bytes.loadUnaligned(as: Latest.Text.self))
            return length
        }
    }

    private func appendLatest(to buffer: inout GrowingBuffer) {
        buffer.append(atMost: Latest.longest) { place in
            UnsafeMutableRawPointer(place).storeBytes(of: latest.text, as: Latest.Text.self)
            return latest.length
        }
    }

    /// Nil outside the years that RFC 3339 can say.
    private mutating func text(of dayNumber: Int64) -> (UInt64, UInt32)? {
        if first.number == dayNumber {
            wasFirstUsedLast = true
            return first.text
        }
        if second.number == dayNumber {
            wasFirstUsedLast = false
            return second.text
        }
        return newText(of: dayNumber)
    }

    private mutating func newText(of dayNumber: Int64) -> (UInt64, UInt32)? {
        let date = CivilDate(dayNumber: dayNumber)
        if date.year < 0 || date.year > 9_999 { return nil }
        var day = Day(number: dayNumber)
        withUnsafeMutableBytes(of: &day.text) { bytes in
            var writer = DigitWriter(place: bytes.baseAddress!.assumingMemoryBound(to: UInt8.self))
            writer.write("\"")
            writer.write(UInt32(date.year / 100))
            writer.write(UInt32(date.year % 100))
            writer.write(date)
        }
        if wasFirstUsedLast { second = day } else { first = day }
        wasFirstUsedLast.toggle()
        return day.text
    }

    /// Outside the years that RFC 3339 can say, as ECMAScript does it.
    private static func append(
        extended date: CivilDate, _ millisecondOfDay: UInt32, to buffer: inout GrowingBuffer
    ) {
        let digits = String(date.year.magnitude)
        buffer.append(UInt8(ascii: "\""))
        buffer.append(UInt8(ascii: date.year < 0 ? "-" : "+"))
        for _ in 0..<max(0, 6 - digits.utf8.count) { buffer.append(UInt8(ascii: "0")) }
        buffer.append(digits)
        buffer.append(atMost: 21) { place in
            var writer = DigitWriter(place: place)
            writer.write(date)
            return writer.count + write(millisecondOfDay, to: place + writer.count)
        }
    }

    /// Writes at most 14 bytes, and returns how many.
    private static func write(_ millisecondOfDay: UInt32, to place: UnsafeMutablePointer<UInt8>) -> Int {
        let (second, millisecond) = millisecondOfDay.quotientAndRemainder(dividingBy: 1_000)
        let (minute, hour) = (second / 60, second / 3_600)
        var writer = DigitWriter(place: place)
        writer.write(hour)
        writer.write(":", minute - hour * 60)
        writer.write(":", second - minute * 60)
        if millisecond != 0 {
            writer.write(".", millisecond / 10)
            writer.write(digit: millisecond % 10)
        }
        writer.write("Z")
        writer.write("\"")
        return writer.count
    }
}

/// Writes digits one after the other; the caller sees to it that there is room.
private struct DigitWriter {
    let place: UnsafeMutablePointer<UInt8>
    private(set) var count = 0

    init(place: UnsafeMutablePointer<UInt8>) { self.place = place }

    /// Writes month and day, from `-` to `T`.
    @inline(__always)
    mutating func write(_ date: CivilDate) {
        write("-", UInt32(date.month))
        write("-", UInt32(date.day))
        write("T")
    }

    @inline(__always)
    mutating func write(_ character: Unicode.Scalar) {
        place[count] = UInt8(truncatingIfNeeded: character.value)  // ASCII
        count += 1
    }

    @inline(__always)
    mutating func write(digit: UInt32) {
        place[count] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
        count += 1
    }

    /// Writes two digits.
    @inline(__always)
    mutating func write(_ number: UInt32) {
        let tens = number / 10
        write(digit: tens)
        write(digit: number &- tens &* 10)
    }

    @inline(__always)
    mutating func write(_ character: Unicode.Scalar, _ number: UInt32) {
        write(character)
        write(number)
    }
}
