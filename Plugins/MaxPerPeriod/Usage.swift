import BelfryPlugin

/// What was created for one subject and counter: the state.
///
/// Sets of parameters can share a counter (a campaign with its own `max`, say), and each creation counts for all of them.
/// So the state is facts that serve any of them:
///
/// - the newest creations, as many as the largest `max` that was in force needs, and never fewer than 100, so that another
///   set of parameters finds its past when it is first used. Rolling and calendar windows are read from them exactly.
/// - how many there were in all
/// - which of the newest were not delivered, for limits that count what was
/// - the windows of each period with `fixed`, and the rate of each interval with `gcra`, since these depend on more of the
///   past than is kept. One that is used for the first time is made from the newest creations.
struct Usage: StrategyState {
    /// The newest ones, oldest first.
    private var creations = StateList<Instant>()
    /// How many before them are not kept any more, if any.
    private var forgotten: Int64?
    /// How many of them are kept; nil: as many as of every subject.
    private var kept: Int64?
    /// Period, opening and count of each.
    private var fixedWindows = StateList<Int64>()
    /// Interval and next arrival of each.
    private var rates = StateList<Int64>()

    /// When each that was not delivered was created, and the digest of its id.
    private var failures = StateList<Int64>()
    /// How many were not delivered, in all.
    private var failed: Int64?

    private static let leastKept: Int64 = 100

    /// More periods than this on one counter are most likely left over from earlier configurations.
    private static let windowsKept = 8

    init() {}

    static var fields: [StateField<Usage>] {
        [
            StateField("creations", \.creations, "the newest ones that were created"),
            StateField("forgotten", \.forgotten, "how many there were before these"),
            StateField("kept", \.kept, "how many of them are kept, if it is more than 100"),
            StateField("fixedWindows", \.fixedWindows, "period, opening and count of each fixed window", unit: "ms"),
            StateField("rates", \.rates, "interval and next arrival of each rate", unit: "µs"),
            StateField("failures", \.failures, "creation in ms and digest of each that was not delivered"),
            StateField("failed", \.failed, "how many were not delivered in all"),
        ]
    }

    /// How many there were in all.
    var total: Int64 { Int64(creations.count) + (forgotten ?? 0) }

    /// The `count`-th newest creation; nil if there were fewer.
    func creation(_ count: Int) -> Instant? {
        count <= creations.count ? creations[creations.count - count] : nil
    }

    func total(_ counts: Limit.Counts) -> Int64 { counts == .created ? total : total - (failed ?? 0) }

    /// The same of those that count.
    func creation(_ count: Int, _ counts: Limit.Counts) -> Instant? {
        if counts == .created || failures.isEmpty { return creation(count) }
        var (rest, failures) = (count, failedCreations)
        for creation in creations.reversed() {
            if let failure = failures.lastIndex(of: creation) {
                failures.remove(at: failure)
            } else if rest == 1 {
                return creation
            } else {
                rest -= 1
            }
        }
        return nil
    }

    func fixedWindow(_ period: Duration) -> FixedWindow {
        windows.first { $0.period == period.milliseconds }
            ?? creations.reduce(into: FixedWindow(period: period.milliseconds)) { $0.add($1.milliseconds) }
    }

    func arrivals(_ interval: Int64) -> Arrivals {
        arrivals.first { $0.interval == interval }
            ?? creations.reduce(into: Arrivals(interval: interval)) { $0.add($1.milliseconds) }
    }

    mutating func record(limits: [Limit], _ context: Context) {
        for limit in limits { prepare(for: limit, context) }
        let now = max(context.now, creations.last ?? .distantPast)  // a late clock never goes backwards
        creations.append(now, in: context)
        let size = Int(kept ?? Self.leastKept)
        // Room for as many that count, and bounded even if all fail.
        let surplus = creations.count - size - min(failures.count / 2, size)
        if surplus > 0 {
            if !failures.isEmpty { forgetFailures(of: creations.prefix(surplus), context) }
            creations.removeFirst(surplus)
            forgotten = (forgotten ?? 0) + Int64(surplus)
        }
        if !fixedWindows.isEmpty { change(windows, context) { $0.add(now.milliseconds) } }
        if !rates.isEmpty { change(arrivals, context) { $0.add(now.milliseconds) } }
    }

    /// One that was created then was not delivered. Told again, or of one that is not kept, it changes nothing.
    mutating func fail(_ notification: String, createdAt: Instant, _ context: Context) {
        let digest = Self.digest(of: notification)
        let places = creations.count { $0 == createdAt } - failedCreations.count { $0 == createdAt }
        guard places > 0, !failedDigests.contains(digest) else { return }
        failures.set(failures + [createdAt.milliseconds, digest], in: context)
        failed = (failed ?? 0) + 1
    }

    /// FNV-1a: tells the ids of a hundred notifications from one another.
    private static func digest(of id: String) -> Int64 {
        Int64(bitPattern: id.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    }

    private var failedCreations: [Instant] {
        stride(from: 0, to: failures.count - 1, by: 2).map { Instant(milliseconds: failures[$0]) }
    }

    private var failedDigests: [Int64] { stride(from: 1, to: failures.count, by: 2).map { failures[$0] } }

    private mutating func forgetFailures(of creations: some Sequence<Instant>, _ context: Context) {
        var kept = Array(zip(failedCreations, failedDigests))
        for creation in creations {
            if let failure = kept.firstIndex(where: { $0.0 == creation }) { kept.remove(at: failure) }
        }
        if kept.count * 2 < failures.count { failures.set(kept.flatMap { [$0.0.milliseconds, $0.1] }, in: context) }
    }

    private mutating func prepare(for limit: Limit, _ context: Context) {
        switch limit.window {
        case .rolling, .calendar: if limit.max > kept ?? Self.leastKept { kept = Int64(limit.max) }
        case .fixed(let period):
            if windows.contains(where: { $0.period == period.milliseconds }) { return }
            set((windows + [fixedWindow(period)]).suffix(Self.windowsKept), context)
        case .rate(let interval, _):
            if arrivals.contains(where: { $0.interval == interval }) { return }
            set((arrivals + [arrivals(interval)]).suffix(Self.windowsKept), context)
        case .lifetime:
            // What was not delivered is looked for among those that are kept.
            if limit.counts == .delivered, limit.max > kept ?? Self.leastKept { kept = Int64(limit.max) }
        case .never: break
        }
    }

    // MARK: Rows

    private var windows: [FixedWindow] {
        stride(from: 0, to: fixedWindows.count - 2, by: 3).map {
            FixedWindow(period: fixedWindows[$0], openedAt: fixedWindows[$0 + 1], count: fixedWindows[$0 + 2])
        }
    }

    private var arrivals: [Arrivals] {
        stride(from: 0, to: rates.count - 1, by: 2).map { Arrivals(interval: rates[$0], next: rates[$0 + 1]) }
    }

    private mutating func set(_ windows: some Sequence<FixedWindow>, _ context: Context) {
        fixedWindows.set(windows.flatMap { [$0.period, $0.openedAt, $0.count] }, in: context)
    }

    private mutating func set(_ arrivals: some Sequence<Arrivals>, _ context: Context) {
        rates.set(arrivals.flatMap { [$0.interval, $0.next] }, in: context)
    }

    private mutating func change(_ windows: [FixedWindow], _ context: Context, _ body: (inout FixedWindow) -> Void) {
        var windows = windows
        for index in windows.indices { body(&windows[index]) }
        set(windows, context)
    }

    private mutating func change(_ arrivals: [Arrivals], _ context: Context, _ body: (inout Arrivals) -> Void) {
        var arrivals = arrivals
        for index in arrivals.indices { body(&arrivals[index]) }
        set(arrivals, context)
    }
}
