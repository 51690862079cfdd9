/// Which lines of an entry of the journal are the answer to which of its signals: what is made of a signal at once, and not what timers
/// made of it later.
///
/// For each signal 4 bytes for the first line, and 4 for how many there are, little endian.
struct AnswerPlaces {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(bytes: [UInt8]) { self.bytes = bytes }

    var count: Int { bytes.count / 8 }

    /// The lines of the answer to a signal, by their places in the entry.
    subscript(signal: Int) -> Range<Int> {
        let (first, count) = (number(at: signal * 8), number(at: signal * 8 + 4))
        return first..<first + count
    }

    mutating func append(_ lines: Range<Int>) {
        for number in [lines.isEmpty ? 0 : lines.lowerBound, lines.count] {
            withUnsafeBytes(of: UInt32(number).littleEndian) { bytes.append(contentsOf: $0) }
        }
    }

    /// Adds the signals of a batch, as their lines are in the entry.
    mutating func append(_ answers: [ShardAnswer], in order: [ShardAnswer.Place]) {
        var line = 0
        for place in order {
            let piece = answers[place.shard].pieces[place.piece]
            if let lines = piece.own { append(lines.lowerBound + line..<lines.upperBound + line) }
            line += piece.count
        }
    }

    private func number(at offset: Int) -> Int {
        Int(bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) })
    }
}
