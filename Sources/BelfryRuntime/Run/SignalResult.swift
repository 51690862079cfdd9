import BelfryModel
import BelfrySignals

/// What became of a signal.
public enum SignalResult: Sendable {
    /// With the lines of the decisions that came of it at once.
    case decided(ArraySlice<UInt8>)
    /// It was processed before.
    case duplicate
    case rejected(SignalReject)

    /// What became of signals, with the lines of their decisions.
    ///
    /// - Parameters:
    ///   - places: in the order of the lines.
    ///   - lines: of the decisions of the whole batch.
    static func results(at places: [SignalPlace], in lines: [UInt8]) -> [SignalResult] {
        var rest = LineSplitter(lines)
        return places.map { place in
            switch place {
            case .decided(let own): .decided(rest.take(own))
            case .duplicate: .duplicate
            case .rejected(let reject): .rejected(reject)
            }
        }
    }
}

extension SignalPlace {
    /// What became of each line of a batch.
    static func places(of answers: [ShardAnswer], to batch: SignalBatch) -> [SignalPlace] {
        var places: [SignalPlace] = []
        var lines = 0
        ShardAnswer.forEachLine(of: batch, answeredBy: answers) { _, place, reject in
            if let reject { return places.append(.rejected(reject)) }
            guard let place else { return }
            let piece = answers[place.shard].pieces[place.piece]
            defer { lines += piece.count }
            guard let own = piece.own else { return places.append(.duplicate) }
            places.append(.decided(own.isEmpty ? 0..<0 : own.lowerBound + lines..<own.upperBound + lines))
        }
        return places
    }
}

/// Gives lines by their numbers, in ascending order.
private struct LineSplitter {
    private let bytes: [UInt8]
    private var (line, place) = (0, 0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func take(_ lines: Range<Int>) -> ArraySlice<UInt8> {
        if lines.isEmpty { return [] }
        skip(to: lines.lowerBound)
        let start = place
        skip(to: lines.upperBound)
        return bytes[start..<place]
    }

    private mutating func skip(to number: Int) {
        bytes.withUnsafeBytes { bytes in
            while line < number, place < bytes.count {
                place = (bytes.endOfLine(at: place) ?? bytes.count - 1) + 1
                line += 1
            }
        }
    }
}
