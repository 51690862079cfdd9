import BelfryModel

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). Two other forms are read as well, as all
/// recipients have to: `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850) and `Sun Nov  6 08:49:37 1994` (asctime).
extension Instant {
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Nil if it is no such date.
    ///
    /// - Parameter now: says which century a year of two digits is in.
    init?(httpDate text: String, now: Instant = .wallClock) {
        let words = text.split { " ,-".contains($0) }
        let parts: (day: Substring, month: Substring, year: Substring, clock: Substring)
        switch words.count {
        case 6 where words[5] == "GMT": parts = (words[1], words[2], words[3], words[4])
        case 5: parts = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        guard let month = Self.months.firstIndex(of: String(parts.month)), let day = Int(parts.day),
            let year = Self.year(parts.year, now), let seconds = Self.seconds(parts.clock),
            let date = CivilDate(year: year, month: month + 1, day: day)
        else { return nil }
        self.init(milliseconds: date.dayNumber * CivilDate.millisecondsPerDay + seconds * 1000)
    }

    private static func year(_ text: Substring, _ now: Instant) -> Int? {
        guard var year = Int(text), 0...9999 ~= year else { return nil }
        if text.utf8.count == 2 {
            // At most 50 years from now.
            let today = CivilDate(dayNumber: CivilDate.split(milliseconds: now.milliseconds).dayNumber)
            let latest = today.year + 50
            year = latest - (latest - year) % 100
        }
        return year > 0 ? year : nil
    }

    private static func seconds(_ text: Substring) -> Int64? {
        let clock = text.split(separator: ":").compactMap { Int64($0) }
        // It comes from outside: any number may stand there. A leap second has the number 60.
        guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else { return nil }
        return (clock[0] * 60 + clock[1]) * 60 + clock[2]
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
