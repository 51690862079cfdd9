/// Texts one after the other, three at a time.
///
/// In an array that is longer than what is in it: to append to an array takes several times as long.
struct TextPile {
    private var bytes: [UInt8] = []
    private var count = 0

    /// Where three texts lie, the second right after the first and the third after the second; nil for one that is absent.
    struct Triple {
        fileprivate let start: Int
        /// How long they are; -1 is absent.
        fileprivate let lengths: (Int32, Int32, Int32)

        var first: Range<Int>? { range(start, lengths.0) }
        var second: Range<Int>? { range(start + max(0, Int(lengths.0)), lengths.1) }
        var third: Range<Int>? { range(start + max(0, Int(lengths.0)) + max(0, Int(lengths.1)), lengths.2) }

        private func range(_ start: Int, _ length: Int32) -> Range<Int>? {
            length < 0 ? nil : start..<start + Int(length)
        }
    }

    mutating func removeAll() { count = 0 }

    /// Adds three texts at once, since each time somebody has to see whether there is room, and whether it is shared. A text without
    /// an address is absent.
    mutating func add(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
    ) -> Triple {
        let start = count
        let end = start + first.count + second.count + third.count
        if end >= bytes.count { grow(end) }
        count = end
        bytes.withUnsafeMutableBytes {
            var place = $0.baseAddress! + start  // there is room
            place.append(first)
            place.append(second)
            place.append(third)
        }
        return Triple(start: start, lengths: (Self.length(first), Self.length(second), Self.length(third)))
    }

    private static func length(_ text: UnsafeRawBufferPointer) -> Int32 {
        // No plugin says two gigabytes.
        text.baseAddress == nil ? -1 : Int32(truncatingIfNeeded: text.count)
    }

    @inline(never)
    private mutating func grow(_ needed: Int) {
        let (former, length) = (bytes, max(512, needed * 2))
        bytes = Array(unsafeUninitializedCapacity: length) { larger, count in
            former.withUnsafeBytes { UnsafeMutableRawBufferPointer(larger).copyMemory(from: $0) }
            count = length  // what comes after is written before it is read
        }
    }

    /// Lends the bytes of a text.
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    fileprivate mutating func append(_ text: UnsafeRawBufferPointer) {
        guard let start = text.baseAddress else { return }
        copyMemory(from: start, byteCount: text.count)
        self += text.count
    }
}
