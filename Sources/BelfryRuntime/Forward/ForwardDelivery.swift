import BelfryModel
import Synchronization

/// Brings the queue to the endpoint, step by step, in order.
///
/// One thread takes the steps; others may say that something was committed, or that the end has come. A batch that was sent once
/// is sent as it is until it is taken: nothing overtakes it, nothing is merged with it.
final class ForwardDelivery: Sendable {
    private let queue: ForwardQueue
    private let endpoint: any ForwardEndpoint
    private let surroundings: Surroundings
    private let batchSize: Int
    private let state: Mutex<State>

    /// What is neither decided nor stored here.
    struct Surroundings: Sendable {
        /// The time since the start, moved by hand in tests.
        var clock: @Sendable () -> Duration
        /// A number from 0 to 1, a new one with each call.
        var random: @Sendable () -> Double
        /// Tells people.
        var say: @Sendable (_ text: String) -> Void
    }

    private struct State {
        var schedule: ForwardSchedule
        var batch: ForwardBatch?
        /// Items up to here were in a batch with something in it that the endpoint refuses: they go one by one.
        var suspects: UInt64 = 0
        var status = ForwardStatus()
    }

    init(
        _ queue: ForwardQueue, to endpoint: any ForwardEndpoint, batch: Int, every: Duration,
        in surroundings: Surroundings
    ) throws {
        (self.queue, self.endpoint, self.surroundings, batchSize) = (queue, endpoint, surroundings, batch)
        state = Mutex(State(schedule: ForwardSchedule((batch, every), waiting: queue.count)))
    }

    /// New items are in the queue.
    func committed(_ count: Int) {
        queue.didAppend(count)
        state.withLock { $0.schedule.committed(count, at: now) }
    }

    /// There will be no more items: what there is goes now, or not in this run.
    func end() { state.withLock { $0.schedule.end(at: now) } }

    /// Nothing goes any more in this run.
    func giveUp() { state.withLock { $0.schedule.giveUp() } }

    /// The time since the start.
    var now: Duration { surroundings.clock() }

    var status: ForwardStatus {
        state.withLock { state in
            var status = state.status
            status.waiting = max(0, state.schedule.waiting)
            return status
        }
    }

    /// Does what is to be done now, if there is something.
    ///
    /// - Returns: what it was; if it was an attempt, there may be more to do at once.
    /// - Throws: `StoreError`; the queue is as it was.
    func step() throws -> ForwardSchedule.Step {
        let step = state.withLock { $0.schedule.next(at: now) }
        guard step == .attempt, let batch = try batchUnderway() else { return step }
        switch Result(catching: { () throws(NoAnswer) in try endpoint.post(batch) }) {
        case .success(let answer): try act(on: answer, to: batch)
        case .failure(let failure): later(nil, ForwardTrouble(failure, of: endpoint.address))
        }
        return step
    }

    private func batchUnderway() throws -> ForwardBatch? {
        let (batch, suspects) = state.withLock { ($0.batch, $0.suspects) }
        if let batch { return batch }
        let next = try queue.nextBatch(limit: batchSize, suspects: suspects)
        state.withLock { state in
            state.batch = next
            if let next { state.schedule.cut(next.count) } else { state.schedule.foundNothing() }
        }
        return next
    }

    private func act(on answer: EndpointAnswer, to batch: ForwardBatch) throws {
        switch answer.verdict {
        case .taken: try take(batch)
        case .later(let asked): later(asked, ForwardTrouble(answer, of: endpoint.address))
        case .unacceptable where batch.count > 1: split(batch)
        case .refused, .unacceptable:
            fail(ForwardTrouble(answer, refusing: batch, of: endpoint.address)) { $0.refused(at: now) }
        }
    }

    private func take(_ batch: ForwardBatch) throws {
        try queue.remove(batch)
        let wasTroubled = state.withLock { state in
            state.batch = nil
            state.schedule.taken()
            state.status.forwarded += batch.count
            defer { state.status.trouble = nil }
            return state.status.trouble != nil
        }
        if wasTroubled { surroundings.say("note: forwarding goes on: \(endpoint.address) takes items again") }
    }

    /// Which item is it about? Those before it arrive, and it will be alone at the front.
    private func split(_ batch: ForwardBatch) {
        state.withLock { state in
            state.batch = nil
            state.suspects = batch.through
            state.schedule.split()
            state.status.failedAttempts += 1
        }
    }

    private func later(_ asked: Duration?, _ trouble: ForwardTrouble) {
        fail(trouble) { $0.failed(at: now, asked: asked, share: surroundings.random()) }
    }

    /// Tells of each trouble once, until something has gone through.
    private func fail(_ trouble: ForwardTrouble, _ wait: (inout ForwardSchedule) -> Void) {
        let (isNew, waiting) = state.withLock { state in
            wait(&state.schedule)
            state.status.failedAttempts += 1
            defer { state.status.trouble = trouble }
            return (state.status.trouble != trouble, state.schedule.waiting)
        }
        if isNew { surroundings.say(trouble.warning(waiting: waiting)) }
    }
}
