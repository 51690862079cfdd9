import BelfryPlugin

/// One limit in force: so many per window.
struct Limit: Sendable {
    let max: Int
    let window: Window
    var counts = Counts.created
    /// The sentence of a denial, prepared: a check builds no text.
    let message: String

    enum Window: Sendable {
        /// Every stretch of this length, half-open: one that is aged exactly the period no longer counts.
        case rolling(Duration)
        /// Windows of this length, each opened by the first creation after the one before.
        case fixed(Duration)
        /// An even rate, in µs from one to the next, with so many at once beyond one.
        case rate(interval: Int64, burst: Int)
        case calendar(Calendar)
        case lifetime
        /// Nothing fits in.
        case never
    }

    enum Counts: String, ParameterChoice {
        case created, delivered
    }

    enum Calendar: String, ParameterChoice {
        case day, week, month
    }

    enum Algorithm: String, ParameterChoice {
        case rolling, fixed, gcra
    }

    /// Whether one that failed can be taken out of it again.
    var isCountedByCreations: Bool {
        switch window {
        case .fixed, .rate: false
        default: true
        }
    }

    var needsLocalTime: Bool {
        if case .calendar = window { true } else { false }
    }
}

extension Limit {
    init(max: Int, period: Duration, algorithm: Algorithm, burst: Int) {
        let used = Self.used(max, "in \(period)")
        switch algorithm {
        case .rolling: self.init(max: max, .rolling(period), used)
        case .fixed: self.init(max: max, .fixed(period), used)
        case .gcra:
            let interval = microseconds(period.milliseconds) / Int64(Swift.max(max, 1))
            self.init(max: max, .rate(interval: interval, burst: burst), "the rate of \(max) in \(period) is used up")
        }
    }

    init(max: Int, calendar: Calendar) {
        self.init(
            max: max, .calendar(calendar), Self.used(max, calendar == .day ? "today" : "this \(calendar.rawValue)"))
    }

    init(lifetime max: Int) {
        self.init(max: max, .lifetime, Self.used(max, "in all"))
    }

    private init(max: Int, _ window: Window, _ message: String) {
        self.max = max
        self.window = max == 0 ? .never : window
        self.message = max == 0 ? "none is allowed: the maximum is 0" : message
    }

    private static func used(_ max: Int, _ words: String) -> String {
        "\(max) of \(max) \(words) \(max == 1 ? "is" : "are") used"
    }
}

extension Limit {
    /// When there is room for one more.
    enum Room {
        case now
        case from(Instant)
        case never

        init(from instant: Instant, now: Instant) {
            self = now < instant ? .from(instant) : .now
        }
    }

    func room(in usage: Usage, context: Context) -> Room {
        let now = context.now
        switch window {
        case .never: return .never
        case .lifetime: return usage.total(counts) < max ? .now : .never
        case .rolling(let period):
            guard let oldest = usage.creation(max, counts) else { return .now }
            return Room(from: oldest + period, now: now)
        case .fixed(let period):
            let window = usage.fixedWindow(period)
            return window.count < max ? .now : Room(from: window.end, now: now)
        case .rate(let interval, let burst):
            return Room(from: usage.arrivals(interval).free(burst: burst), now: now)
        case .calendar(let calendar):
            guard let oldest = usage.creation(max, counts) else { return .now }
            let (start, end) = calendar.window(at: now, zone: context.zone)
            return oldest < start ? .now : .from(end)
        }
    }
}

extension Limit.Calendar {
    /// The day, week or month around an instant, from its first existing instant to that of the next.
    func window(at instant: Instant, zone: Zone) -> (start: Instant, end: Instant) {
        let day = zone.localDay(at: instant)
        let (first, length) = stretch(of: day)
        return (zone.startOfDay(first), zone.startOfDay(first + length))
    }

    private func stretch(of day: Int64) -> (first: Int64, length: Int64) {
        switch self {
        case .day: return (day, 1)
        case .week: return (day - Int64(CivilDate.Weekday(dayNumber: day).rawValue), 7)
        case .month:
            let date = CivilDate(dayNumber: day)
            return (day - Int64(date.day - 1), Int64(CivilDate.days(inMonth: date.month, of: date.year)))
        }
    }
}
