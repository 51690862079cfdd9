import BelfryModel
import Glibc
import Synchronization

/// The threads of several lanes. The caller's own works for the first lane.
///
/// A group goes through four stages: the lanes decode its lines, in small shares, until there are none left; each looks for a flood of
/// timers; decides the signals of its subjects, in the order of lines; and writes its decisions as bytes. Nobody begins the
/// second or third before all have done the one before. Who has done the last decodes lines of the groups that follow, until the
/// next one begins: some lanes have more to decide than others, and the caller has work of its own in between.
///
/// Lanes need one another for one thing only: a signal that is refused moves no time, so who has timers that are due before somebody
/// else's signal waits for that lane's word.
final class LaneCrew: @unchecked Sendable {
    // Unchecked: each lane is touched by one thread at a time, between the barriers.
    private let lanes: [Lane]
    let decoders: [SignalDecoder]
    private let task = Monitor(Task())
    /// How many tasks were begun.
    private let begun = Atomic(0)
    /// How many of the other threads have done the last task.
    private let done: Atomic<Int>
    /// What is decided next; some thread may be decoding its lines.
    private var ahead: [LineGroup] = []
    private let arrived = Atomic(0)
    /// How many lanes have decided their part of a group.
    private let decided = Atomic(0)
    private let doorbell = Doorbell()
    private let isFlooded = Atomic(false)
    private let hasFailed = Atomic(false)
    private let failures: Monitor<[any Error]> = Monitor([])

    private struct Task {
        var number = 0
        var work: (@Sendable (Int) -> Void)?
        var isOver = false
    }

    /// So many timers before a group are fired one by one, so that what comes of them is committed in between.
    private static let flood = 10_000

    /// - Throws: `NoThread`.
    init(_ lanes: [Lane]) throws {
        self.lanes = lanes
        decoders = lanes.map { _ in SignalDecoder() }
        done = Atomic(lanes.count - 1)
        for index in 1..<lanes.count { try startThread { [self] in serve(index) } }
    }

    /// Ends the threads.
    func dismiss() {
        task.change {
            $0.isOver = true
            $0.work = nil  // it holds this crew
        }
    }

    private func serve(_ index: Int) {
        var last = 0
        while let work = next(after: &last) {
            work(index)
            done.add(1, ordering: .acquiringAndReleasing)
            doorbell.ring()
        }
    }

    private func next(after last: inout Int) -> (@Sendable (Int) -> Void)? {
        let before = last
        _ = Doorbell.look { begun.load(ordering: .acquiring) != before }
        let (number, work) = task.wait { task -> Monitor<Task>.Look<(Int, (@Sendable (Int) -> Void)?)> in
            if task.isOver { return .done((before, nil)) }
            return task.number == before ? .wait() : .done((task.number, task.work))
        }
        last = number
        return work
    }

    /// Calls `work` with every index, each on its thread; returns when the caller's own is done.
    private func begin(_ work: @escaping @Sendable (Int) -> Void) {
        finishDecoding()
        done.store(0, ordering: .relaxed)
        task.change {
            $0.number += 1
            $0.work = work
        }
        begun.add(1, ordering: .releasing)
        work(0)
    }

    private func waitForOthers() { doorbell.wait { done.load(ordering: .acquiring) == lanes.count - 1 } }

    /// What `body` gives for each lane, on its thread.
    func map<Result: Sendable>(_ body: @escaping @Sendable (Lane) -> Result) -> [Result] {
        let results = Monitor([Result?](repeating: nil, count: lanes.count))
        begin { [self] index in
            let result = body(lanes[index])
            results.change { $0[index] = result }
        }
        waitForOthers()
        return results.wait { .done($0.map { $0! }) }  // every index was called
    }

    // MARK: A group

    /// - Parameter next: what is decided next. The lines have to stay where they are until that begins, or until `finishDecoding`.
    /// - Returns: false, with nothing changed, before a flood of timers.
    func decide(_ group: LineGroup, before next: [LineGroup]) throws -> Bool {
        finishDecoding()
        arrived.store(0, ordering: .relaxed)
        decided.store(0, ordering: .relaxed)
        isFlooded.store(false, ordering: .relaxed)
        hasFailed.store(false, ordering: .relaxed)
        begin { [self] index in
            work(on: group, index)
            decided.add(1, ordering: .acquiringAndReleasing)
            doorbell.ring()
            while index > 0, decodeShare(of: next, index) {}
        }
        ahead = next
        while decided.load(ordering: .acquiring) < lanes.count, decodeShare(of: next, 0) {}
        doorbell.wait { decided.load(ordering: .acquiring) == lanes.count }
        if hasFailed.load(ordering: .acquiring) { throw failures.wait { .done($0[0]) } }
        return !isFlooded.load(ordering: .acquiring)
    }

    /// Decodes what others have not begun of what comes next, and waits for them: nobody reads the lines any more.
    func finishDecoding() {
        while decodeShare(of: ahead, 0) {}
        waitForOthers()
        ahead = []
    }

    private func decodeShare(of groups: [LineGroup], _ index: Int) -> Bool {
        groups.contains { $0.decodeShare(with: decoders[index], lanes: lanes.count) }
    }

    private func work(on group: LineGroup, _ index: Int) {
        while decodeShare(of: [group], index) {}
        meet(1)
        look(for: group.latest, index)
        meet(2)
        guard !isFlooded.load(ordering: .acquiring) else { return }
        do {
            try decide(group, index)
            lanes[index].writeLines()
        } catch {
            hasFailed.store(true, ordering: .releasing)
            failures.change { $0.append(error) }
        }
    }

    /// Waits until all have come to that barrier.
    private func meet(_ barrier: Int) {
        arrived.add(1, ordering: .acquiringAndReleasing)
        let all = barrier * lanes.count
        doorbell.ring()
        doorbell.wait { arrived.load(ordering: .acquiring) >= all }
    }

    /// Another lane is about to come to a signal, which is too often for a bell: this asks again and again, and now and then lets
    /// others have the processor.
    private func waitForWord(until isTrue: () -> Bool) {
        var attempts = 0
        while !isTrue() {
            attempts += 1
            if attempts > 1_000 { sched_yield() }
        }
    }

    private func look(for latest: Instant?, _ index: Int) {
        guard let latest, lanes[index].mayBeDue(by: latest) else { return }
        if lanes[index].isFlooded(by: latest, limit: Self.flood) { isFlooded.store(true, ordering: .releasing) }
    }

    private func decide(_ group: LineGroup, _ index: Int) throws {
        let lane = lanes[index]
        let missing = lane.cache.prefetch(group.hashes(of: index))
        if !missing.isEmpty { lane.cache.fetch(group.subjects(of: index, withHashes: missing)) }
        for place in group.lines.indices {
            let head = group[place]
            switch head.kind {
            case .nothing, .reject: continue
            case .clock:
                try pass(to: head.time, lane)
                if head.lane == index { try lane.apply(group.takeSignal(place)) }
            case .signal where head.lane == index: try decide(place, group, lane)
            case .signal:
                guard lane.mayBeDue(by: head.time) else { break }
                waitForWord { group.verdict(on: place) != .unknown || hasFailed.load(ordering: .acquiring) }
                if group.verdict(on: place) == .admitted { try pass(to: head.time, lane) }
            }
            lane.place += 1
        }
    }

    private func decide(_ place: Int, _ group: LineGroup, _ lane: Lane) throws {
        let signal = group.takeSignal(place)
        do {
            guard try lane.admit(signal) else { return group.refuse(place, nil) }
        } catch let reject as SignalReject {
            return group.refuse(place, reject)
        }
        group.set(.admitted, on: place)
        try pass(to: signal.time, lane)
        try lane.apply(signal)
    }

    private func pass(to time: Instant, _ lane: Lane) throws { _ = try lane.advance(to: time) { true } }
}
