import Glibc

extension UnsafeRawBufferPointer {
    /// Where the line ends that a place is in; nil for one that has no end.
    package func endOfLine(at start: Int) -> Int? {
        guard let bytes = baseAddress, let end = memchr(bytes + start, Int32(UInt8(ascii: "\n")), count - start) else {
            return nil
        }
        return UnsafeRawPointer(end) - bytes
    }

    /// The line that begins there, without its end, and where the next one begins. The last line needs no end.
    package func line(at start: Int) -> (text: Range<Int>, next: Int) {
        guard let end = endOfLine(at: start) else { return (start..<count, count) }
        return (start..<endOfText(of: start..<end), end + 1)
    }

    /// Where the text of a line ends, of which the upper bound is the `\n`: before a `\r` that is part of its end.
    package func endOfText(of line: Range<Int>) -> Int {
        let hasReturn = !line.isEmpty && self[line.upperBound - 1] == UInt8(ascii: "\r")
        return hasReturn ? line.upperBound - 1 : line.upperBound
    }

    /// How many lines end in it.
    package var lineEnds: Int {
        var (count, start) = (0, 0)
        while let end = endOfLine(at: start) { (count, start) = (count + 1, end + 1) }
        return count
    }
}
