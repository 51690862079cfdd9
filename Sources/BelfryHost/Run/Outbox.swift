import BelfryEngine
import BelfryModel
import BelfryStore

/// Makes batches durable, and hands out their decisions when they are: a transactional outbox.
///
/// What changed, the decisions and the position in the input are committed together; the decisions leave after that; with a later commit
/// they are marked as handed out. So whenever the process ends, the next run hands out what was committed and not marked, and goes on
/// behind the last signal that was committed (docs/reliability.md).
final class Outbox {
    private let lanes: Lanes
    private let store: any RecordStore
    private let isDurable: Bool
    private let forwarder: Forwarder?
    var delivery: Delivery
    private(set) var position: RunPosition
    /// The position that the store has.
    private var committed: RunPosition
    /// The batches that the store holds and that are not marked as handed out.
    private var unmarked = (count: 0, haveActions: false)
    /// The last batch, until it is durable and has left: the next one may be decided meanwhile.
    private var underway: OutgoingBatch?
    /// Whether it leaves as soon as it is durable, without this thread.
    private var leavesByItself = false
    private var writer = JSONWriter()

    init(
        _ lanes: Lanes, _ store: any RecordStore, isDurable: Bool, _ position: RunPosition, _ delivery: Delivery,
        _ forwarder: Forwarder?
    ) {
        (self.lanes, self.store, self.isDurable) = (lanes, store, isDurable)
        (self.position, committed) = (position, position)
        (self.delivery, self.forwarder) = (delivery, forwarder)
    }

    // MARK: What an earlier run left

    /// Whether something was committed by a run that could not say any more that it had left.
    var hasLeftovers: Bool { get throws { try !OutgoingBatch.waiting(in: store).isEmpty } }

    /// - Returns: how many decisions that were.
    func handOutLeftovers() throws -> Int {
        guard let batch = try OutgoingBatch(joining: OutgoingBatch.waiting(in: store)) else { return 0 }
        try delivery.takeBack(batch, writtenAfter: position.output)
        try notePlaceOfOutput()
        try deliver(batch)
        unmarked.count = 1
        try markHandedOut()
        return Int(batch.count)
    }

    /// The file may be another one than that of the run before, or shorter: a kill from here on leaves a part of the batch there.
    private func notePlaceOfOutput() throws {
        let place = try delivery.output.position()
        guard place != position.output else { return }
        position.output = place
        try lanes.commit(StoreBatch(meta: position.meta))
        committed = position
    }

    // MARK: Commits

    /// What lanes have decided since the last one.
    func batch(of order: [Lanes.Stretch]) -> OutgoingBatch {
        position.watermark = lanes.watermark
        let batch = OutgoingBatch(order, of: lanes.all, first: position.decisions + 1, writer: &writer)
        position.decisions += batch.count
        return batch
    }

    /// Makes the batch durable, then hands out its decisions and runs its actions.
    ///
    /// - Parameters:
    ///   - place: how far the input was decided; nil if it is no file.
    ///   - isWaiting: false: the next batch may be decided while this one is made durable, and leaves later.
    func commit(_ batch: OutgoingBatch, _ order: [Lanes.Stretch], from place: InputPosition?, isWaiting: Bool) throws {
        let forwarded = forwarder == nil ? [] : order.flatMap { lanes.all[$0.lane].effects.outgoing[$0.outgoing] }
        // An action may change a record; who forwards is told what is durable; and a record that makes room must be in the store by then.
        let isWaiting = isWaiting || !batch.calls.isEmpty || forwarder != nil || lanes.needsRoom
        if let place { position.input = place }
        try isDurable ? store(batch, forwarded, isWaiting: isWaiting) : keep(forwarded)
        underway = batch
        if isWaiting || !isDurable { try finish() }
    }

    /// Waits until the last batch is durable, then hands it out.
    func finish() throws {
        guard let batch = underway else { return }
        underway = nil
        try lanes.finishCommit()
        forwarder?.didCommit()
        // What the next batch has changed goes with that one.
        if !lanes.hasChanges { try lanes.makeRoom() }
        if !leavesByItself { try deliver(batch) }
        leavesByItself = false
    }

    /// One transaction: what changed, where the input is, what is to leave, and that what was to leave before has left.
    private func store(_ batch: OutgoingBatch, _ forwarded: [Outgoing], isWaiting: Bool) throws {
        guard batch.count > 0 || position != committed || lanes.hasChanges else { return }
        let marks = try isWaiting || isToBeMarked
        if isWaiting {
            position.output = try delivery.output.position()
        } else if marks || unmarked.count == 0 {
            position.output = try delivery.output.place()
        }
        let change = QueueChange(
            queue: OutgoingBatch.queue, removedThrough: marks ? .max : nil,
            appended: batch.count == 0 ? [] : [batch.stored])
        var stored = StoreBatch(meta: position.meta, queues: [change])
        forwarder?.append(forwarded, to: &stored)
        try isWaiting ? lanes.commit(stored) : beginCommit(stored, batch, marks: marks)
        committed = position
        if marks { unmarked = (0, false) }
        if batch.count > 0 { unmarked = (unmarked.count + 1, !batch.calls.isEmpty) }
    }

    /// To note that decisions have left, a run waits until they are on the disk: not for each batch in a flood, if what a kill leaves of
    /// them in a file can be cut off again, and none has called a handler.
    private var isToBeMarked: Bool {
        get throws { try unmarked.count >= 16 || unmarked.haveActions || delivery.output.place() == nil }
    }

    /// Makes the batch durable and hands it out while the next one is decided. It has no actions.
    private func beginCommit(_ stored: StoreBatch, _ batch: OutgoingBatch, marks: Bool) throws {
        let output = delivery.output
        try lanes.beginCommit(
            stored,
            first: {
                // What is marked with it as handed out has to be on the disk by then.
                if marks { try output.sync() }
            },
            then: { [lines = batch.bytes] in
                try output.append(lines)
                try output.flush()
            })
        leavesByItself = true
    }

    /// In memory, the queue of the forwarder is all that needs the store.
    private func keep(_ forwarded: [Outgoing]) throws {
        var stored = StoreBatch()
        forwarder?.append(forwarded, to: &stored)
        if !stored.isEmpty { try store.commit(stored) }
    }

    private func deliver(_ batch: OutgoingBatch) throws {
        for call in try delivery.deliver(batch) {
            guard let campaign = call.invocation.campaign else { continue }
            try lanes.lane(of: call.subject).markUnhandled(campaign, firedAt: call.time, of: call.subject)
        }
    }

    /// Commits that the last batches have left, so that they do not leave again.
    func markHandedOut() throws {
        guard unmarked.count > 0 else { return }
        position.output = try delivery.output.position()
        try lanes.commit(
            StoreBatch(meta: position.meta, queues: [QueueChange(queue: OutgoingBatch.queue, removedThrough: .max)]))
        committed = position
        unmarked = (0, false)
    }
}
