import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryStore

/// Makes batches durable, and hands out their decisions when they are: a transactional outbox.
///
/// What changed, the decisions and the position in the input are committed together; the decisions leave after that; with a later commit
/// they are marked as handed out. So whenever the process ends, the next run hands out what was committed and not marked, and goes on
/// behind the last signal that was committed (docs/reliability.md).
final class Outbox {
    private let store: any RecordStore
    private let isDurable: Bool
    private let forwarder: Forwarder?
    var delivery: Delivery
    var position: RunPosition
    /// The position that the store has.
    private var committed: RunPosition
    /// The batches that the store holds and that are not marked as handed out.
    private var unmarked = (count: 0, haveActions: false)

    init(
        _ store: any RecordStore, isDurable: Bool, _ position: RunPosition, _ delivery: Delivery,
        _ forwarder: Forwarder?
    ) {
        (self.store, self.isDurable) = (store, isDurable)
        (self.position, committed) = (position, position)
        (self.delivery, self.forwarder) = (delivery, forwarder)
    }

    // MARK: What an earlier run left

    /// Whether something was committed by a run that could not say any more that it had left.
    var hasLeftovers: Bool { get throws { try !OutgoingBatch.waiting(in: store).isEmpty } }

    /// - Parameter markUnhandled: takes back that a geotrigger was handled, and gives the changes.
    /// - Returns: how many decisions that were.
    func handOutLeftovers(_ markUnhandled: ([ActionCall]) throws -> [RecordChange]) throws -> Int {
        guard let batch = try OutgoingBatch(joining: OutgoingBatch.waiting(in: store)) else { return 0 }
        try delivery.takeBack(batch, writtenAfter: position.output)
        try notePlaceOfOutput()
        let changes = try markUnhandled(delivery.deliver(batch))
        unmarked.count = 1
        try markHandedOut(changes)
        return batch.count
    }

    /// The file may be another one than that of the run before, or shorter: a kill from here on leaves a part of the batch there.
    private func notePlaceOfOutput() throws {
        let place = try delivery.output.position()
        guard place != position.output else { return }
        position.output = place
        try store.commit(StoreBatch(meta: position.meta))
        committed = position
    }

    // MARK: Commits

    /// Makes a batch durable, then hands out its decisions and runs its actions.
    ///
    /// - Parameters:
    ///   - changes: the records that changed.
    ///   - marked: whether what failed to be handled in the batches before is among the changes.
    /// - Returns: the calls that did not take a geotrigger which waited for them.
    func commit(
        _ batch: OutgoingBatch, _ changes: [RecordChange], _ forwarded: [Outgoing], marked: Bool
    ) throws -> [ActionCall] {
        if isDurable { try store(batch, changes, forwarded, marked: marked) } else { try keep(forwarded) }
        forwarder?.didCommit()
        return try delivery.deliver(batch)
    }

    /// One transaction: what changed, where the input is, what is to leave, and that what was to leave before has left.
    private func store(
        _ batch: OutgoingBatch, _ changes: [RecordChange], _ forwarded: [Outgoing], marked: Bool
    ) throws {
        guard batch.count > 0 || position != committed || !changes.isEmpty || !forwarded.isEmpty else { return }
        let marks = try marked && isToBeMarked
        if marks {
            position.output = try delivery.output.position()
        } else if unmarked.count == 0 {
            position.output = try delivery.output.place()
        }
        let change = QueueChange(
            queue: OutgoingBatch.queue, removedThrough: marks ? .max : nil,
            appended: batch.count == 0 ? [] : [batch.stored])
        var stored = StoreBatch(records: changes, meta: position.meta, queues: [change])
        forwarder?.append(forwarded, to: &stored)
        try store.commit(stored)
        committed = position
        if marks { unmarked = (0, false) }
        if batch.count > 0 { unmarked = (unmarked.count + 1, !batch.calls.isEmpty) }
    }

    /// To note that decisions have left, a run waits until they are on the disk: not for each batch in a flood, if what a kill leaves of
    /// them in a file can be cut off again, and none has called a handler.
    private var isToBeMarked: Bool {
        get throws { try unmarked.count >= 16 || unmarked.haveActions || delivery.output.place() == nil }
    }

    /// In memory, the queue of the forwarder is all that needs the store.
    private func keep(_ forwarded: [Outgoing]) throws {
        var stored = StoreBatch()
        forwarder?.append(forwarded, to: &stored)
        if !stored.isEmpty { try store.commit(stored) }
    }

    /// Commits that the last batches have left, so that they do not leave again.
    func markHandedOut(_ changes: [RecordChange] = []) throws {
        guard isDurable, unmarked.count > 0 || !changes.isEmpty else { return }
        position.output = try delivery.output.position()
        let queue = QueueChange(queue: OutgoingBatch.queue, removedThrough: .max)
        try store.commit(StoreBatch(records: changes, meta: position.meta, queues: [queue]))
        committed = position
        unmarked = (0, false)
    }
}
