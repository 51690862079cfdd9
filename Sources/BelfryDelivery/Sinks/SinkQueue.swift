import BelfryEngine
import BelfryModel
import DequeModule
import HeapModule

/// What a sink is to be given: which item may begin now, and what follows from how it ended.
///
/// Each subject has a lane, in order; one that failed holds back its lane only. It knows no clock, network or journal: times are handed in, as
/// the time since any start.
struct SinkQueue {
    /// What is kept in memory at most; the journal has the rest.
    private static let (itemLimit, byteLimit) = (100_000, 64 << 20)

    private let concurrency: Int
    private(set) var window: SinkWindow
    private var lanes: [String: Lane] = [:]
    /// The subjects whose first item may begin, in order; some may have none any more.
    private var ready: Deque<String> = []
    /// Lanes that failed, by the time of their next attempt.
    private var held: Heap<Held> = []
    private var breaker = Breaker()
    private var pacer: Pacer
    private var underway = 0
    /// How many lanes failed, and have not succeeded since.
    private(set) var failing = 0
    private var bytes = 0
    /// How many items are sent again.
    private(set) var resentCount = 0
    /// What is under way in a queue before this one is none of its items.
    let turn: Int

    private struct Lane {
        var items: Deque<SinkItem> = []
        var state = State.ready
        var failures = 0
        /// Whether the subject was erased while the first item was under way: that is over then, however it ends.
        var isForgotten = false

        enum State: Equatable {
            case ready, underway
            case held(until: Duration)
        }
    }

    private struct Held: Comparable {
        let until: Duration
        let subject: String

        static func < (left: Held, right: Held) -> Bool { left.until < right.until }
    }

    /// - Parameter window: what was done before.
    init(_ sink: Configuration.Sink, _ window: SinkWindow, turn: Int = 0) {
        self.turn = turn
        (concurrency, pacer) = (sink.target.kind?.isConcurrent == true ? sink.concurrency : 1, Pacer(sink.rate))
        self.window = window
    }

    var hasRoom: Bool { window.count < Self.itemLimit && bytes < Self.byteLimit }

    /// Items that are not done yet, those under way included.
    var count: Int { window.count }

    /// Whether nothing is under way.
    var isAtRest: Bool { underway == 0 }

    // MARK: In

    /// - Parameter isAgain: it was given up, and is no part of the journal any more.
    mutating func add(_ item: SinkItem, isAgain: Bool = false) {
        guard isAgain ? !isResent(item) : window.add(item) else { return }
        var item = item
        item.turn = turn
        bytes += item.line.count
        if isAgain { resentCount += 1 }
        if lanes[item.subject] == nil { ready.append(item.subject) }
        lanes[item.subject, default: Lane()].items.append(item)
    }

    /// Whether it is sent again already.
    private func isResent(_ item: SinkItem) -> Bool {
        lanes[item.subject]?.items.contains { $0.number == item.number && $0.id.isSameText(as: item.id) } ?? false
    }

    /// A decision that the sink does not want.
    mutating func pass(_ number: UInt64, entry: UInt64) { window.pass(number, entry: entry) }

    /// All decisions up to this one and this entry were added or passed.
    mutating func reachEnd(_ number: UInt64, of entry: UInt64) { window.reachEnd(number, of: entry) }

    // MARK: Out

    /// The next item to begin with.
    mutating func next(at now: Duration) -> SinkItem? {
        release(at: now)
        while underway < concurrency, breaker.allows(at: now), pacer.due <= now, let subject = ready.popFirst() {
            guard let lane = lanes[subject], lane.state == .ready else { continue }
            lanes[subject]!.state = .underway
            underway += 1
            breaker.begin()
            pacer.begin(at: now)
            return lane.items.first
        }
        return nil
    }

    /// When to ask again; nil: not before something has changed.
    var due: Duration? {
        if underway >= concurrency || breaker.isProbing { return nil }
        guard let first = ready.isEmpty ? held.min?.until : pacer.due else { return nil }
        return max(first, breaker.until)
    }

    /// Whether something may begin as soon as the rate, and those under way, let it.
    func hasReady(at now: Duration) -> Bool {
        guard breaker.allows(at: now) else { return false }
        if let first = held.min, first.until <= now { return true }
        return ready.contains { lanes[$0]?.state == .ready }
    }

    private mutating func release(at now: Duration) {
        while let first = held.min, first.until <= now {
            held.removeMin()
            if lanes[first.subject]?.state == .held(until: first.until) { makeReady(first.subject) }
        }
    }

    private mutating func makeReady(_ subject: String) {
        lanes[subject]!.state = .ready
        ready.append(subject)
    }

    /// Everything that has failed may be tried now.
    private mutating func releaseAll() { release(at: Duration(milliseconds: .max)) }

    /// The same, also where the sink wants to be left alone, or is.
    mutating func resume() {
        breaker = Breaker()
        releaseAll()
    }

    /// Begins nothing for so long.
    mutating func leaveAlone(for pause: Duration, at now: Duration) { breaker.fail(at: now, pause: pause) }

    // MARK: How it ended

    /// - Returns: whether its subject was erased meanwhile.
    mutating func end(_ item: SinkItem, _ outcome: SinkOutcome, at now: Duration) -> Bool {
        underway -= 1
        let isForgotten = lanes[item.subject]!.isForgotten
        lanes[item.subject]!.isForgotten = false
        switch outcome {
        case .failed(_, let pause): breaker.fail(at: now, pause: pause)
        // Also when it is gone: once it is resumed, everything may be tried.
        case .taken, .dropped, .refused, .gone: if breaker.succeed() { releaseAll() }
        }
        switch outcome {
        case _ where isForgotten: complete(item)
        case .taken, .dropped: complete(item)
        case .failed, .gone: hold(item.subject, at: now)
        case .refused(_, let pause): hold(item.subject, at: now, atLeast: pause)
        }
        return isForgotten
    }

    private mutating func complete(_ item: SinkItem) {
        recover(item.subject)
        remove(item)
        if lanes[item.subject] != nil { makeReady(item.subject) }
    }

    private mutating func recover(_ subject: String) {
        if lanes[subject]!.failures > 0 { failing -= 1 }
        lanes[subject]!.failures = 0
    }

    private mutating func hold(_ subject: String, at now: Duration, atLeast pause: Duration? = nil) {
        if lanes[subject]!.failures == 0 { failing += 1 }
        lanes[subject]!.failures += 1
        let until = now + max(RetrySchedule.pause(after: lanes[subject]!.failures), pause ?? .zero)
        lanes[subject]!.state = .held(until: until)
        held.insert(Held(until: until, subject: subject))
    }

    private mutating func remove(_ item: SinkItem) {
        guard
            let index = lanes[item.subject]?.items.firstIndex(where: {
                $0.number == item.number && $0.id.isSameText(as: item.id)
            })
        else { return }
        window.remove(item.number)
        bytes -= item.line.count
        if item.number == 0 { resentCount -= 1 }
        lanes[item.subject]!.items.remove(at: index)
        if lanes[item.subject]!.items.isEmpty { lanes[item.subject] = nil }
    }

    // MARK: Giving up

    /// Takes out what became durable before that time and is not under way.
    mutating func take(writtenBefore time: Instant) -> [SinkItem] { take(window.waiting(writtenBefore: time)) }

    /// Takes out all that is not under way.
    mutating func takeAll() -> [SinkItem] { take(resent + window.waiting(writtenBefore: .distantFuture)) }

    /// Takes out the first item that has failed, or else the first of all; nil if that is under way.
    mutating func takeFirst() -> SinkItem? {
        let failed = lanes.values.filter { $0.failures > 0 }
        if failed.isEmpty {
            return (resent + window.waiting(writtenBefore: .distantFuture)).first.flatMap { take([$0]).first }
        }
        let waiting = failed.filter { $0.state != .underway }.compactMap(\.items.first)
        let first = waiting.min { ($0.number, $0.id) < ($1.number, $1.id) }
        return first.flatMap { take([($0.subject, $0.number)]).first }
    }

    /// What is sent again, which no window has.
    private var resent: [(subject: String, number: UInt64)] {
        let items = lanes.values.flatMap { $0.items.filter { $0.number == 0 } }
        return items.sorted { $0.id < $1.id }.map { ($0.subject, $0.number) }
    }

    /// A subject was erased.
    mutating func forget(_ subject: String) {
        // Other spellings of a subject share its lane.
        guard let lane = lanes[subject], lane.items.contains(where: { $0.subject.isSameText(as: subject) }) else {
            return
        }
        let isUnderway = lane.state == .underway
        if isUnderway, lane.items[0].subject.isSameText(as: subject) { lanes[subject]!.isForgotten = true }
        if !isUnderway { recover(subject) }
        for item in lane.items.dropFirst(isUnderway ? 1 : 0) where item.subject.isSameText(as: subject) { remove(item) }
        if !isUnderway, case .held = lanes[subject]?.state { makeReady(subject) }
    }

    private mutating func take(_ places: [(subject: String, number: UInt64)]) -> [SinkItem] {
        places.compactMap { place in
            guard let lane = lanes[place.subject] else { return nil }
            let isUnderway = lane.state == .underway
            guard let item = lane.items.dropFirst(isUnderway ? 1 : 0).first(where: { $0.number == place.number }) else {
                return nil
            }
            let isFirst = !isUnderway && lane.items.first?.number == place.number
            if isFirst { recover(place.subject) }
            remove(item)
            if isFirst, case .held = lanes[place.subject]?.state { makeReady(place.subject) }
            return item
        }
    }
}
