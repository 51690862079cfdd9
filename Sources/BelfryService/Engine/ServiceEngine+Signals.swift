import BelfryRuntime

extension ServiceEngine {
    /// - Throws: a problem if signals would not be taken.
    func checkThatItTakes() throws {
        switch state {
        case .ready: break
        case .draining, .ended: throw Problem.draining
        case .starting, .standby, .failing: throw Problem.failing
        }
    }

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
}
