import BelfryConfiguration
import BelfryCore
import BelfryDelivery
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryRuntime
import BelfrySignals
import BelfryStore
import Glibc
import Logging
import Synchronization

/// The run of a service, on a thread of its own: it decides what comes to the intake, and begins again when the store had failed.
final class ServiceEngine: Sendable {
    enum State: String {
        /// `standby`: another replica has the store, and decides.
        case starting, ready, standby, failing, draining, ended
    }

    private struct Running {
        var state = State.starting
        var why: String?
        var workspace: Workspace
        var source: DecisionSource
        var sinks: SinkSettings
        var parts: EngineParts?
        var lastReload = LastReload()
        /// Whether the listener for signals is open.
        var isOpen = false
        /// Where other replicas reach this one.
        var address: SocketAddressText?
        /// Nil unless this replica stands by.
        var decider: Decider?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// What became of the last look at the configuration.
    struct LastReload: Sendable {
        var isInForce = true
        /// When what is in force was read.
        var read = Instant.wallClock
    }

    private let storage: ServiceStore
    private let shadow: Shadow.Settings?
    let options: Runner.Options
    private let limits: Configuration.Service.Limits
    private let metrics: Metrics
    let log: Logger
    /// Gets sentences for people.
    private let say: @Sendable (String) -> Void
    /// Called when another replica decides than before: connections are closed then, so that those that follow are passed on, or not any more.
    private let deciderChanged: @Sendable () -> Void
    private let running: Mutex<Running>
    /// What the service was started with.
    let atStart: Configuration
    /// Outlives a run that begins again.
    private let quarantine = EntryQuarantine()
    /// Rings when decisions may have come.
    let bell = Bell()
    let events = EventInbox()
    /// Ends when it takes signals, or cannot.
    let (started, starting) = AsyncStream.makeStream(of: Void.self)
    /// Those that stand where clients will go on.
    let readers = DecisionReaders()
    let keys = IdempotencyKeys()
    /// The configuration is read, edited and brought into force by one after the other.
    let changes = SerialQueue()
    /// Decisions are looked for in the journal by one after the other.
    let lookups = SerialQueue()

    init(
        _ workspace: Workspace, _ source: DecisionSource, store: StoreLocation, options: Runner.Options,
        shadow: Shadow.Settings?, limits: Configuration.Service.Limits, metrics: Metrics, log: Logger,
        say: @escaping @Sendable (String) -> Void, deciderChanged: @escaping @Sendable () -> Void
    ) throws {
        self.deciderChanged = deciderChanged
        (storage, self.limits, self.metrics, self.log, self.say) = (ServiceStore(store), limits, metrics, log, say)
        self.shadow = shadow
        var options = options
        options.quarantine = quarantine
        self.options = options
        // What the environment lacks is said before anything begins.
        atStart = workspace.configuration
        running = Mutex(Running(workspace: workspace, source: source, sinks: try SinkSettings(of: workspace)))
    }

    var location: StoreLocation { storage.location }

    var state: State { running.withLock { $0.state } }

    /// Whether it decides, and what it decides comes to that journal.
    func isReady(with journal: Journal) -> Bool {
        running.withLock { $0.state == .ready && $0.parts?.store.journal === journal }
    }

    var why: String? { running.withLock { $0.why } }
    var source: DecisionSource { running.withLock { $0.source } }

    /// The ids of entries of the chain that are not called for now.
    var quarantined: [String] { quarantine.entries }

    var isOpen: Bool { running.withLock { $0.isOpen } }

    /// Signals can come from here on.
    ///
    /// - Parameter address: where other replicas reach this one.
    func didOpen(at address: SocketAddressText) {
        let parts = running.withLock { running in
            (running.isOpen, running.address) = (true, address)
            return running.parts
        }
        parts?.store.publish(address: "\(address)")
    }

    /// Where the replica is that decides; nil if that is this one, or is not known.
    var decider: SocketAddressText? { running.withLock { $0.decider?.place(besides: $0.address) } }

    /// Whether no other replica has come to decide, as far as that is known.
    var isHeld: Bool { (try? parts.store.isHeld) ?? true }

    var lastReload: LastReload { running.withLock { $0.lastReload } }

    /// What another configuration has to pass. A plugin that is new is tried with what is stored, but not by a replica that stands by.
    var gate: ReloadGate {
        let none: RecentRecords = { _ in [] }
        return ReloadGate(workspace, source.isolation, records: (try? parts.store.recentRecords) ?? none)
    }

    /// A configuration was read that cannot be used.
    func didRefuseReload() { running.withLock { $0.lastReload.isInForce = false } }

    /// How many threads or processes share the subjects.
    var shards: Int { options.shards }

    /// The configuration that is in force.
    var workspace: Workspace { running.withLock { $0.workspace } }

    /// - Throws: a problem while there is no store.
    var parts: EngineParts {
        get throws { try running.withLock { $0.parts }.orThrow(Problem.failing) }
    }

    var intake: SignalIntake { get throws { try parts.intake } }
    var answers: SignalAnswers { get throws { try parts.answers } }
    var journal: Journal { get throws { try parts.store.journal } }
    var sinks: Sinks { get throws { try parts.sinks } }

    /// Nil where there is none.
    var shadowed: Shadow? { get throws { try parts.shadow } }

    /// Whether requests that come now are too late.
    var isDraining: Bool { state == .draining }

    /// - Throws: a problem if signals would not be taken.
    func checkThatItTakes() throws {
        switch state {
        case .ready: break
        case .draining, .ended: throw Problem.draining
        case .starting, .standby, .failing: throw Problem.failing
        }
    }

    /// Reads what is committed.
    func withRecords<Result: ~Copyable>(_ body: (any RecordStore) throws -> Result) throws -> Result {
        try body(JournaledStore(of: parts.store))
    }

    /// The number of the last decision about a subject; 0 before the first.
    func lastDecision(of subject: String) throws -> UInt64 {
        try withRecords { store in
            guard let bytes = try store.record(for: subject) else {
                return try store.lastDecision(ofForgotten: subject)
            }
            return try SubjectRecord(subject: subject, reading: bytes).decisions
        }
    }

    /// Asks the plugins about a subject, on a thread that may take its time.
    ///
    /// - Parameter record: as it is stored.
    /// - Throws: as `DecisionSource.answer`.
    func answer(_ question: RecordQuestion, about subject: String, _ record: [UInt8]?) async throws -> Value {
        let (source, quarantined) = (source, quarantine.excluded)
        return try await onThread { try source.answer(question, about: subject, record, quarantined: quarantined) }
    }

    // MARK: Deciding

    /// Has signals decided, and waits for that.
    ///
    /// - Returns: what became of them, when that is durable.
    /// - Throws: a problem if there is no room, or nothing can be decided.
    func decide(_ block: SignalBlock) async throws -> [SignalResult] {
        try await results(of: begin(block, waitsForRoom: false))
    }

    /// Has signals decided after those that were given before.
    ///
    /// Also while the service ends: what comes too late is refused with the head of its request, and what was let in has its time.
    ///
    /// - Parameter waitsForRoom: whether they may wait for it, in their turn.
    /// - Throws: a problem if there is no room, or nothing is decided any more.
    func begin(_ block: SignalBlock, waitsForRoom: Bool) throws -> PendingResults {
        if !isDraining { try checkThatItTakes() }
        let (intake, pending) = (try intake, PendingResults(block))
        do throws(SignalIntake.Refusal) {
            try intake.give(block, waits: waitsForRoom, pending.take)
        } catch {
            throw error == .full ? Problem.full : closed
        }
        return pending
    }

    /// - Throws: a problem if they will not be decided any more.
    func results(of pending: PendingResults) async throws -> [SignalResult] {
        try await pending.results.orThrow(closed)
    }

    /// Why signals that were taken were not decided.
    var closed: Problem { isDraining ? Problem.draining : Problem.failing }

    // MARK: The thread

    /// Opens the store for the first time, and begins.
    ///
    /// - Throws: why the store cannot be opened.
    func start() throws {
        let parts: EngineParts?
        do { parts = try open() } catch let error as StoreError where error.holder != nil {
            parts = nil
            _ = standBy(error)
        }
        try startThread { [self] in work(parts) }
    }

    private func open() throws -> EngineParts {
        let store = try storage.open()
        do { return try parts(of: store) } catch {
            if storage.closes { store.close() }
            throw error
        }
    }

    private func parts(of store: OpenStore) throws -> EngineParts {
        let intake = SignalIntake(signals: limits.queue, bytes: max(64 << 20, 4 * limits.body)) {
            [metrics, bell] note in
            metrics.count(note)
            bell.ring()
        }
        let receive: @Sendable ([UInt8]) -> Void = { intake.take(receipt: $0) }
        let settings = running.withLock { $0.sinks }
        let sinks = try Sinks(
            settings, journal: store.journal, receive: options.hasWallClock ? receive : nil, waitsForFiles: true,
            say: say)
        let shadow: Shadow?
        do { shadow = try self.shadow.map { try Shadow($0, of: store, at: location, say: say) } } catch {
            // They write to the journal that the next attempt opens.
            sinks.finish(atMost: .zero)
            throw error
        }
        return EngineParts(
            store: store, intake: intake, answers: SignalAnswers(store.journal),
            requests: RequestLog(store.journal), sinks: sinks, shadow: shadow, closes: storage.closes)
    }

    private func work(_ first: EngineParts?) {
        var parts = first
        var pause: UInt32 = 100_000
        while true {
            do {
                let current = try parts ?? open()
                parts = nil
                let decided = decide(with: current)
                if !decided.goesOn { break }
                // What cannot even begin is tried more and more seldom.
                if decided.hasBegun { pause = 100_000 }
                usleep(pause)
                if !decided.hasBegun { pause = min(pause * 2, 5_000_000) }
            } catch let error as StoreError where error.holder != nil {
                pause = 100_000
                if !standBy(error) { break }
                usleep(Self.lookout)
            } catch {
                if !fail(error) { break }
                usleep(pause)
                pause = min(pause * 2, 5_000_000)
            }
        }
        end()
    }

    /// - Returns: whether to begin again, and whether it was ready.
    private func decide(with parts: EngineParts) -> (goesOn: Bool, hasBegun: Bool) {
        var (goesOn, hasBegun) = (false, false)
        do {
            // It is not ready because it can be read.
            if state == .failing { try parts.store.journal.checkRoom() }
            adoptSilences(parts.store)
            let runner = try runner(parts)
            if begin(parts) {
                hasBegun = true
                defer {
                    parts.intake.abandon()
                    events.abandon(Problem.failing)
                }
                _ = try runner.serve(parts.intake)
            }
        } catch {
            // Before the parts end, which may take a while: `/readyz` is not to say that it is ready.
            goesOn = fail(error)
        }
        parts.end(goesOn: goesOn)
        return (goesOn, hasBegun)
    }

    /// Has the next run decide by another configuration, unless a reload has come to its end meanwhile.
    ///
    /// - Parameter former: the generation that it was made of.
    /// - Returns: whether that was in force still.
    func replace(_ former: String, with workspace: Workspace, _ source: DecisionSource) -> Bool {
        running.withLock { running in
            guard running.workspace.fingerprint == former else { return false }
            (running.workspace, running.source) = (workspace, source)
            return true
        }
    }

    private func runner(_ parts: EngineParts) throws -> Runner {
        try Runner(
            source, store: parts.store, options: options, decisions: .nowhere, rejects: .nowhere,
            events: [events], outlets: [parts.sinks] + [parts.shadow].compactMap { $0 },
            warn: { [log] in log.warning("\($0)") })
    }

    /// - Returns: whether to go on.
    private func begin(_ parts: EngineParts) -> Bool {
        let goesOn = running.withLock { running in
            if running.state == .draining { return false }
            (running.state, running.why, running.parts, running.decider) = (.ready, nil, parts, nil)
            if let address = running.address { parts.store.publish(address: "\(address)") }
            starting.finish()
            return true
        }
        if parts.store.isShared { deciderChanged() }
        return goesOn
    }

    /// A replica looks so often, in µs, whether the one that decides is gone.
    private static let lookout: UInt32 = 250_000

    /// Another replica has the store.
    ///
    /// - Returns: whether to go on looking.
    private func standBy(_ error: StoreError) -> Bool {
        starting.finish()
        let (goesOn, isNew) = running.withLock { running in
            if running.state == .draining { return (false, false) }
            // Callers that came while it was not known were not passed on: they are to come again as well.
            let isKnown = running.decider.map { $0.address == error.holder && !$0.isOutdated } ?? false
            (running.state, running.why, running.parts) = (.standby, nil, nil)
            running.decider = Decider(address: error.holder ?? "")
            return (true, !isKnown)
        }
        if isNew { deciderChanged() }
        return goesOn
    }

    /// - Returns: whether to try again.
    private func fail(_ error: any Error) -> Bool {
        starting.finish()
        metrics.add(1, to: Metrics.recoveries)
        log.error("nothing is decided for now: \(error)")
        // Streams and long polls end: their journal is that of the store that failed.
        defer { bell.ring() }
        return running.withLock { running in
            if running.state == .draining { return false }
            (running.state, running.why, running.parts, running.decider) = (.failing, "\(error)", nil, nil)
            return true
        }
    }

    private func end() {
        starting.finish()
        let waiting = running.withLock { running in
            running.state = .ended
            defer { running.waiting = [] }
            return running.waiting
        }
        for continuation in waiting { continuation.resume() }
        events.abandon(Problem.draining)
    }

    // MARK: Reload

    private var readyParts: EngineParts? { running.withLock { $0.state == .ready ? $0.parts : nil } }

    /// Has everything decided by another configuration; returns when it is.
    ///
    /// - Parameter isReload: whether it is what was read just now, and not only other silences.
    /// - Throws: a sink cannot be used.
    func take(_ workspace: Workspace, _ source: DecisionSource, isReload: Bool = true) async throws {
        let settings = try SinkSettings(of: workspace)
        // Where they cannot be used, nothing of it is in force.
        let former = readyParts
        // A sink that goes may be slow to end.
        try await onThread { try former?.sinks.take(settings) }
        running.withLock { running in
            (running.workspace, running.source, running.sinks) = (workspace, source, settings)
            if isReload { running.lastReload = LastReload() }
        }
        guard let parts = readyParts else { return }
        if parts.intake !== former?.intake { try await onThread { try parts.sinks.take(settings) } }
        let intake = parts.intake
        await withCheckedContinuation { continuation in
            intake.whenReloaded { continuation.resume() }
            events.post(isReload ? .reload(source) : .silence(source))
        }
    }

    // MARK: Whether it goes on

    /// How often the run has looked whether anything is wanted of it.
    var looks: UInt64 { events.looks }

    func askToLook() { events.ask() }

    // MARK: The end

    /// From here on no request is let in. Those that were are decided.
    func beginToDrain() {
        running.withLock { if $0.state != .ended { $0.state = .draining } }
        bell.ring()
    }

    /// Decides what was taken, stores all, and ends.
    func drain() async {
        beginToDrain()
        running.withLock { $0.parts?.intake.close() }
        await withCheckedContinuation { continuation in
            let isOver = running.withLock { running in
                if running.state == .ended { return true }
                running.waiting.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
