import Glibc

extension UnsafeRawBufferPointer {
    /// Where the line ends that a place is in; nil for one that has no end.
    package func endOfLine(at start: Int) -> Int? {
        guard let bytes = baseAddress, let end = memchr(bytes + start, Int32(UInt8(ascii: "\n")), count - start) else {
            return nil
        }
        return UnsafeRawPointer(end) - bytes
    }

    /// How many lines end in it.
    package var lineEnds: Int {
        var (count, start) = (0, 0)
        while let end = endOfLine(at: start) { (count, start) = (count + 1, end + 1) }
        return count
    }
}
