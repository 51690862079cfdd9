import BelfryPlugin

/// What was created for one subject and counter: the state.
///
/// Sets of parameters can share a counter (a campaign with its own `max`, say), and each creation counts for all of them.
/// So the state is facts that serve any of them:
///
/// - the newest creations, as many as the largest `max` that was in force needs, and never fewer than 100, so that another
///   set of parameters finds its past when it is first used. Rolling and calendar windows are read from them exactly.
/// - how many there were in all
/// - the windows of each period with `fixed`, and the rate of each interval with `gcra`, since these depend on more of the
///   past than is kept. One that is used for the first time is made from the newest creations.
struct Usage: StrategyState {
    private(set) var total: Int64 = 0
    /// The newest creations in ms, oldest first.
    private var creations: [Int64] = []
    /// How many of them are kept.
    private var kept = Self.leastKept
    private static let leastKept = 100
    private var fixedWindows: [FixedWindow] = []
    private var rates: [Arrivals] = []

    /// More periods than this on one counter are most likely left over from earlier configurations.
    private static let windowsKept = 8

    /// The `count`-th newest creation; nil if there were fewer.
    func creation(_ count: Int) -> Instant? {
        count > creations.count ? nil : Instant(milliseconds: creations[creations.count - count])
    }

    func fixedWindow(_ period: Duration) -> FixedWindow {
        fixedWindows.first { $0.period == period.milliseconds }
            ?? creations.reduce(into: FixedWindow(period: period.milliseconds)) { $0.add($1) }
    }

    func arrivals(_ interval: Int64) -> Arrivals {
        rates.first { $0.interval == interval }
            ?? creations.reduce(into: Arrivals(interval: interval)) { $0.add($1) }
    }

    mutating func record(_ instant: Instant, limits: [Limit]) {
        for limit in limits { prepare(for: limit) }
        let now = max(instant.milliseconds, creations.last ?? .min)  // a late clock never goes backwards
        total += 1
        creations.append(now)
        if creations.count > kept { creations.removeFirst(creations.count - kept) }
        for index in fixedWindows.indices { fixedWindows[index].add(now) }
        for index in rates.indices { rates[index].add(now) }
    }

    private mutating func prepare(for limit: Limit) {
        switch limit.window {
        case .rolling, .calendar: kept = max(kept, limit.max)
        case .fixed(let period):
            let window = fixedWindow(period)
            Self.keep(window, in: &fixedWindows) { $0.period == window.period }
        case .rate(let interval, _):
            let arrivals = arrivals(interval)
            Self.keep(arrivals, in: &rates) { $0.interval == interval }
        case .lifetime, .never: break
        }
    }

    private static func keep<Window>(_ window: Window, in windows: inout [Window], isSame: (Window) -> Bool) {
        if windows.contains(where: isSame) { return }
        if windows.count == windowsKept { windows.removeFirst() }
        windows.append(window)
    }
}

extension Usage {
    mutating func load(from reader: StateReader) {
        total = reader.integer("total") ?? 0
        creations = reader.integers("creations") ?? []
        kept = max(kept, Int(reader.integer("kept") ?? 0))
        fixedWindows = rows(of: 3, in: reader.integers("fixedWindows")).map {
            FixedWindow(period: $0[0], openedAt: $0[1], count: $0[2])
        }
        rates = rows(of: 2, in: reader.integers("rates")).map { Arrivals(interval: $0[0], next: $0[1]) }
    }

    func save(to writer: StateWriter) {
        guard total > 0 else { return }
        writer.set("total", total)
        writer.set("creations", creations)
        if kept > Self.leastKept { writer.set("kept", Int64(kept)) }
        if !fixedWindows.isEmpty {
            writer.set("fixedWindows", fixedWindows.flatMap { [$0.period, $0.openedAt, $0.count] })
        }
        if !rates.isEmpty { writer.set("rates", rates.flatMap { [$0.interval, $0.next] }) }
    }

    /// A list of integers as rows of that many; an incomplete one at the end is left out.
    private func rows(of width: Int, in integers: [Int64]?) -> [[Int64]] {
        guard let integers else { return [] }
        return (0..<integers.count / width).map { Array(integers[$0 * width..<($0 + 1) * width]) }
    }
}
