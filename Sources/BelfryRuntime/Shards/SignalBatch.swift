import BelfryModel
import BelfrySignals

/// Lines of the input that shards decide, each those of its subjects.
final class SignalBatch: Sendable {
    let lines: [Line]
    /// Keep the bytes of the lines.
    private let chunks: [InputChunk]
    /// The time of day, if signals are held against it.
    let clock: SignalDecoder.Clock?

    struct Line: Sendable {
        private let place: Constant<UnsafeBufferPointer<UInt8>>
        /// From 1.
        let number: Int
        /// Where it ends in the input.
        let end: Int
        /// Of the subject, as of `stableHash`; 0 without one.
        let hash: UInt64
        /// The shard that has the subject; nil for a line that no shard decides.
        let shard: Int?
        /// Why it is not decided, if that is known before anything else.
        let reject: SignalReject?

        init(_ line: LineReader.Line, hash: UInt64, shard: Int?, reject: SignalReject?) {
            (place, number, end) = (Constant(line.bytes), line.number, line.end)
            (self.hash, self.shard, self.reject) = (hash, shard, reject)
        }

        /// A line that another process read.
        init(_ bytes: UnsafeBufferPointer<UInt8>, number: Int, hash: UInt64) {
            (place, self.number, end) = (Constant(bytes), number, 0)
            (self.hash, shard, reject) = (hash, 0, nil)
        }

        var bytes: UnsafeBufferPointer<UInt8> { place.pointer }
    }

    init(_ lines: [Line], in chunks: [InputChunk], clock: SignalDecoder.Clock?) {
        (self.lines, self.chunks, self.clock) = (lines, chunks, clock)
    }

    /// The places of the lines that a shard decides.
    func lines(of shard: Int) -> [Int] { lines.indices.filter { lines[$0].shard == shard } }
}
