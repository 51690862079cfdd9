import BelfryPlugin

/// A period as it is written. All that is given must hold; of each list, one value.
struct PeriodParameters: ParameterList {
    var from: String?
    var until: String?
    var weekdays: [Weekday]?
    var hours: [String]?
    var daysOfMonth: [Int]?
    var months: [Int]?
    var years: [Int]?
    var timeZone: String?

    enum Weekday: String, ParameterChoice {
        case mon, tue, wed, thu, fri, sat, sun

        /// In `DayPattern.weekdays`, which begin on Monday too.
        var bit: UInt8 { 1 << UInt8(Self.allCases.firstIndex(of: self)!) }  // it is one of all cases
    }

    static var parameters: [Parameter<Self>] {
        [
            .optional(
                "from", \.from,
                "the first day, such as 2026-03-02, or the first instant, such as 2026-03-02T09:00:00+01:00 or, in the zone "
                    + "of the period, 2026-03-02T09:00"),
            .optional("until", \.until, "the last day, or the first instant that is no longer in it"),
            .optional("weekdays", \.weekdays, "days of the week, of its start for hours past midnight"),
            .optional(
                "hours", \.hours,
                "such as 09:00-17:30, without the end; 22:00-02:00 goes past midnight, and 24:00 is an end only"),
            .optional("daysOfMonth", \.daysOfMonth, "1 to 31, or from the end of the month -1 to -31"),
            .optional("months", \.months, "1 (January) to 12"),
            .optional("years", \.years, "such as 2026"),
            .optional("timeZone", \.timeZone, "such as Europe/Amsterdam; default: the subject's"),
        ]
    }
}

extension PeriodParameters {
    /// - Parameter place: where it stands in the parameters, for sentences about what is wrong.
    /// - Returns: any period where something is wrong, which is noted.
    func period(_ host: Host, _ place: String, _ complaints: inout Complaints) -> Period {
        var days = days(place, &complaints)
        let hours = hours.flatMap { Self.hours($0, place, &complaints) }
        let zone = timeZone.flatMap { name in
            complaints.reading { () throws(StrategyError) in try Self.zone(name, host, place) }
        }
        let bounds = limit(&days, place, &complaints)
        return Period(days: days, hours: hours ?? Hours(), bounds: bounds ?? Period.Bounds(), zone: zone)
    }

    private func days(_ place: String, _ complaints: inout Complaints) -> DayPattern {
        var days = DayPattern()
        if let weekdays, Self.check(weekdays, "\(place).weekdays", "a day of the week", &complaints, { _ in true }) {
            days.weekdays = weekdays.reduce(0) { $0 | $1.bit }
        }
        let dayOfMonth = "a day of the month: 1 to 31, or -1 (the last) to -31"
        if let daysOfMonth,
            Self.check(daysOfMonth, "\(place).daysOfMonth", dayOfMonth, &complaints, Self.isDayOfMonth)
        {
            days.limit(toDaysOfMonth: daysOfMonth)
        }
        if let months,
            Self.check(months, "\(place).months", "a month: 1 (January) to 12", &complaints, (1...12).contains)
        {
            days.months = months.reduce(0) { $0 | 1 << $1 }
        }
        let year = "a year of four digits, such as 2026"
        if let years, Self.check(years, "\(place).years", year, &complaints, (1000...9999).contains) {
            days.years = years.sorted()
        }
        return days
    }

    private static func isDayOfMonth(_ day: Int) -> Bool { (1...31).contains(day) || (-31...(-1)).contains(day) }

    /// - Returns: whether all values are right; what is wrong is noted.
    private static func check<Element>(
        _ values: [Element], _ place: String, _ expected: String, _ complaints: inout Complaints,
        _ isRight: (Element) -> Bool
    ) -> Bool {
        if values.isEmpty { complaints.add("\(place) is empty; list at least one, or leave it out for all") }
        let wrong = values.filter { !isRight($0) }
        for value in wrong { complaints.add("\(place): \(quoted(value)) should be \(expected)") }
        return !values.isEmpty && wrong.isEmpty
    }

    private static func quoted(_ value: some Any) -> String {
        (value as? String).map { "'\($0)'" } ?? "\(value)"
    }

    private static func hours(_ texts: [String], _ place: String, _ complaints: inout Complaints) -> Hours? {
        let expected =
            "two different times such as 09:00-17:30 or, past midnight, 22:00-02:00; 24:00 can be the end only"
        let areRight = check(texts, "\(place).hours", expected, &complaints) { Hours.window($0) != nil }
        return areRight ? Hours(texts.compactMap(Hours.window)) : nil
    }

    private static func zone(_ name: String, _ host: Host, _ place: String) throws(StrategyError) -> Zone {
        guard let zone = host.zone(named: name) else {
            throw StrategyError("\(place).timeZone: '\(name)' should be a known time zone, such as Europe/Amsterdam")
        }
        return zone
    }
}

// MARK: From and until

extension PeriodParameters {
    /// What `from` and `until` say.
    private enum Bound {
        case day(Int64)
        case time(TimeBound)
    }

    /// Limits the range of days, and says what it cannot; nil if something is wrong.
    private func limit(_ days: inout DayPattern, _ place: String, _ complaints: inout Complaints) -> Period.Bounds? {
        // Both are read, whatever is wrong with the first.
        let from = complaints.reading { () throws(StrategyError) in try Self.bound(self.from, "\(place).from") }
        let until = complaints.reading { () throws(StrategyError) in try Self.bound(self.until, "\(place).until") }
        guard let from, let until else { return nil }
        return complaints.reading { () throws(StrategyError) in try limit(&days, from, until, place) }
    }

    private func limit(
        _ days: inout DayPattern, _ from: Bound?, _ until: Bound?, _ place: String
    ) throws(StrategyError) -> Period.Bounds {
        var bounds = Period.Bounds()
        var range = DayPattern.allDays
        switch from {
        case .day(let day)?: range = day...range.upperBound
        case .time(let time)?: bounds.opens = time
        case nil: break
        }
        switch until {
        case .day(let day)? where day < range.lowerBound: throw reversed(place)
        case .day(let day)?: range = range.lowerBound...day
        case .time(let time)?: bounds.closes = time
        case nil: break
        }
        days.range = range
        if isReversed(bounds, range) { throw reversed(place) }
        return bounds
    }

    private static func bound(_ text: String?, _ place: String) throws(StrategyError) -> Bound? {
        guard let text else { return nil }
        if let midnight = Instant(rfc3339: "\(text)T00:00:00Z") { return .day(midnight.wall.split.day) }
        if let instant = Instant(rfc3339: text) { return .time(.instant(instant)) }
        if let local = Instant(rfc3339: "\(text)Z") ?? Instant(rfc3339: "\(text):00Z") {
            return .time(.wall(local.wall))
        }
        throw StrategyError(
            "\(place): '\(text)' should be a date such as 2026-03-02, or a time such as 2026-03-02T09:00:00+01:00 or, "
                + "in the zone of the period, 2026-03-02T09:00")
    }

    /// As far as that can be said without a zone. A first day may be the one that `until` lies in.
    private func isReversed(_ bounds: Period.Bounds, _ days: ClosedRange<Int64>) -> Bool {
        switch (bounds.opens, bounds.closes) {
        case (.instant(let opens)?, .instant(let closes)?): closes <= opens
        case (.wall(let opens)?, .wall(let closes)?): closes <= opens
        case (nil, .wall(let closes)?): closes <= WallTime(day: days.lowerBound, 0)
        case (.wall(let opens)?, nil): opens >= WallTime(day: days.upperBound + 1, 0)
        default: false
        }
    }

    private func reversed(_ place: String) -> StrategyError {
        StrategyError(
            "\(place): it ends ('\(until ?? "")') before it begins ('\(from ?? "")'); 'until' should be later")
    }
}

extension Instant {
    /// The wall clock that was read as if it were UTC.
    fileprivate var wall: WallTime { WallTime(milliseconds: milliseconds) }
}
