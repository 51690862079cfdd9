import BelfryCore
import BelfryModel
import BelfrySignals

/// Hands out the decisions of a batch that is committed: runs its actions, and writes its lines.
struct Delivery {
    let output: ByteOutput
    let actions: any ActionCalls

    /// - Returns: the calls that did not take a geotrigger which waited for them, and how all calls have ended.
    func deliver(_ batch: OutgoingBatch) throws -> (unhandled: [ActionCall], outcomes: [Decision.Outcome]) {
        let outcomes = batch.calls.isEmpty ? [] : actions.run(batch.calls.map(\.invocation))
        try output.append(batch.lines(outcomes))
        try output.flush()
        let unhandled = zip(batch.calls, outcomes).filter { $0.isAwaited && $1.status != .ok }.map(\.0)
        return (unhandled, outcomes)
    }

    /// Makes room for a batch that was committed, and perhaps written in part, when the process was killed: what is
    /// there of it in a file is cut off, back to the length that was committed.
    ///
    /// What to cut is known by its bytes: a file that was moved away or copied back holds them as well.
    ///
    /// - Throws: `TornOutput` if the file goes on with something else.
    func takeBack(_ batch: OutgoingBatch, writtenAfter position: OutputPosition?) throws {
        guard let position, let file = try output.position(), file.length > position.length else { return }
        let excess = file.length - position.length
        if batch.mayBegin(with: try output.bytes(at: position.length, count: excess)) {
            try output.cut(to: position.length)
        } else if file.isSameFile(as: position) {
            throw TornOutput(name: output.name, length: position.length, excess: excess)
        }
    }
}

/// The output has grown by something that is no decision of this store.
public struct TornOutput: Error, CustomStringConvertible {
    let name: String
    let length: Int
    let excess: Int

    public var description: String {
        """
        cannot go on with \(name)
          why: after the first \(length) bytes, which this store's decisions fill, there are \(excess) bytes of something else
          fix: name another file with --output, or remove what does not belong there; the decisions are safe in the store
        """
    }
}
