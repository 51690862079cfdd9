/// Writes instants as text, one after the other (RFC 3339, section 5.6).
///
/// The instants of a decision, and of those before and after it, are mostly of one day: the text of the last day is kept.
struct InstantWriter {
    /// No instant is of the first one.
    private var dayNumber = Int64.min
    /// `2026-03-02T`: eight bytes and three.
    private var date: (UInt64, UInt32) = (0, 0)
    private static let dateLength = 11

    mutating func append(_ instant: Instant, to buffer: inout GrowingBuffer) {
        let (dayNumber, millisecondOfDay) = CivilDate.split(milliseconds: instant.milliseconds)
        if dayNumber == self.dayNumber { appendDate(to: &buffer) } else { append(dayNumber, to: &buffer) }
        Self.append(millisecondOfDay: UInt32(millisecondOfDay), to: &buffer)
    }

    /// Appends the last date again.
    private func appendDate(to buffer: inout GrowingBuffer) {
        buffer.append(atMost: 12) { place in
            UnsafeMutableRawPointer(place).storeBytes(of: date.0, as: UInt64.self)
            UnsafeMutableRawPointer(place + 8).storeBytes(of: date.1, as: UInt32.self)
            return Self.dateLength
        }
    }

    private mutating func append(_ dayNumber: Int64, to buffer: inout GrowingBuffer) {
        let start = buffer.count
        let date = CivilDate(dayNumber: dayNumber)
        if date.year < 0 || date.year > 9_999 { return Self.append(extended: date, to: &buffer) }
        buffer.append(atMost: 12) { place in
            var writer = DigitWriter(place: place)
            writer.write(UInt32(date.year / 100))
            writer.write(UInt32(date.year % 100))
            writer.write(date)
            writer.write("\0")  // the three bytes are kept as four
            return Self.dateLength
        }
        let bytes = UnsafeRawPointer(buffer.raw(from: start).baseAddress!)  // something was written
        self.date = (bytes.loadUnaligned(as: UInt64.self), (bytes + 8).loadUnaligned(as: UInt32.self))
        self.dayNumber = dayNumber
    }

    /// Outside the years that RFC 3339 can say, as ECMAScript does it.
    private static func append(extended date: CivilDate, to buffer: inout GrowingBuffer) {
        let digits = String(date.year.magnitude)
        buffer.append(UInt8(ascii: date.year < 0 ? "-" : "+"))
        for _ in 0..<max(0, 6 - digits.utf8.count) { buffer.append(UInt8(ascii: "0")) }
        buffer.append(digits)
        buffer.append(atMost: 7) { place in
            var writer = DigitWriter(place: place)
            writer.write(date)
            return writer.count
        }
    }

    private static func append(millisecondOfDay: UInt32, to buffer: inout GrowingBuffer) {
        let (second, millisecond) = millisecondOfDay.quotientAndRemainder(dividingBy: 1_000)
        let (minute, hour) = (second / 60, second / 3_600)
        buffer.append(atMost: 13) { place in
            var writer = DigitWriter(place: place)
            writer.write(hour)
            writer.write(":", minute - hour * 60)
            writer.write(":", second - minute * 60)
            if millisecond != 0 {
                writer.write(".", millisecond / 10)
                writer.write(digit: millisecond % 10)
            }
            writer.write("Z")
            return writer.count
        }
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
