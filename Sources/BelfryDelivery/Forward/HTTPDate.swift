import BelfryModel

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). Of the three forms, this is the one that
/// may still be written.
extension Instant {
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Nil if it is no such date.
    init?(httpDate text: String) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", words[0].last == ",",
            let month = Self.months.firstIndex(of: String(words[2])),
            let year = Int(words[3]), 1...9999 ~= year, let day = Int(words[1]),
            let date = CivilDate(year: year, month: month + 1, day: day)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int64($0) }
        // It comes from outside: any number may stand there. A leap second has the number 60.
        guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else { return nil }
        let seconds = (clock[0] * 60 + clock[1]) * 60 + clock[2]
        self.init(milliseconds: date.dayNumber * CivilDate.millisecondsPerDay + seconds * 1000)
    }

    /// To the second.
    public var httpDate: String {
        let (dayNumber, millisecond) = CivilDate.split(milliseconds: milliseconds)
        let date = CivilDate(dayNumber: dayNumber)
        let second = millisecond / 1000
        let clock = [second / 3600, second / 60 % 60, second % 60].map(Self.twoDigits).joined(separator: ":")
        let weekday = Self.weekdays[date.weekday.rawValue]
        return "\(weekday), \(Self.twoDigits(Int64(date.day))) \(Self.months[date.month - 1]) \(date.year) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
