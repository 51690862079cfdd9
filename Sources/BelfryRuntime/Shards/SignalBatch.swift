import BelfryModel
import BelfrySignals

/// Lines of the input that shards decide, each those of its subjects.
final class SignalBatch: Sendable {
    let lines: [Line]
    /// The time of day, if signals are held against it.
    let clock: SignalDecoder.Clock?

    struct Line: Sendable {
        /// Kept by the chunk.
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
        private let chunk: InputChunk

        init(_ line: LineReader.Line, hash: UInt64, shard: Int?, reject: SignalReject?) {
            (place, number, end, chunk) = (Constant(line.bytes), line.number, line.end, line.chunk)
            (self.hash, self.shard, self.reject) = (hash, shard, reject)
        }

        /// A line that another process read.
        init(_ bytes: UnsafeBufferPointer<UInt8>, number: Int, hash: UInt64, keptBy chunk: InputChunk) {
            (place, self.number, end, self.chunk) = (Constant(bytes), number, 0, chunk)
            (self.hash, shard, reject) = (hash, 0, nil)
        }

        var bytes: UnsafeBufferPointer<UInt8> { place.pointer }
    }

    init(_ lines: [Line], clock: SignalDecoder.Clock?) { (self.lines, self.clock) = (lines, clock) }

    /// The places of the lines that a shard decides.
    func lines(of shard: Int) -> [Int] {
        // Borrowed: to copy a line is to count a reference of its chunk of input, at which shards would wait for one another.
        let all = lines
        let borrowed = all.span
        var places: [Int] = []
        for place in borrowed.indices where borrowed[place].shard == shard { places.append(place) }
        return places
    }
}
