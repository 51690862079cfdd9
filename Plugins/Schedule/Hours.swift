import BelfryPlugin

/// The hours of a day, in milliseconds since its midnight. They may go on into the next day, and still belong to this one.
struct Hours: Sendable {
    /// In order, with something between them; each starts before 24:00 and ends before 48:00.
    private let windows: [Range<Int64>]
    /// Exactly from midnight to midnight.
    let isWholeDay: Bool

    private static let day = CivilDate.millisecondsPerDay

    /// The whole day.
    init() {
        self.init([0..<Self.day])
    }

    /// - Parameter windows: at least one; those that overlap or touch are put together.
    init(_ windows: [Range<Int64>]) {
        var merged: [Range<Int64>] = []
        for window in windows.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, window.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, window.upperBound)
            } else {
                merged.append(window)
            }
        }
        self.windows = merged
        isWholeDay = merged == [0..<Self.day]
    }

    /// Day after day they leave nothing out.
    var isRoundTheClock: Bool { windows.count == 1 && windows[0].count >= Self.day }

    /// Nil if there are several.
    var onlyWindow: Range<Int64>? { windows.count == 1 ? windows[0] : nil }

    var firstStart: Int64 { windows[0].lowerBound }

    /// When those end that are open at that time of the same day.
    func end(of time: Int64) -> Int64? {
        windows.first { $0.contains(time) }?.upperBound
    }

    /// When those of the day before end that are open at that time, counted from that day's midnight. Only the last ones
    /// can go on past midnight, since all start before it and none overlap.
    func end(afterMidnight time: Int64) -> Int64? {
        let last = windows[windows.count - 1].upperBound
        return time + Self.day < last ? last : nil
    }

    func start(after time: Int64) -> Int64? {
        windows.first { $0.lowerBound > time }?.lowerBound
    }
}

extension Hours {
    /// Reads `HH:MM-HH:MM`; nil if the text is no such range. The start is before 24:00, the end is another time; one that
    /// is earlier than the start is that of the next day.
    static func window(_ text: String) -> Range<Int64>? {
        let bytes = Array(text.utf8)
        guard bytes.count == 11, bytes[5] == UInt8(ascii: "-"),
            let start = time(bytes[0..<5]), let end = time(bytes[6..<11]), start < day, start != end
        else { return nil }
        return start..<(end > start ? end : end + day)
    }

    /// `HH:MM`, up to 24:00.
    private static func time(_ text: ArraySlice<UInt8>) -> Int64? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let hour = pair(parts[0]), let minute = pair(parts[1]), minute < 60 else { return nil }
        let minutes = hour * 60 + minute
        return minutes <= 24 * 60 ? minutes * 60_000 : nil
    }

    private static func pair(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.count == 2, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
