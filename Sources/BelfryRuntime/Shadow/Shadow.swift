import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfrySignals
import BelfryStore
import Dispatch
import Synchronization

/// Another configuration that decides what a run decides, on live signals, with records of its own. What it decides goes nowhere: it is
/// compared with what the run decides, and counted.
///
/// Its input is the journal of the run, so that it does not delay the run and goes on where it was. It has a store beside that of the run, which
/// begins as a copy of it. When it fails, the run goes on without it.
public final class Shadow: Outlet {
    /// What a shadow decides by.
    public struct Settings: Sendable {
        /// What to call it: as its user named the file.
        public var name: String
        let source: DecisionSource
        let fingerprint: String
        let options: Runner.Options

        /// - Parameter options: of the run that it follows.
        /// - Throws: as `DecisionSource.init`.
        public init(
            _ name: String, _ workspace: Workspace, _ isolation: Configuration.Isolation, like options: Runner.Options
        ) throws {
            self.name = name
            source = try DecisionSource(workspace, isolation)
            fingerprint = workspace.fingerprint
            var options = options
            options.take(workspace.configuration)
            options.until = nil
            // Signals have the time that the run gave them.
            (options.hasWallClock, options.runsActions, options.quarantine) = (false, false, EntryQuarantine())
            self.options = options
        }
    }

    private let settings: Settings
    private let followed: OpenStore
    private let store: OpenStore
    private let say: @Sendable (String) -> Void
    private let bell = JournalBell()
    private let events = EventInbox()
    private let comparer: ShadowComparer
    private let failure = Mutex<String?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    /// Opens the store of a shadow, makes it first where there is none, and begins to follow.
    ///
    /// - Parameters:
    ///   - store: of the run, which has not begun yet.
    ///   - say: gets sentences for people, on any thread.
    /// - Throws: `StoreError`, `JournalError`, `NoThread`, or `ShadowRefusal` if what is there follows another store.
    public init(
        _ settings: Settings, of store: OpenStore, at location: StoreLocation, say: @escaping @Sendable (String) -> Void
    ) throws {
        (self.settings, followed, self.say) = (settings, store, say)
        self.store = try ShadowStore.open(beside: store, at: location, settings)
        comparer = try ShadowComparer(of: store.journal, with: self.store.journal, settings, events)
        try startThread { [self] in
            do { try work() } catch { fail(error) }
            ended.signal()
        }
    }

    /// Whether there can be one at all, before the store of the run is open.
    ///
    /// - Throws: `ShadowRefusal` if not.
    public static func check(beside location: StoreLocation) throws { _ = try ShadowStore.place(beside: location) }

    private func work() throws {
        let runner = try Runner(
            settings.source, store: store, options: settings.options, decisions: .nowhere, rejects: .nowhere,
            events: [events], outlets: [comparer], warn: { [say] in say("warning: in the shadow, \($0)") })
        let source = JournalSource(
            followed.journal, of: try followed.identity, batchSize: settings.options.batchSize, bell)
        _ = try runner.follow(source)
        try comparer.save()
    }

    private func fail(_ error: any Error) {
        failure.withLock { $0 = "\(error)" }
        events.abandon(error)
        say(
            """
            warning: the shadow '\(settings.name)' has stopped: \(error)
              effect: signals are decided as before, and nothing is compared any more
            """)
    }

    // MARK: Of the run

    public func ring() { bell.ring() }

    public var entry: UInt64 { hasFailed ? .max : comparer.record.entry.a }

    private var hasFailed: Bool { failure.withLock { $0 } != nil }

    public func forget(_ subject: String) { erase(SubjectErasure(subject) { _ in }) }

    /// The run of a shadow that follows does it between two batches. Where that run has failed, the thread of the main run does it.
    public func erase(_ erasure: SubjectErasure) {
        let erasure = ShadowErasureFailure.translating(erasure)
        if hasFailed { return erasure.done(Result { try eraseAfterFailure(erasure.subject) }) }
        events.post(.erase(erasure))
        // It may have failed meanwhile.
        if let why = failure.withLock({ $0 }) { events.abandon(ShadowErasureFailure(why)) }
    }

    private func eraseAfterFailure(_ subject: String) throws -> Bool {
        try store.catchUp()
        return try store.erase(subject)
    }

    // MARK: How it is doing

    public var status: ShadowStatus {
        let last = followed.journal.last
        return ShadowStatus(
            comparer.record, state: failure.withLock { $0 }.map { .failed($0) } ?? .following,
            behind: Int(last - min(last, bell.lastRead)))
    }

    /// How it is doing, with the last differences that are noted.
    public func report(last count: Int) throws -> ShadowReport {
        var report = try ShadowReport(try store.journal.reader(), last: count)
        report.status = status
        return report
    }

    /// Lets it end.
    ///
    /// - Parameter catchesUp: whether it decides first what the run has decided; otherwise the next run does.
    public func end(catchesUp: Bool) {
        if !catchesUp { events.post(.stop("the run")) }
        bell.close()
        ended.wait()
        store.close()
    }
}

/// Compares whenever the shadow has committed, on its thread.
private final class ShadowComparer: Outlet {
    private let comparison: Mutex<ShadowComparison>
    private let failure = Mutex<(any Error)?>(nil)
    /// Of the shadow, which ends when nothing can be compared.
    private let events: EventInbox

    init(of a: Journal, with b: Journal, _ settings: Shadow.Settings, _ events: EventInbox) throws {
        self.events = events
        guard var record = b.value(ShadowRecord.key).flatMap({ ShadowRecord($0) }) else { throw ShadowRefusal.unknown }
        if record.fingerprint != settings.fingerprint {
            record = ShadowRecord(
                entry: record.entry, of: settings.name, fingerprint: settings.fingerprint, since: .wallClock)
        }
        comparison = Mutex(try ShadowComparison(record, of: a, with: b))
    }

    var record: ShadowRecord { comparison.withLock { $0.record } }

    func ring() { work { try $0.advance() } }

    var entry: UInt64 { record.entry.b }

    func forget(_ subject: String) { work { try $0.forget(subject) } }

    private func work(_ body: (inout ShadowComparison) throws -> Void) {
        do {
            try comparison.withLock { try body(&$0) }
        } catch {
            failure.withLock { $0 = error }
            events.post(.stop("its comparison"))
        }
    }

    func save() throws {
        if let error = failure.withLock({ $0 }) { throw error }
        try comparison.withLock { comparison in
            try comparison.advance()
            try comparison.save()
        }
    }
}
