/// The lines of an input in groups. Those that come next are read early, as far as they lie in memory, so that lanes with nothing else to do
/// decode them.
final class LineSource {
    private let reader: LineReader
    /// Whether lines are decided together.
    private let isGrouped: Bool
    /// The groups after the one that `next` has returned.
    private(set) var ahead: [LineGroup] = []

    init(_ reader: LineReader, isGrouped: Bool) { (self.reader, self.isGrouped) = (reader, isGrouped) }

    var bytesRead: Int { reader.bytesRead }

    /// A line alone, or several, which somebody may have decoded already.
    enum Next {
        case line(LineGroup.Line)
        case group(LineGroup)
    }

    /// The next line; where they are decided together, all that lie in memory, up to the end of the batch. Nil at the end of the input.
    ///
    /// - Parameters:
    ///   - room: how many lines the batch may still take.
    ///   - wait: called when the input has nothing more to give for now; false ends it.
    func next(room: Int, batchSize: Int, wait: () throws -> Bool) throws -> Next? {
        if ahead.isEmpty {
            guard let first = try reader.next(wait: wait) else { return nil }
            let line = LineGroup.Line(content: first, number: reader.lineNumber, end: reader.offset)
            let others = isGrouped ? buffered(atMost: room - 1) : []
            if others.isEmpty { return .line(line) }
            ahead = [LineGroup([line] + others)]
        }
        let group = ahead.removeFirst()
        readAhead(room: room - group.lines.count, batchSize)
        return .group(group)
    }

    /// As far as two batches go, so that nobody runs out of lines.
    private func readAhead(room: Int, _ batchSize: Int) {
        while ahead.count < 2 {
            let rest = ahead.reduce(room) { $0 - $1.lines.count }
            let lines = buffered(atMost: rest > 0 ? rest : batchSize + rest % batchSize)
            guard !lines.isEmpty else { return }
            ahead.append(LineGroup(lines))
        }
    }

    private func buffered(atMost count: Int) -> [LineGroup.Line] {
        var lines: [LineGroup.Line] = []
        while lines.count < count, let line = reader.nextBuffered() {
            lines.append(LineGroup.Line(content: line, number: reader.lineNumber, end: reader.offset))
        }
        return lines
    }

    /// What was decoded was so for another configuration.
    func forgetDecoded() { ahead = ahead.map { LineGroup($0.lines) } }
}
