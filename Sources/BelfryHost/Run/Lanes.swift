import BelfryEngine
import BelfryModel
import BelfryStore

/// The lanes of a run, which share the subjects among them and decide as one: the same bytes come out, however many they are.
///
/// Each lane has a catalog of its own: threads that count references to the same objects wait for one another.
final class Lanes {
    let all: [Lane]
    private let first: Lane
    private let isSingle: Bool
    private let store: any RecordStore
    private let isDurable: Bool
    private let crew: LaneCrew?
    /// From the first batch on that is not waited for.
    private var committer: Committer?
    private var memoryLimit: MemoryLimit?

    /// - Parameters:
    ///   - catalogs: one for each lane.
    ///   - cacheBytes: what this process may grow by for records besides; nil: `cacheCapacity` alone limits them.
    init(
        _ catalogs: [Catalog], store: any RecordStore, isDurable: Bool, cacheCapacity: Int,
        cacheBytes: Int? = nil, watermark: Instant
    ) throws {
        self.store = store
        self.isDurable = isDurable
        all = catalogs.map { catalog in
            Lane(
                Engine(catalog),
                cache: RecordCache(store, isDurable: isDurable, capacity: cacheCapacity / catalogs.count),
                watermark: watermark)
        }
        (first, isSingle) = (all[0], all.count == 1)
        crew = catalogs.count > 1 ? try LaneCrew(all) : nil
        for lane in all { lane.hasOthers = crew != nil }
        for (subject, due) in try store.timers() { lane(of: subject).expectTimer(of: subject, at: due) }
        // From here on what the process grows by is counted.
        memoryLimit = cacheBytes.map { MemoryLimit(bytes: $0) }
    }

    deinit {
        crew?.dismiss()
        committer?.dismiss()
    }

    var engine: Engine { all[0].engine }
    /// The largest time accepted.
    var watermark: Instant { all.map(\.watermark).max() ?? .distantPast }
    /// How many decisions wait for their commit.
    var decisions: Int { all.reduce(0) { $0 + $1.effects.count } }
    var hasChanges: Bool { all.contains { $0.cache.hasChanges } }

    static func lane(of subject: String, among count: Int) -> Int {
        count == 1 ? 0 : Int(stableHash(subject) >> 32) % count
    }

    func lane(of subject: String) -> Lane { all[Self.lane(of: subject, among: all.count)] }

    // MARK: One by one

    /// - Parameter pause: as of `Lane.advance`.
    /// - Returns: false when the run is to end before the signal.
    /// - Throws: a `SignalReject` before anything has changed, time included; anything else ends the run.
    func process(_ signal: Signal, pause: () throws -> Bool) throws -> Bool {
        if isSingle { return try first.process(signal, pause: pause) }
        let lane = lane(of: signal.subject)
        guard try lane.admit(signal) else { return true }
        guard try advance(to: signal.time, pause: pause) else { return false }
        try lane.apply(signal)
        for lane in all { lane.place += 1 }
        return true
    }

    /// Fires every timer that is due by then, in order of due time, and moves the watermark.
    ///
    /// - Returns: false when the run is to end before that.
    func advance(to time: Instant, pause: () throws -> Bool) throws -> Bool {
        if isSingle { return try first.advance(to: time, pause: pause) }
        while let (lane, timer) = nextTimer(until: time) {
            try lane.fire(timer)
            guard try pause() else { return false }
        }
        for lane in all { lane.arrive(at: time) }
        return true
    }

    private func nextTimer(until time: Instant) -> (Lane, TimerQueue.Timer)? {
        all.compactMap { lane in lane.nextTimer(until: time).map { (lane, $0) } }.min { $0.1 < $1.1 }
    }

    // MARK: Together

    /// Has all lanes decide the lines at once.
    ///
    /// - Parameter next: lines to be decoded meanwhile; they have to stay where they are until they are decided, or `finishDecoding`.
    /// - Returns: false, with nothing changed, if that would not do: then they are to be decided one by one.
    func decide(_ group: LineGroup, before next: [LineGroup]) throws -> Bool {
        guard let crew else { return false }
        return try crew.decide(group, before: next)
    }

    func finishDecoding() { crew?.finishDecoding() }

    var typesWithData: Set<String> {
        get { crew?.decoders.first?.typesWithData ?? [] }
        set {
            finishDecoding()
            for decoder in crew?.decoders ?? [] { decoder.typesWithData = newValue }
        }
    }

    // MARK: Commits

    /// What was decided, in the order of signals and timers: stretches of the decisions of single lanes.
    func order() -> [Stretch] {
        if all.count == 1 {
            return [Stretch(lane: 0, decisions: 0..<all[0].effects.count, outgoing: all[0].effects.outgoing.indices)]
        }
        var order: [Stretch] = []
        order.reserveCapacity(all.reduce(0) { $0 + $1.pieces.count })
        var next = Array(repeating: 0, count: all.count)
        while let lane = first(of: next) {
            let piece = all[lane].pieces[next[lane]]
            order.append(Stretch(lane: lane, decisions: piece.decisions, outgoing: piece.outgoing))
            next[lane] += 1
        }
        return order
    }

    /// What one lane decided in a row.
    struct Stretch {
        let lane: Int
        let decisions: Range<Int>
        let outgoing: Range<Int>
    }

    /// The lane whose next piece comes first; nil when all have come.
    private func first(of next: [Int]) -> Int? {
        var first: Int?
        for lane in all.indices where next[lane] < all[lane].pieces.count {
            if let first, !(all[lane].pieces[next[lane]] < all[first].pieces[next[first]]) { continue }
            first = lane
        }
        return first
    }

    /// Writes what changed, with what must become true together with it, in one transaction.
    func commit(_ rest: StoreBatch) throws {
        if isDurable { try store.commit(batch(rest)) }
        for lane in all { lane.cache.didCommit() }
    }

    /// Begins to do so, so that the next batch can be decided meanwhile; `finishCommit` is to be called before the next one.
    ///
    /// - Parameters:
    ///   - first: what is to be done before the commit, on the same thread.
    ///   - then: what is to be done when it is durable.
    func beginCommit(
        _ rest: StoreBatch, first: @escaping @Sendable () throws -> Void, then: @escaping @Sendable () throws -> Void
    ) throws {
        let committer = try committer ?? Committer()
        self.committer = committer
        committer.begin { [store, batch = batch(rest)] in
            try first()
            try store.commit(batch)
            try then()
        }
        for lane in all { lane.cache.didCommit() }
    }

    /// Waits until what was begun is durable, and done.
    func finishCommit() throws { try committer?.finish() }

    private func batch(_ rest: StoreBatch) -> StoreBatch {
        var batch = rest
        // To turn records into bytes is most of the work.
        let changes = crew?.map { $0.cache.changes() } ?? all.map { $0.cache.changes() }
        batch.records = Array(changes.joined())
        return batch
    }

    /// Sees how many records there may be by now.
    func measureMemory() {
        let count = all.reduce(0) { $0 + $1.cache.count }
        guard let capacity = memoryLimit?.capacity(for: count) else { return }
        for lane in all { lane.cache.capacity = min(lane.cache.capacity, capacity / all.count) }
    }

    var needsRoom: Bool { all.contains { $0.cache.needsRoom } }

    func makeRoom() throws { for lane in all { try lane.cache.makeRoom() } }

    /// Counts what came of the signals, and forgets it.
    func clearEffects() { for lane in all { lane.clearEffects() } }

    /// From the next signal on, everything is decided by these.
    func take(_ catalogs: [Catalog], forward: Configuration.Forward?) {
        for (lane, catalog) in zip(all, catalogs) {
            let engine = Engine(catalog)
            engine.forward = forward
            lane.take(engine)
        }
    }
}

extension Lane.Piece {
    /// Which of two pieces comes first: timers before the signal that they are due before.
    fileprivate static func < (left: Lane.Piece, right: Lane.Piece) -> Bool {
        if left.place != right.place { return left.place < right.place }
        guard let (due, subject) = left.timer else { return false }
        guard let other = right.timer else { return true }
        return TimerQueue.Timer(due: due, subject: subject) < TimerQueue.Timer(due: other.due, subject: other.subject)
    }
}
