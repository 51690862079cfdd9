import BelfryModel
import BelfrySignals

/// Makes batches of the lines of an input: as many as lie in memory, up to a limit, and ticks by themselves.
final class BatchReader {
    private let reader: any SignalSource
    private let router = SignalRouter()
    private let decoder = SignalDecoder()
    private let shards: Int
    /// A line that was read and belongs to the next step.
    private var next: LineReader.Line?

    init(_ reader: any SignalSource, shards: Int) { (self.reader, self.shards) = (reader, shards) }

    var bytesRead: Int { reader.bytesRead }

    /// A subject was erased.
    func readAnew() throws { try reader.readAnew() }

    enum Step {
        case batch(SignalBatch)
        /// Time passes, for all subjects: what line says so, and until when.
        case tick(LineReader.Line, Instant)
    }

    /// Nil at the end of the input.
    ///
    /// - Parameters:
    ///   - limit: how many lines a batch may have.
    ///   - clock: asked when the lines are there: it may be long until the first one comes.
    ///   - wait: called when the input has nothing more to give for now; false ends it.
    func step(
        limit: Int, clock: @autoclosure () -> SignalDecoder.Clock?, wait: () throws -> Bool
    ) throws -> Step? {
        var (lines, chunks): ([SignalBatch.Line], [InputChunk]) = ([], [])
        while lines.count < limit {
            // Only the first line is waited for.
            guard let line = try take(isFirst: lines.isEmpty, wait) else { break }
            if chunks.last !== line.chunk { chunks.append(line.chunk) }
            if !line.isTooLong, line.bytes.isBlank {
                lines.append(SignalBatch.Line(line, hash: 0, shard: nil, reject: nil))
                continue
            }
            if let routed = routed(line) {
                lines.append(routed)
            } else if lines.isEmpty {
                return tick(line, clock())
            } else {
                next = line
                break
            }
        }
        return lines.isEmpty ? nil : .batch(SignalBatch(lines, in: chunks, clock: clock()))
    }

    /// A batch of lines that are not of the input.
    ///
    /// - Parameters:
    ///   - line: the number of the last line of the input.
    ///   - end: where that ends.
    func batch(of lines: [[UInt8]], line number: Int, end: Int, clock: SignalDecoder.Clock?) -> SignalBatch {
        let lines = lines.map { bytes in
            let block = bytes.withUnsafeBytes {
                SignalBlock($0, lines: [SignalBlock.Line(0..<bytes.count, number: number)])
            }
            return block.line(0, end: end)
        }
        return SignalBatch(lines.compactMap(routed), in: lines.map(\.chunk), clock: clock)
    }

    private func take(isFirst: Bool, _ wait: () throws -> Bool) throws -> LineReader.Line? {
        if let line = next.take() { return line }
        return isFirst ? try reader.next(wait: wait) : reader.nextBuffered()
    }

    /// Nil for a tick.
    private func routed(_ line: LineReader.Line) -> SignalBatch.Line? {
        if line.isTooLong { return SignalBatch.Line(line, hash: 0, shard: nil, reject: .tooLong) }
        switch router.route(line.bytes) {
        case .tick: return nil
        case .none: return SignalBatch.Line(line, hash: 0, shard: 0, reject: nil)
        case .subject(let subject):
            let hash = stableHash(subject)
            return SignalBatch.Line(line, hash: hash, shard: Self.shard(hash, of: shards), reject: nil)
        }
    }

    /// Which of so many shards has a subject, by the hash of its id.
    static func shard(_ hash: UInt64, of count: Int) -> Int { count == 1 ? 0 : Int((hash >> 33) % UInt64(count)) }

    private func tick(_ line: LineReader.Line, _ clock: SignalDecoder.Clock?) -> Step {
        decoder.clock = clock
        do throws(SignalReject) {
            let signal = try decoder.decode(line.bytes, line: line.number)
            return .tick(line, signal.time)
        } catch {
            let rejected = SignalBatch.Line(line, hash: 0, shard: nil, reject: error)
            return .batch(SignalBatch([rejected], in: [line.chunk], clock: clock))
        }
    }
}
