import BelfryModel
import Glibc
import Synchronization

/// A piece of the input. Lines lie in it for as long as it is kept.
package final class InputChunk: Sendable {
    /// Filled before lines are handed out, and from then on only behind them.
    private let place: Constant<UnsafeMutableBufferPointer<UInt8>>

    /// What a parser may read behind the last line.
    static let padding = 64
    private let used = Atomic(0)

    package init(capacity: Int) { place = Constant(.allocate(capacity: capacity + Self.padding)) }

    deinit { bytes.deallocate() }

    package var bytes: UnsafeMutableBufferPointer<UInt8> { place.pointer }

    /// Copies a line behind those that were copied before. There is room for as many bytes as it was made for.
    package func append(_ line: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt8> {
        let end = used.wrappingAdd(line.count, ordering: .relaxed).newValue
        precondition(end + Self.padding <= bytes.count)
        let place = UnsafeMutableRawBufferPointer(start: bytes.baseAddress! + end - line.count, count: line.count)
        place.copyMemory(from: line)
        return UnsafeBufferPointer(place.assumingMemoryBound(to: UInt8.self))
    }
}

/// Reads lines from a file descriptor, in large pieces.
package final class LineReader {
    /// A line, or its beginning if it is too long.
    package struct Line {
        /// Without its line end, and without the mark that a file may begin with.
        package let bytes: UnsafeBufferPointer<UInt8>
        package let isTooLong: Bool
        /// From 1.
        package let number: Int
        /// Where it ends in the input.
        package let end: Int
        /// Keeps the bytes.
        package let chunk: InputChunk

        package init(
            bytes: UnsafeBufferPointer<UInt8>, isTooLong: Bool, number: Int, end: Int, chunk: InputChunk
        ) {
            (self.bytes, self.isTooLong, self.number) = (bytes, isTooLong, number)
            (self.end, self.chunk) = (end, chunk)
        }
    }

    private let descriptor: Int32
    private let limit: Int
    @exclusivity(unchecked) private var chunk: InputChunk
    @exclusivity(unchecked) private var start = 0
    @exclusivity(unchecked) private var end = 0
    @exclusivity(unchecked) private var isAtEnd = false
    /// Bytes taken from the descriptor so far.
    @exclusivity(unchecked) package private(set) var bytesRead: Int
    @exclusivity(unchecked) package private(set) var lineNumber: Int
    /// Whether it ended before its input did.
    @exclusivity(unchecked) private(set) var isStopped = false

    private static let chunkSize = 1 << 20

    /// - Parameters:
    ///   - offset: where in its file the descriptor is, in bytes.
    ///   - line: how many lines come before that.
    package init(_ descriptor: Int32, limit: Int, offset: Int = 0, line: Int = 0) {
        self.descriptor = descriptor
        self.limit = limit
        bytesRead = offset
        lineNumber = line
        chunk = InputChunk(capacity: Self.chunkSize)
    }

    /// Where in the input the next line begins.
    package var offset: Int { bytesRead - (end - start) }

    /// The next line, or nil at the end of the input.
    ///
    /// - Parameter wait: called before a read that would wait for more input; returns whether to go on.
    package func next(wait: () throws -> Bool) throws -> Line? {
        while !isStopped {
            if let line = takeLine() { return line }
            if isAtEnd { return takeRest() }
            // One byte more may be a `\r`, whose `\n` is still to come.
            if end - start > limit + 1 { return try skipLine(wait) }
            try fill(wait)
        }
        return nil
    }

    /// The next line if it lies in memory already.
    package func nextBuffered() -> Line? { isStopped ? nil : takeLine() }

    private func takeLine() -> Line? {
        guard let length = newline() else { return nil }
        defer { start += length + 1 }
        let text = UnsafeRawBufferPointer(chunk.bytes).endOfText(of: start..<start + length) - start
        return line(text, end: offset + length + 1)
    }

    private func takeRest() -> Line? {
        guard end > start else { return nil }
        defer { start = end }
        return line(end - start, end: bytesRead)
    }

    private func line(_ length: Int, end: Int) -> Line {
        lineNumber += 1
        let isTooLong = length > limit
        return Line(
            bytes: slice(isTooLong ? 200 : length), isTooLong: isTooLong, number: lineNumber, end: end, chunk: chunk)
    }

    /// Passes over a line that does not fit, keeping only its beginning.
    private func skipLine(_ wait: () throws -> Bool) throws -> Line? {
        lineNumber += 1
        let (beginning, kept) = (slice(200), chunk)
        chunk = InputChunk(capacity: Self.chunkSize)
        (start, end) = (0, 0)
        while true {
            if let length = newline() {
                start += length + 1
                break
            }
            start = end
            if isAtEnd { break }
            try fill(wait)
            if isStopped { return nil }
        }
        return Line(bytes: beginning, isTooLong: true, number: lineNumber, end: offset, chunk: kept)
    }

    private func newline() -> Int? {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(chunk.bytes)[start..<end]).endOfLine(at: 0)
    }

    private func slice(_ length: Int) -> UnsafeBufferPointer<UInt8> {
        let bytes = UnsafeBufferPointer(start: chunk.bytes.baseAddress! + start, count: length)
        return lineNumber == 1 ? bytes.withoutByteOrderMark : bytes
    }

    private func fill(_ wait: () throws -> Bool) throws {
        if wouldWait(), !(try wait()) {
            isStopped = true
            return
        }
        if chunk.bytes.count - InputChunk.padding - end < Self.chunkSize / 2 { moveRest() }
        let room = chunk.bytes.count - InputChunk.padding - end
        let count = read(descriptor, chunk.bytes.baseAddress! + end, room)
        if count < 0 {
            if errno == EINTR { return }
            throw InputFailure(reason: String(cString: strerror(errno)))
        }
        isAtEnd = count == 0
        end += count
        bytesRead += count
    }

    /// Takes the line that is not whole yet to a new chunk: the lines before it may be at work.
    private func moveRest() {
        let rest = UnsafeBufferPointer(start: chunk.bytes.baseAddress! + start, count: end - start)
        let next = InputChunk(capacity: rest.count + Self.chunkSize)
        UnsafeMutableRawBufferPointer(next.bytes).copyMemory(from: UnsafeRawBufferPointer(rest))
        chunk = next
        (start, end) = (0, rest.count)
    }

    private func wouldWait() -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Some editors begin a file with a byte order mark, and RFC 8259 lets a reader pass over it.
    fileprivate var withoutByteOrderMark: Self { starts(with: [0xEF, 0xBB, 0xBF]) ? Self(rebasing: self[3...]) : self }

    /// Whether there is nothing in the line.
    package var isBlank: Bool { !contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D } }
}

/// Why the input cannot be read.
package struct InputFailure: Error, CustomStringConvertible {
    package var reason: String

    package init(reason: String) {
        self.reason = reason
    }

    package var description: String {
        "cannot read the signals\n  why: \(reason)\n  fix: check the file or the pipe that --signals names"
    }
}
