import Glibc

/// Reads lines from a file descriptor, in large pieces.
final class LineReader {
    enum Line {
        /// Without its line end; valid until the next call of `next`.
        case line(UnsafeBufferPointer<UInt8>)
        /// Longer than the limit; its first bytes.
        case tooLong(UnsafeBufferPointer<UInt8>)
    }

    private let descriptor: Int32
    private let limit: Int
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    @exclusivity(unchecked) private var start = 0
    @exclusivity(unchecked) private var end = 0
    @exclusivity(unchecked) private var isAtEnd = false
    /// Bytes taken from the descriptor so far.
    @exclusivity(unchecked) private(set) var bytesRead: Int
    @exclusivity(unchecked) private(set) var lineNumber: Int
    /// Whether it ended before its input did.
    @exclusivity(unchecked) private(set) var isStopped = false
    /// The beginning of the line passed over last.
    private var skipped: [UInt8] = []

    /// - Parameters:
    ///   - offset: where in its file the descriptor is, in bytes.
    ///   - line: how many lines come before that.
    init(_ descriptor: Int32, limit: Int, offset: Int = 0, line: Int = 0) {
        self.descriptor = descriptor
        self.limit = limit
        bytesRead = offset
        lineNumber = line
        buffer = .allocate(capacity: limit + (2 << 20))
    }

    deinit { buffer.deallocate() }

    /// Where in the input the next line begins.
    var offset: Int { bytesRead - (end - start) }

    /// The next line, or nil at the end of the input.
    ///
    /// - Parameter wait: called before a read that would wait for more input; returns whether to go on.
    func next(wait: () throws -> Bool) throws -> Line? {
        while !isStopped {
            if let line = takeLine() { return line }
            if isAtEnd { return takeRest() }
            if end - start > limit { return try skipLine(wait) }
            try fill(wait)
        }
        return nil
    }

    /// The next line if it lies in memory already: lines before it stay valid.
    func nextBuffered() -> Line? { isStopped ? nil : takeLine() }

    private func takeLine() -> Line? {
        guard let length = newline() else { return nil }
        defer { start += length + 1 }
        return line(length)
    }

    private func takeRest() -> Line? {
        guard end > start else { return nil }
        defer { start = end }
        return line(end - start)
    }

    private func line(_ length: Int) -> Line {
        lineNumber += 1
        let bytes = slice(start, length)
        return length > limit ? .tooLong(slice(start, 200)) : .line(bytes)
    }

    /// Passes over a line that does not fit, keeping only its beginning.
    private func skipLine(_ wait: () throws -> Bool) throws -> Line? {
        lineNumber += 1
        skipped = Array(slice(start, 200))
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
        return skipped.withUnsafeBufferPointer { .tooLong($0) }
    }

    private func newline() -> Int? {
        guard let found = memchr(buffer.baseAddress! + start, 0x0A, end - start) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(buffer.baseAddress! + start)
    }

    private func slice(_ start: Int, _ length: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: buffer.baseAddress! + start, count: length)
    }

    private func fill(_ wait: () throws -> Bool) throws {
        if start > 0 {
            memmove(buffer.baseAddress!, buffer.baseAddress! + start, end - start)
            (start, end) = (0, end - start)
        }
        if wouldWait(), !(try wait()) {
            isStopped = true
            return
        }
        let count = read(descriptor, buffer.baseAddress! + end, buffer.count - end)
        if count < 0 {
            if errno == EINTR { return }
            throw InputFailure(reason: String(cString: strerror(errno)))
        }
        isAtEnd = count == 0
        end += count
        bytesRead += count
    }

    private func wouldWait() -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Some editors begin a file with a byte order mark, and RFC 8259 lets a reader pass over it.
    var withoutByteOrderMark: Self { starts(with: [0xEF, 0xBB, 0xBF]) ? Self(rebasing: self[3...]) : self }

    /// Whether there is nothing in the line.
    var isBlank: Bool { !contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D } }
}

/// Why the input cannot be read.
struct InputFailure: Error, CustomStringConvertible {
    var reason: String

    var description: String {
        "cannot read the signals\n  why: \(reason)\n  fix: check the file or the pipe that --signals names"
    }
}
