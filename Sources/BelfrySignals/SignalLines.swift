import BelfryModel

/// Lines in memory, each to be decoded.
package struct SignalLines {
    private let bytes: UnsafeRawBufferPointer

    /// - Parameter bytes: JSON Lines; a last line needs no end.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Lends each line that is not blank, with its number from 1.
    package func forEach(_ body: (UnsafeBufferPointer<UInt8>, Int) -> Void) {
        // The decoder may read a little beyond the end of a line.
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count + InputChunk.padding)
        defer { copy.deallocate() }
        copy.initialize(repeating: 0)
        UnsafeMutableRawBufferPointer(copy).copyMemory(from: bytes)
        var (start, number) = (0, 0)
        while start < bytes.count {
            let (text, next) = bytes.line(at: start)
            number += 1
            let line = UnsafeBufferPointer(rebasing: copy[text])
            if !line.isBlank { body(line, number) }
            start = next
        }
    }
}
