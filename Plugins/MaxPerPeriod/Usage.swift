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
///
/// Every subject has one, and nearly nothing was created for most of them: it is three words, and only the first of them is used as
/// long as nothing more than one was created.
struct Usage: StrategyState {
    /// The newest creation in ms; `.min` as long as there is none.
    private var newest = Int64.min
    /// The newest ones before it in ms, oldest first.
    private var earlier: [Int64] = []
    private var box: Box?

    /// What most do without.
    private struct Rest {
        /// How many creations are not kept any more.
        var forgotten: Int64 = 0
        /// How many of them are kept.
        var kept = Usage.leastKept
        var fixedWindows: [FixedWindow] = []
        var rates: [Arrivals] = []

        var isInitial: Bool {
            forgotten == 0 && kept == Usage.leastKept && fixedWindows.isEmpty && rates.isEmpty
        }
    }

    private final class Box {
        var rest: Rest

        init(_ rest: Rest) { self.rest = rest }
    }

    private static let leastKept = 100

    /// More periods than this on one counter are most likely left over from earlier configurations.
    private static let windowsKept = 8

    private var rest: Rest {
        get { box?.rest ?? Rest() }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(rest) }
            yield &box!.rest  // made above
        }
    }

    private var count: Int { newest == .min ? 0 : earlier.count + 1 }
    private var kept: Int { box?.rest.kept ?? Self.leastKept }
    private var creations: [Int64] { newest == .min ? [] : earlier + [newest] }

    /// How many there were in all.
    var total: Int64 { Int64(count) + (box?.rest.forgotten ?? 0) }

    /// The `count`-th newest creation; nil if there were fewer.
    func creation(_ count: Int) -> Instant? {
        guard count <= self.count else { return nil }
        return Instant(milliseconds: count == 1 ? newest : earlier[earlier.count + 1 - count])
    }

    func fixedWindow(_ period: Duration) -> FixedWindow {
        rest.fixedWindows.first { $0.period == period.milliseconds }
            ?? creations.reduce(into: FixedWindow(period: period.milliseconds)) { $0.add($1) }
    }

    func arrivals(_ interval: Int64) -> Arrivals {
        rest.rates.first { $0.interval == interval }
            ?? creations.reduce(into: Arrivals(interval: interval)) { $0.add($1) }
    }

    mutating func record(_ instant: Instant, limits: [Limit]) {
        for limit in limits { prepare(for: limit) }
        add(max(instant.milliseconds, newest))  // a late clock never goes backwards
    }

    private mutating func add(_ now: Int64) {
        if newest != .min { earlier.append(newest) }
        newest = now
        forgetOldest()
        if box == nil { return }
        for index in rest.fixedWindows.indices { rest.fixedWindows[index].add(now) }
        for index in rest.rates.indices { rest.rates[index].add(now) }
    }

    private mutating func forgetOldest() {
        let surplus = count - kept
        guard surplus > 0 else { return }
        earlier.removeFirst(surplus)
        rest.forgotten += Int64(surplus)
    }

    private mutating func prepare(for limit: Limit) {
        switch limit.window {
        case .rolling, .calendar: if limit.max > kept { rest.kept = limit.max }
        case .fixed(let period):
            let window = fixedWindow(period)
            Self.keep(window, in: &rest.fixedWindows) { $0.period == window.period }
        case .rate(let interval, _):
            let arrivals = arrivals(interval)
            Self.keep(arrivals, in: &rest.rates) { $0.interval == interval }
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
        earlier = reader.integers("creations") ?? []
        newest = earlier.popLast() ?? .min
        var rest = Rest()
        rest.forgotten = max(0, (reader.integer("total") ?? 0) - Int64(count))
        rest.kept = max(rest.kept, Int(reader.integer("kept") ?? 0))
        rest.fixedWindows = rows(of: 3, in: reader.integers("fixedWindows")).map {
            FixedWindow(period: $0[0], openedAt: $0[1], count: $0[2])
        }
        rest.rates = rows(of: 2, in: reader.integers("rates")).map { Arrivals(interval: $0[0], next: $0[1]) }
        if !rest.isInitial { box = Box(rest) }
    }

    func save(to writer: StateWriter) {
        guard total > 0 else { return }
        writer.set("total", total)
        writer.set("creations", creations)
        guard let rest = box?.rest else { return }
        if rest.kept > Self.leastKept { writer.set("kept", Int64(rest.kept)) }
        if !rest.fixedWindows.isEmpty {
            writer.set("fixedWindows", rest.fixedWindows.flatMap { [$0.period, $0.openedAt, $0.count] })
        }
        if !rest.rates.isEmpty { writer.set("rates", rest.rates.flatMap { [$0.interval, $0.next] }) }
    }

    /// A list of integers as rows of that many; an incomplete one at the end is left out.
    private func rows(of width: Int, in integers: [Int64]?) -> [[Int64]] {
        guard let integers else { return [] }
        return (0..<integers.count / width).map { Array(integers[$0 * width..<($0 + 1) * width]) }
    }
}
