import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryRuntime
import Dispatch
import Synchronization

/// The sinks of a run: each brings decisions from the journal to where they are wanted, on a thread of its own, without delaying the run.
public final class Sinks: Outlet {
    private let journal: Journal
    private let surroundings: SinkSurroundings
    private let forwarder: Forwarder?
    private let workers: Mutex<[SinkWorker]>
    /// What is in force; nil before the first.
    private let settings = Mutex<SinkSettings?>(nil)

    /// - Parameters:
    ///   - receive: gets lines of signals: what became of notifications.
    ///   - waitsForFiles: whether a file that cannot be opened is tried again with each delivery, as a receiver is that is down.
    ///   - say: gets sentences for people, on any thread.
    /// - Throws: a file cannot be opened, or the journal not be read.
    public convenience init(
        _ settings: SinkSettings, journal: Journal, receive: (@Sendable ([UInt8]) -> Void)? = nil,
        waitsForFiles: Bool = false, say: @escaping @Sendable (String) -> Void
    ) throws {
        try self.init(settings, journal: journal, receive: receive, waitsForFiles: waitsForFiles, say: say) { _ in }
        tellOfRemoved()
    }

    /// - Parameter prepare: is called with each sink before it begins.
    init(
        _ settings: SinkSettings, journal: Journal, receive: (@Sendable ([UInt8]) -> Void)? = nil,
        waitsForFiles: Bool = false, say: @escaping @Sendable (String) -> Void, prepare: (SinkWorker) throws -> Void
    ) throws {
        let start = ContinuousClock.now
        self.journal = journal
        surroundings = SinkSurroundings(
            clock: { Duration(milliseconds: Int64((ContinuousClock.now - start) / .milliseconds(1))) },
            now: { .wallClock }, receive: receive, say: say)
        forwarder = try settings.forward.map {
            try Forwarder($0.options, journal: journal, endpoint: $0.endpoint, say: say)
        }
        workers = Mutex([])
        do { try take(settings, waitsForFiles: waitsForFiles, prepare) } catch {
            // Those that have begun have threads that go on by themselves.
            finish(atMost: .zero)
            throw error
        }
    }

    /// Another configuration is in force. What has not changed goes on as it is, and so does `forward`.
    public func take(_ settings: SinkSettings) throws {
        try take(settings) { _ in }
        tellOfRemoved()
    }

    private func tellOfRemoved() {
        tellOfRemovedSinks(besides: Set(members.map(\.id)), in: journal, say: surroundings.say)
    }

    private func take(
        _ settings: SinkSettings, waitsForFiles: Bool = false, _ prepare: (SinkWorker) throws -> Void
    ) throws {
        let former = workers.withLock { $0 }
        let stay = former.filter { goesOn($0, with: settings) }
        // What cannot be used ends nothing.
        var others = try settings.sinks.filter { sink in !stay.contains { $0.id == sink.id } }.map { sink in
            (sink, try settings.target(of: sink, surroundings.receive, waitsForFiles))
        }
        // Nor does one that is new, whose place has to be noted first.
        others = others.filter { !former.has($0.0.id) } + others.filter { former.has($0.0.id) }
        do {
            for (sink, target) in others { try begin(sink, of: settings, to: target, prepare) }
        } catch {
            restore(former)
            throw error
        }
        for worker in former where !settings.sinks.contains(where: { $0.id == worker.id }) { worker.end() }
        workers.withLock { workers in
            workers = settings.sinks.compactMap { sink in workers.first { $0.id == sink.id } }
        }
        self.settings.withLock { $0 = settings }
    }

    /// Whether it is as these want it.
    private func goesOn(_ worker: SinkWorker, with settings: SinkSettings) -> Bool {
        // Filters and bodies keep the campaigns they were made with: what is new would be passed over for good.
        let isCurrent = !worker.sink.usesCampaigns || self.settings.withLock { $0?.documents } == settings.documents
        return isCurrent && !worker.hasEnded
            && settings.sinks.contains { $0.id == worker.id && $0.document == worker.sink.document }
    }

    /// The former one of its id ends before: the new one goes on where that one has noted that it is. Until then the former one says what it
    /// needs of the journal.
    private func begin(
        _ sink: Configuration.Sink, of settings: SinkSettings, to target: any SinkTarget,
        _ prepare: (SinkWorker) throws -> Void
    ) throws {
        workers.withLock { $0.first { $0.id == sink.id } }?.end()
        let filter = SinkFilter(sink, settings.properties)
        let worker = try SinkWorker(sink, filter, to: target, journal, in: surroundings)
        try prepare(worker)
        try worker.start()
        workers.withLock { workers in workers = workers.filter { $0.id != sink.id } + [worker] }
    }

    /// The configuration before stays in force: what has ended begins again.
    private func restore(_ former: [SinkWorker]) {
        for worker in workers.withLock({ $0 }) where !former.has(worker.id) { worker.end() }
        workers.withLock { workers in workers = workers.filter { former.has($0.id) } }
        for worker in former where worker.hasEnded {
            do {
                guard let settings = settings.withLock({ $0 }) else { return }
                let target = try settings.target(of: worker.sink, surroundings.receive, true)
                try begin(worker.sink, of: settings, to: target) { _ in }
            } catch {
                surroundings.say(
                    "warning: sink '\(worker.id)' has ended: \(error)\n  fix: reload the configuration once more")
            }
        }
    }

    private var members: [any SinkMember] { workers.withLock { $0 } + [forwarder].compactMap { $0 } }

    public func ring() { for member in members { member.ring() } }

    public var entry: UInt64 { members.map(\.entry).min() ?? .max }

    public func forget(_ subject: String) throws {
        let members = members
        let left = Result { () throws(PartialErasure) in try (members as [any Outlet]).forget(subject) }
        // Also what sinks were not given that the configuration does not have any more.
        try DeadLetters.forget(subject, beside: journal.location, except: Set(members.map(\.id)))
        try left.get()
    }

    /// In the order of the configuration; `forward` is the last.
    public var statuses: [SinkStatus] { members.map(\.status) }

    /// - Returns: how many decisions that was about; nil if there is no such sink.
    /// - Throws: `SinkRefusal`, `JournalError`.
    public func act(_ action: SinkAction, on id: String) throws -> Int? {
        try members.first { $0.id == id }?.act(action)
    }

    /// Delivers what can be delivered now, and ends.
    ///
    /// - Parameters:
    ///   - patience: so long at most until something is delivered or given up; what is under way then may take all of its time.
    ///   - limit: so long at most in all; nil: as long as there are deliveries.
    /// - Returns: how the sinks are doing then, and what became of what was to be forwarded in this run.
    @discardableResult
    public func finish(
        patience: Duration = .seconds(10), atMost limit: Duration? = nil
    ) -> (sinks: [SinkStatus], forwarding: ForwardStatus?) {
        forwarder?.beginToEnd()
        let workers = workers.withLock { $0 }
        var patience = SinkPatience(patience, until: limit.map { surroundings.clock() + $0 })
        while true {
            let busy = workers.filter { !$0.isIdle }
            if busy.isEmpty { break }
            let done = workers.map(\.status).reduce(0) { $0 + $1.delivered + $1.dropped }
            let attempts = busy.compactMap(\.attemptsEnd).max()
            if patience.isOver(at: surroundings.clock(), done: done, attempts: attempts) { break }
            DispatchSemaphore(value: 0).waitBriefly()
        }
        for worker in workers { worker.end() }
        return (workers.map(\.status), forwarder?.finish())
    }
}

extension DispatchSemaphore {
    fileprivate func waitBriefly() { _ = wait(timeout: .now() + .milliseconds(5)) }
}

extension Configuration.Sink {
    /// Whether its filter or its target gets `DecisionProperties`, which have the campaigns.
    fileprivate var usesCampaigns: Bool {
        if when != nil { return true }
        switch target {
        case .webhook(let webhook): return webhook.body != nil
        case .webPush: return true
        case .exec, .file, .ntfy, .desktop, .plugin: return false
        }
    }
}

extension [SinkWorker] {
    fileprivate func has(_ id: String) -> Bool { contains { $0.id == id } }
}

extension SinkSettings {
    fileprivate var properties: DecisionProperties { DecisionProperties(campaigns) }

    /// The campaigns as they are written, by id.
    fileprivate var documents: [String: Value] { campaigns.reduce(into: [:]) { $0[$1.id] = .map($1.document) } }

    fileprivate func target(
        of sink: Configuration.Sink, _ receive: (@Sendable ([UInt8]) -> Void)?, _ waitsForFiles: Bool
    ) throws -> any SinkTarget {
        switch sink.target {
        case .webhook(let webhook): Webhook(webhook, properties, timeout: sink.timeout)
        case .exec(let command): Program(Program.Launch(command, in: folder), timeout: sink.timeout)
        case .file(let path): try LineFile(self.path(path), of: sink.id, waits: waitsForFiles)
        case .ntfy(let ntfy): Ntfy(ntfy, timeout: sink.timeout)
        case .desktop(let desktop): Desktop(sink, desktop, receive: receive)
        case .webPush(let push): WebPush(sink, push, properties, receive: receive)
        case .plugin(let plugin): program(of: sink, plugin)
        }
    }
}
