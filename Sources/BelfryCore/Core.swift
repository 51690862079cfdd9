import BelfryEngine
import BelfryModel
import BelfrySignals
import Foundation
import Synchronization

/// A configuration with its plugins, which decides one signal on one record: the centre of everything that decides.
///
///     let core = try Core(configuration: "belfry.yaml")
///     var record = SubjectRecord(subject: "ana")
///     let decisions = try core.decide(signal, on: &record)
///
/// It knows no store and no clock. The caller keeps the records, and fires their timers (`SubjectRecord.nextDue`). Any number of
/// threads may use it, each record in one thread at a time. What a configuration or a plugin has wrong is thrown when it is made.
public final class Core: Sendable {
    public let catalog: Catalog
    let actions: CoreActions
    /// Nil where it was not loaded from a workspace.
    public let provenance: Provenance?
    /// The deciders that no thread is using.
    private let idle = Mutex<[Decider]>([])

    /// Reads a configuration, and loads the plugins that it needs.
    ///
    /// - Parameters:
    ///   - path: of the configuration.
    ///   - executable: the command `belfry`: it looks at plugins in processes of their own, and the bundled ones lie beside it.
    ///   - log: what plugins have to say, on any thread. A plugin is set up once in a process: what it says outside of its
    ///     entries' hooks goes to the log of the first core that had it.
    /// - Throws: `ConfigurationFailure`, `PluginRefusal` or `MissingActions`.
    public convenience init(
        configuration path: String, executable: String = Workspace.executable,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        log: @escaping HostServices.Log = { _ in }
    ) throws {
        let workspace = try Workspace(path: path, executable: executable, environment: environment, log: log)
        self.init(try workspace.load())
    }

    /// The same of what was loaded already.
    public init(_ loaded: Workspace.Loaded) {
        catalog = loaded.catalog
        actions = CoreActions(loaded.providers)
        provenance = loaded.provenance
    }

    // MARK: Deciding

    /// Decides a signal on the record of its subject: fires the timers that are due before it, and applies it.
    ///
    /// Actions are not run: an `action.invoked` has no outcome.
    ///
    /// - Parameter passed: the last tick: a timer that is armed for that instant or before fires directly after the signal.
    /// - Throws: `SignalReject`, before anything has changed.
    public func decide(
        _ signal: Signal, on record: inout SubjectRecord, passed: Instant = .distantPast
    ) throws -> [Decision] {
        try withDecider { decider in
            _ = try decider.decide(signal, on: &record, passed: passed)
            return decider.effects.decisions
        }
    }

    /// Fires the timers of a record that are due at or before an instant.
    public func fire(_ record: inout SubjectRecord, until time: Instant) -> [Decision] {
        withDecider { decider in
            decider.fire(&record, until: time)
            return decider.effects.decisions
        }
    }

    /// Asks the chain about a candidate as a signal would, and says why. Changes nothing.
    ///
    /// - Throws: `UnansweredQuestion` if the configuration has no such candidate, or there is no time to ask about.
    public func explain(
        _ question: Explanation.Question, _ record: borrowing SubjectRecord
    ) throws -> Explanation {
        let decider = takeDecider()
        defer { giveBack(decider) }
        return try decider.engine.explain(question, record)
    }

    // MARK: Bytes

    /// Decides lines on a record that the caller keeps as bytes, fires timers, and runs actions.
    ///
    /// - Parameters:
    ///   - record: as it was answered last; empty for a subject that is new.
    ///   - signals: JSON Lines.
    ///   - passed: the last tick before the signals: a timer that one of them arms for that instant or before fires directly after it.
    ///   - until: timers due at or before it fire after the signals; nil: none.
    public func decide(
        subject: String, record: UnsafeRawBufferPointer, signals: UnsafeRawBufferPointer,
        passed: Instant = .distantPast, until: Instant?
    ) -> CoreAnswer {
        do throws(RecordFailure) {
            var read = try self.record(of: subject, Array(record))
            let lines = withDecider { $0.decide(SignalLines(signals), on: &read, passed: passed, until: until) }
            return CoreAnswer(
                record: bytes(of: read), decisions: lines.decisions, rejects: lines.rejects,
                nextTimer: read.nextDue)
        } catch {
            return CoreAnswer(error: error.description)
        }
    }

    /// The same as `explain` of a record that the caller keeps as bytes.
    ///
    /// - Throws: `RecordFailure` too.
    public func explain(
        _ question: Explanation.Question, subject: String, record: UnsafeRawBufferPointer
    ) throws -> Explanation { try explain(question, try self.record(of: subject, Array(record))) }

    /// A record as it is to be kept.
    public func bytes(of record: borrowing SubjectRecord) -> [UInt8] { record.stored(catalog.services.states) }

    /// A record that was kept; every bit of it is checked.
    ///
    /// - Parameter bytes: empty for a subject that is new.
    public func record(of subject: String, _ bytes: [UInt8]) throws(RecordFailure) -> SubjectRecord {
        if bytes.isEmpty { return SubjectRecord(subject: subject) }
        return try SubjectRecord(of: subject, bytes, catalog.services.states, isStored: false)
    }

    private func withDecider<Result>(_ body: (Decider) throws -> Result) rethrows -> Result {
        let decider = takeDecider()
        defer { giveBack(decider) }
        return try body(decider)
    }

    private func takeDecider() -> Decider { idle.withLock { $0.popLast() } ?? Decider(catalog, actions) }

    private func giveBack(_ decider: Decider) { idle.withLock { $0.append(decider) } }
}

/// What was decided for one subject, as bytes.
public struct CoreAnswer: Sendable {
    /// Why the record cannot be read; nothing was decided then.
    public var error: String?
    /// To be kept, and to be passed next time.
    public var record: [UInt8] = []
    /// JSON Lines, as `belfry run` writes them.
    public var decisions: [UInt8] = []
    /// JSON Lines, one for each signal that was not processed, as `belfry run` writes them.
    public var rejects: [UInt8] = []
    /// When the earliest timer of the record is due; nil without any.
    public var nextTimer: Instant?

    public init(error: String) { self.error = error }

    init(record: [UInt8], decisions: [UInt8], rejects: [UInt8], nextTimer: Instant?) {
        (self.record, self.decisions, self.rejects, self.nextTimer) = (record, decisions, rejects, nextTimer)
    }
}
