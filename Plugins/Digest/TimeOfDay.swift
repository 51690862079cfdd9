import BelfryPlugin

/// What the clock on the wall shows, whatever the day.
struct TimeOfDay: Sendable {
    /// Since midnight, in ms.
    private let milliseconds: Int64

    /// Reads `09:00`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hour = Int64(parts[0]), let minute = Int64(parts[1]), hour < 24, minute < 60
        else { return nil }
        milliseconds = (hour * 60 + minute) * 60_000
    }

    /// The first instant after another at which the clock shows it.
    func first(after now: Instant, in zone: Zone) -> Instant {
        var day = zone.localDay(at: now)
        while true {
            if let instant = first(on: day, in: zone), instant > now { return instant }
            day += 1
        }
    }

    /// The first of two; of a time that the day lacks, the end of the gap. Nil on a day that the zone skipped.
    private func first(on day: Int64, in zone: Zone) -> Instant? {
        let shown = Instant(milliseconds: day * CivilDate.millisecondsPerDay + milliseconds)
        let end = zone.startOfDay(day + 1)
        var start = zone.startOfDay(day)
        if start == end { return nil }
        while start < end {
            let instant = shown - .milliseconds(Int64(zone.offset(at: start)) * 1000)
            if instant <= start { return start }
            guard let next = zone.nextTransition(after: start), next <= instant else { return instant }
            start = next
        }
        // The gap goes up to the next day.
        return end
    }
}
