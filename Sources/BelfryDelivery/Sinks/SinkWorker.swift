import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryRuntime
import Dispatch
import Synchronization

/// Brings decisions from the journal to a sink, on a thread of its own.
final class SinkWorker: SinkMember {
    let sink: Configuration.Sink
    private let target: any SinkTarget
    private let journal: Journal
    private let surroundings: SinkSurroundings
    private let state: Mutex<SinkState>
    // Known without waiting for what takes long: a run asks at each checkpoint, and health and metrics whenever they are asked.
    private let neededEntry: Atomic<UInt64>
    private let shown: Mutex<SinkLook>
    private let inbox = Mutex(Inbox())
    private let bell = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// What others have for the worker.
    private struct Inbox {
        var outcomes: [(item: SinkItem, outcome: SinkOutcome)] = []
        var isEnding = false
    }

    /// What the worker does next.
    enum Step: Equatable {
        case rest(until: Duration?)
        case end
    }

    /// - Throws: `JournalError`.
    init(
        _ sink: Configuration.Sink, _ filter: SinkFilter, to target: any SinkTarget, _ journal: Journal,
        in surroundings: SinkSurroundings
    ) throws {
        (self.sink, self.target, self.journal, self.surroundings) = (sink, target, journal, surroundings)
        let state = try SinkState(sink, filter, journal, surroundings)
        neededEntry = Atomic(state.entry)
        shown = Mutex(state.look)
        self.state = Mutex(state)
    }

    /// Works until `end`.
    func start() throws {
        try startThread { [self] in
            while case .rest(let until) = step() { rest(until) }
            ended.signal()
        }
    }

    private func rest(_ until: Duration?) {
        guard let until else { return bell.wait() }
        let pause = max(0, until.milliseconds - surroundings.clock().milliseconds)
        _ = bell.wait(timeout: .now() + .milliseconds(Int(min(pause, 3_600_000))))
    }

    /// Takes what has come, begins what may begin, and notes how far it is.
    func step() -> Step {
        let (outcomes, isEnding) = inbox.withLock { inbox in
            defer { inbox.outcomes = [] }
            return (inbox.outcomes, inbox.isEnding)
        }
        let (items, until, isDone) = state.withLock { state in
            for (item, outcome) in outcomes { state.end(item, outcome, at: target.address) }
            let items = isEnding ? [] : state.next()
            state.save(isEnding: isEnding, sync: target.sync)
            neededEntry.store(state.entry, ordering: .releasing)
            return (items, isEnding ? nil : state.due, isEnding && state.isAtRest)
        }
        if isDone { return .end }
        for item in items { deliver(item) }
        return .rest(until: until)
    }

    private func deliver(_ item: SinkItem) {
        target.deliver(item) { [weak self] outcome in
            self?.inbox.withLock { $0.outcomes.append((item, outcome)) }
            self?.bell.signal()
        }
    }

    // MARK: Others

    var id: String { sink.id }

    /// There may be more in the journal.
    func ring() { bell.signal() }

    /// The last entry of which it needs nothing any more.
    var entry: UInt64 { neededEntry.load(ordering: .acquiring) }

    var status: SinkStatus {
        let now = state.withLockIfAvailable { $0.look }
        let look = shown.withLock { shown in
            if let now { shown = now }
            return shown
        }
        var status = SinkStatus(sink, look.record, decisions: journal.decisions)
        status.waiting += look.resent
        if let broken = look.broken { (status.state, status.why) = (.broken, broken) }
        return status
    }

    func act(_ action: SinkAction) throws -> Int {
        defer { bell.signal() }
        return try state.withLock { state in
            defer { show(state.entry, state.look) }
            return try state.act(action, sync: target.sync)
        }
    }

    func forget(_ subject: String) throws {
        try state.withLock { state in
            defer { show(state.entry, state.look) }
            try state.forget(subject)
        }
    }

    private func show(_ entry: UInt64, _ look: SinkLook) {
        neededEntry.store(entry, ordering: .releasing)
        shown.withLock { $0 = look }
    }

    /// Whether nothing can be delivered now: all is done, or has failed and waits.
    var isIdle: Bool {
        if inbox.withLock({ !$0.outcomes.isEmpty }) { return false }
        return state.withLock { $0.isIdle }
    }

    /// When the attempts that are under way are over at the latest; nil if none is.
    var attemptsEnd: Duration? { state.withLock { $0.attemptsEnd } }

    /// Whether `end` was called.
    var hasEnded: Bool { inbox.withLock { $0.isEnding } }

    /// Begins nothing any more, and returns when nothing is under way and all is noted.
    func end() {
        inbox.withLock { $0.isEnding = true }
        bell.signal()
        if ended.wait(timeout: .now() + .seconds(1)) == .timedOut {
            target.close()
            ended.wait()
        }
        // A second call returns as well.
        ended.signal()
        target.close()
    }
}

/// What is neither decided nor stored by sinks.
struct SinkSurroundings: Sendable {
    /// The time since the start, moved by hand in tests.
    var clock: @Sendable () -> Duration
    /// The time of day.
    var now: @Sendable () -> Instant
    /// Gets what became of notifications, as lines of signals.
    var receive: (@Sendable ([UInt8]) -> Void)?
    /// Tells people.
    var say: @Sendable (String) -> Void
}

/// What an operator may do with a sink.
public enum SinkAction: String, Sendable, CaseIterable {
    case pause, resume
    /// Gives up the first decision that has failed, or else the first that waits; all: everything that waits.
    case skip
    case skipAll = "skip-all"
    /// Tries again what was given up.
    case resend
}
