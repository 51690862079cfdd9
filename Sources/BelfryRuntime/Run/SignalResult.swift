import BelfryModel
import BelfrySignals

/// What became of a signal.
public enum SignalResult: Sendable {
    /// With the lines of the decisions that came of it at once.
    case decided(ArraySlice<UInt8>)
    /// It was processed before.
    case duplicate
    case rejected(SignalReject)

    /// What became of each line of a batch.
    ///
    /// - Parameter lines: of the decisions of the whole batch.
    static func results(of answers: [ShardAnswer], to batch: SignalBatch, _ lines: [UInt8]) -> [SignalResult] {
        var next = Array(repeating: 0, count: answers.count)
        var rejects = answers.map { $0.rejects[...] }
        var rest = DecisionSplitter(lines)
        return batch.lines.compactMap { line in
            guard let shard = line.shard else { return line.reject.map { .rejected($0) } }
            let place = next[shard]
            next[shard] += 1
            if rejects[shard].first?.piece == place { return .rejected(rejects[shard].removeFirst().reject) }
            let piece = answers[shard].pieces[place]
            let decisions = rest.take(piece.count, own: piece.own ?? 0..<0)
            return piece.own == nil ? .duplicate : .decided(decisions)
        }
    }
}

/// Gives the lines of decisions piece by piece.
private struct DecisionSplitter {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Passes over so many lines.
    ///
    /// - Returns: some of them.
    mutating func take(_ count: Int, own: Range<Int>) -> ArraySlice<UInt8> {
        var (start, end) = (place, place)
        for line in 0..<count {
            if line == own.lowerBound { start = place }
            place = (bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count - 1) + 1
            if line + 1 == own.upperBound { end = place }
        }
        return own.isEmpty ? [] : bytes[start..<end]
    }
}
