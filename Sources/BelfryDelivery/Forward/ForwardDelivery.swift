import BelfryModel
import BelfryRuntime
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

    fileprivate struct State {
        var schedule: ForwardSchedule
        var batch: ForwardBatch?
        /// Whether the endpoint has taken the batch, which is still to be noted.
        var isTaken = false
        /// Items up to here were in a batch with something in it that the endpoint refuses: they go one by one.
        var suspects: UInt64 = 0
        var status = ForwardStatus()
        /// Why the last attempt failed, if nothing has gone through since.
        var trouble: ForwardTrouble?
        /// Whether people know that the journal refuses, since it last did not.
        var isRefusalTold = false
        /// What the journal is to know of it as of any sink.
        var record: SinkRecord
    }

    init(
        _ queue: ForwardQueue, to endpoint: any ForwardEndpoint, batch: Int, every: Duration,
        in surroundings: Surroundings
    ) throws {
        (self.queue, self.endpoint, self.surroundings, batchSize) = (queue, endpoint, surroundings, batch)
        var record = queue.value(SinkRecord.key(of: Forwarder.id)).flatMap { SinkRecord($0) } ?? SinkRecord()
        record.isRemoved = false
        var schedule = ForwardSchedule((batch, every), waiting: queue.count)
        schedule.isPaused = record.isPaused
        state = Mutex(State(schedule: schedule, record: record))
        if queue.dropped > 0 { try passDropped() }
    }

    /// Says it once.
    private func passDropped() throws {
        surroundings.say(
            """
            warning: up to \(queue.dropped) items that waited to be forwarded are lost
              why: they are not in the journal any more, which keeps what is not taken for a while only
              fix: keep it for longer in the configuration: 'journal: { keep: { for: 7d, atMost: 90d } }', in that of a service 'serve: { keep: … }'
            """)
        try queue.notePlace()
    }

    /// - Returns: whether there are new items in the queue.
    func lookForMore() -> Bool {
        // The journal may be busy: nothing else waits for that.
        guard let journaled = queue.journaled else { return false }
        return state.withLock { state in
            let count = queue.take(journaled)
            state.schedule.committed(count, at: now)
            return count > 0
        }
    }

    /// A subject was erased. The batch under way goes as it is.
    func forget(_ subject: String) {
        state.withLock { state in
            state.schedule.forgot(queue.forget(subject))
        }
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

    /// Does what is to be done now, if there is something. Where the journal refuses, the queue is as it was, and it is done again after a
    /// pause.
    ///
    /// - Returns: what it was; if it was an attempt, there may be more to do at once.
    func step() -> ForwardSchedule.Step {
        let step = state.withLock { $0.schedule.next(at: now) }
        guard step == .attempt else { return step }
        do {
            try attempt()
        } catch {
            state.withLock { $0.schedule.failed(at: now, share: surroundings.random()) }
            tell(ofRefusal: error)
        }
        return step
    }

    private func attempt() throws {
        guard let batch = try batchUnderway() else { return }
        if state.withLock({ $0.isTaken }) { return try take(batch) }
        switch Result(catching: { () throws(NoAnswer) in try endpoint.post(batch) }) {
        case .success(let answer): try act(on: answer, to: batch)
        case .failure(let failure): later(nil, ForwardTrouble(failure, of: endpoint.address))
        }
    }

    /// Once, until the journal takes something again.
    private func tell(ofRefusal error: any Error) {
        let isNew = state.withLock { state in
            defer { state.isRefusalTold = true }
            return !state.isRefusalTold
        }
        if isNew { surroundings.say("warning: forwarding waits for the journal: \(error)") }
    }

    private func batchUnderway() throws -> ForwardBatch? {
        let (batch, suspects) = state.withLock { ($0.batch, $0.suspects) }
        if let batch { return batch }
        let next = try queue.nextBatch(limit: batchSize, suspects: suspects)
        state.withLock { state in
            state.batch = next
            if let next { state.schedule.cut(next.count) } else { state.schedule.foundNothing(waiting: queue.count) }
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
        let record = state.withLock { state in
            state.isTaken = true
            return state.record.delivering(batch.count)
        }
        try queue.remove(batch, noting: record.values)
        let wasTroubled = state.withLock { state in
            state.record = state.record.delivering(batch.count)
            (state.batch, state.isTaken, state.isRefusalTold) = (nil, false, false)
            state.schedule.taken()
            state.status.forwarded += batch.count
            defer { (state.trouble, state.status.trouble) = (nil, nil) }
            return state.trouble != nil
        }
        if wasTroubled { surroundings.say("note: forwarding goes on: \(endpoint.address) takes items again") }
    }

    /// Which item is it about? Those before it arrive, and it will be alone at the front.
    private func split(_ batch: ForwardBatch) {
        queue.putBack()
        state.withLock { state in
            state.batch = nil
            state.suspects = batch.through
            state.schedule.split()
            state.failed()
        }
    }

    private func later(_ asked: Duration?, _ trouble: ForwardTrouble) {
        fail(trouble) { $0.failed(at: now, asked: asked, share: surroundings.random()) }
    }

    /// Tells of each trouble once, until something has gone through.
    private func fail(_ trouble: ForwardTrouble, _ wait: (inout ForwardSchedule) -> Void) {
        let (isNew, waiting, record) = state.withLock { state in
            wait(&state.schedule)
            state.failed()
            state.record.trouble = trouble.sentence
            defer { (state.trouble, state.status.trouble) = (trouble, trouble.sentence) }
            return (state.trouble != trouble, state.schedule.waiting, state.record)
        }
        if isNew { surroundings.say(trouble.warning(waiting: waiting)) }
        // 'belfry sinks list' knows of it by the journal alone.
        do {
            try queue.note(record.values)
            state.withLock { $0.isRefusalTold = false }
        } catch {
            tell(ofRefusal: error)
        }
    }

    // MARK: As one of the sinks

    var sinkStatus: SinkStatus {
        let (record, waiting) = state.withLock { ($0.record, max(0, $0.schedule.waiting)) }
        return SinkStatus(forwarding: record, waiting: waiting)
    }

    /// - Returns: 0: none of it is about single items.
    /// - Throws: `SinkRefusal`, `JournalError`.
    func act(_ action: SinkAction) throws -> Int {
        let record = try state.withLock { state in
            try state.record.act(onForward: action)
            state.schedule.isPaused = state.record.isPaused
            return state.record
        }
        try queue.note(record.values)
        return 0
    }
}

extension ForwardDelivery.State {
    fileprivate mutating func failed() {
        status.failedAttempts += 1
        record.failedAttempts += 1
    }
}

extension SinkRecord {
    /// What the journal is given of `forward`.
    fileprivate var values: [String: [UInt8]] { [Self.key(of: Forwarder.id): bytes] }

    /// With so many that were taken just now.
    fileprivate func delivering(_ count: Int) -> SinkRecord {
        var record = self
        (record.delivered, record.trouble) = (delivered + count, nil)
        return record
    }

    /// - Throws: `SinkRefusal`.
    mutating func act(onForward action: SinkAction) throws(SinkRefusal) {
        switch action {
        case .pause: isPaused = true
        case .resume: isPaused = false
        case .skip, .skipAll, .resend: throw SinkRefusal(action)
        }
    }
}

/// What is forwarded is never given up.
public struct SinkRefusal: Error, CustomStringConvertible {
    let action: SinkAction

    init(_ action: SinkAction) { self.action = action }

    public let what = "that cannot be done with 'forward'"
    public let why = "what is forwarded is never given up, so there is nothing to skip or to send again"
    public let fix = "pause it, or let the endpoint take what it has no use for and throw it away"

    public var description: String { "\(what)\n  why: \(why)\n  fix: \(fix)" }
}
