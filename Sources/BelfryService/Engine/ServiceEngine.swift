import BelfryConfiguration
import BelfryCore
import BelfryDelivery
import BelfryEngine
import BelfryJournal
import BelfryRuntime
import BelfryStore
import Logging
import Synchronization

/// The run of a service, on a thread of its own: it decides what comes to the intake, and begins again when the store had failed.
final class ServiceEngine: Sendable {
    let storage: ServiceStore
    let shadow: Shadow.Settings?
    let options: Runner.Options
    let limits: Configuration.Service.Limits
    let metrics: Metrics
    let log: Logger
    /// Gets sentences for people.
    let say: @Sendable (String) -> Void
    /// Called when another replica has begun to decide: connections are closed then, so that new ones are passed on to it, or are no longer passed on.
    let deciderChanged: @Sendable () -> Void
    let running: Mutex<Running>
    /// What the service was started with.
    let atStart: Configuration
    /// Outlives a run that begins again.
    let quarantine = EntryQuarantine()
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

    /// Why it has no place to pass on to; nil if another replica has never been seen to decide.
    var obstacleToDecider: String? { running.withLock { $0.decider?.obstacle(besides: $0.address) } }

    /// Whether no other replica has come to decide, as far as that is known.
    var isHeld: Bool { (try? parts.store.isHeld) ?? true }

    var lastReload: LastReload { running.withLock { $0.lastReload } }

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

    /// How often the run has looked whether anything is wanted of it.
    var looks: UInt64 { events.looks }

    func askToLook() { events.ask() }

    /// From here on no request is let in. Those that were are decided.
    func beginToDrain() {
        running.withLock { $0.drain() }
        bell.ring()
    }

    /// Decides what was taken, stores all, and ends.
    ///
    /// - Throws: `UnfinishedWork` if that takes longer.
    func drain(within time: Swift.Duration) async throws {
        beginToDrain()
        running.withLock { $0.parts?.intake.close() }
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        if running.withLock({ $0.isOver(end) }) { return }
        let deadline = Task {
            try await Task.sleep(for: time)
            end.yield(false)
        }
        defer { deadline.cancel() }
        // Also where this task is cancelled, it waits for nothing any more.
        guard await ends.first(where: { _ in true }) == true else { throw UnfinishedWork(time: time) }
    }
}

/// The engine did not come to its end when the service was to end.
struct UnfinishedWork: Error, CustomStringConvertible {
    let time: Swift.Duration

    var description: String {
        """
        the service was ended before all was decided that it had taken
          why: the engine had \(time.components.seconds) s for that, and did not come to its end
          fix: start it again: nothing that was committed is lost, and what was not answered may be sent again
        """
    }
}
