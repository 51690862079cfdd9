import BelfryModel

extension Instant {
    /// `10:05`, `10:05:30` or `10:05:00.001` of the town's day; `+1 10:05` of the day after.
    init(clock text: String) {
        let parts = text.split(separator: " ")
        let days = parts.count == 2 ? Int64(parts[0].dropFirst())! : 0
        let time = parts.last!
        let full = time.split(separator: ":").count == 2 ? "\(time):00" : "\(time)"
        guard let instant = Instant(rfc3339: "2026-03-02T\(full)Z") else { preconditionFailure("'\(text)' is no time") }
        self = instant + .days(days)
    }

    /// The same the other way round.
    var clock: String {
        let days = (self - Instant(clock: "00:00")).milliseconds / Duration.days(1).milliseconds
        var text = "\(self - .days(days))".dropFirst("2026-03-02T".count).dropLast()
        if text.hasSuffix(":00") { text = text.dropLast(3) }
        return days == 0 ? "\(text)" : "+\(days) \(text)"
    }
}
