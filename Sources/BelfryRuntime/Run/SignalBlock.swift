import BelfrySignals

/// Lines of signals that are given to an intake together.
public struct SignalBlock: Sendable {
    /// Where a line is in the bytes of a block, without its end, and which one it is.
    public struct Line: Sendable {
        public var range: Range<Int>
        /// Stands for the id of a signal that has none.
        public var number: Int

        public init(_ range: Range<Int>, number: Int) { (self.range, self.number) = (range, number) }
    }

    let chunk: InputChunk
    public let lines: [Line]
    /// How many bytes it takes.
    let size: Int
    /// The request that it is of, if that is to be done once, and which of its signals is the first here.
    public var request: (mark: RequestMark, first: Int)?

    /// - Parameters:
    ///   - bytes: are copied.
    ///   - lines: none of them is blank.
    public init(_ bytes: UnsafeRawBufferPointer, lines: [Line]) {
        (self.lines, size) = (lines, bytes.count)
        chunk = InputChunk(capacity: bytes.count)
        UnsafeMutableRawBufferPointer(chunk.bytes).copyMemory(from: bytes)
    }

    private init(_ other: SignalBlock, lines: [Line]) { (chunk, size, self.lines) = (other.chunk, other.size, lines) }

    public var count: Int { lines.count }

    /// The same without its first lines.
    public func dropFirst(_ count: Int) -> SignalBlock {
        var rest = SignalBlock(self, lines: Array(lines.dropFirst(count)))
        rest.request = request.map { ($0.mark, $0.first + count) }
        return rest
    }

    /// Lends the bytes of a line.
    public func withLine<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result
    {
        try body(UnsafeBufferPointer(rebasing: chunk.bytes[lines[index].range]))
    }

    /// A line as a run takes it.
    func line(_ index: Int, end: Int) -> LineReader.Line {
        let line = lines[index]
        let isTooLong = line.range.count > SignalDecoder.lineLimit
        let bytes = UnsafeBufferPointer(rebasing: chunk.bytes[isTooLong ? line.range.prefix(200) : line.range])
        return LineReader.Line(bytes: bytes, isTooLong: isTooLong, number: line.number, end: end, chunk: chunk)
    }
}
