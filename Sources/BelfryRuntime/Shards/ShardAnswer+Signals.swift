import BelfryModel

extension [ShardAnswer] {
    /// Appends the lines of the signals that were decided, in the order in which they came.
    ///
    /// - Parameter order: of all pieces.
    func appendSignals(in order: [ShardAnswer.Place], to lines: inout [UInt8]) {
        if count == 1 { return self[0].signals.withBytes { lines.append(contentsOf: $0) } }
        var next = [Int](repeating: 0, count: count)
        for place in order where self[place.shard].pieces[place.piece].own != nil {
            self[place.shard].signals.withBytes { bytes in
                let start = next[place.shard]
                // The process of a shard may have given fewer lines than pieces.
                next[place.shard] = bytes.endOfLine(at: start).map { $0 + 1 } ?? bytes.count
                lines.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<next[place.shard]]))
            }
        }
    }
}
