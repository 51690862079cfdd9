import BelfryDelivery
import BelfryJournal
import BelfryRuntime
import BelfryStore
import Glibc
import Logging

// The thread: it decides for as long as the store holds, and opens it again.

extension ServiceEngine {
    /// Opens the store for the first time, and begins.
    ///
    /// - Throws: why the store cannot be opened, or have a shadow.
    func start() throws {
        // One that stands by would find it out when it is to take over.
        if shadow != nil { try Shadow.check(beside: location) }
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

    private func runner(_ parts: EngineParts) throws -> Runner {
        try Runner(
            source, store: parts.store, options: options, decisions: .nowhere, rejects: .nowhere,
            events: [events], outlets: [parts.sinks, parts.shadow ?? RestingShadow(beside: location)],
            warn: { [log] in log.warning("\($0)") })
    }

    /// - Returns: whether to go on.
    private func begin(_ parts: EngineParts) -> Bool {
        let goesOn = running.withLock { running in
            if !running.begin(with: parts) { return false }
            if let address = running.address { parts.store.publish(address: "\(address)") }
            starting.finish()
            return true
        }
        // Where the service is ending, what is under way is answered yet.
        if goesOn, parts.store.isShared { deciderChanged() }
        return goesOn
    }

    /// A replica looks so often, in µs, whether the one that decides is gone.
    private static let lookout: UInt32 = 250_000

    /// Another replica has the store.
    ///
    /// - Returns: whether to go on looking.
    private func standBy(_ error: StoreError) -> Bool {
        starting.finish()
        let (goesOn, isNew) = running.withLock { $0.standBy(behind: error.holder) }
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
        return running.withLock { $0.fail(error) }
    }

    private func end() {
        starting.finish()
        for continuation in running.withLock({ $0.end() }) { continuation.yield(true) }
        events.abandon(Problem.draining)
    }
}
