import BelfryModel

extension GrowingBuffer {
    /// Appends the line of a signal as the journal has it.
    ///
    /// - Parameter time: the time of day that the signal got because it had none: when it is decided again, it gets the same.
    mutating func append(_ line: UnsafeBufferPointer<UInt8>, at time: Instant?) {
        if let time, let end = line.lastIndex(of: UInt8(ascii: "}")) {
            append(UnsafeBufferPointer(rebasing: line[..<end]))
            append(#","time":"\#(time)"}"#)
        } else {
            append(line)
        }
        append(UInt8(ascii: "\n"))
    }
}
