import BelfryModel
import BelfryRuntime

/// Makes blocks of the lines in a stream of bytes.
struct LineBlocks {
    private var rest: [UInt8] = []
    private var number = 0

    /// Longer lines are cut: they are rejected in any case. Two more than a line may have, since a `\r` at the end is not counted.
    private static let limit = (1 << 20) + 2

    /// The lines that are whole with what comes next; nil if there are none.
    mutating func take(_ bytes: some Sequence<UInt8>) -> SignalBlock? {
        let start = rest.count
        rest.append(contentsOf: bytes)
        guard let last = rest[start...].lastIndex(of: UInt8(ascii: "\n")) else {
            // Nothing of a line that never ends is kept but its beginning.
            if rest.count > Self.limit { rest.removeLast(rest.count - Self.limit) }
            return nil
        }
        defer { rest.removeFirst(last + 1) }
        return block(upTo: last + 1)
    }

    /// The line that has no end.
    mutating func end() -> SignalBlock? {
        defer { rest = [] }
        return block(upTo: rest.count)
    }

    private mutating func block(upTo end: Int) -> SignalBlock? {
        var number = number
        defer { self.number = number }
        return rest.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            var (lines, start): ([SignalBlock.Line], Int) = ([], 0)
            while start < end {
                // Empty lines are passed over at once: there may be very many.
                if bytes[start] == UInt8(ascii: "\n") {
                    (number, start) = (number + 1, start + 1)
                    continue
                }
                let (text, next) = bytes.line(at: start)
                number += 1
                if !bytes[text].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                    lines.append(SignalBlock.Line(text, number: number))
                }
                start = next
            }
            return lines.isEmpty ? nil : SignalBlock(bytes, lines: lines)
        }
    }
}
