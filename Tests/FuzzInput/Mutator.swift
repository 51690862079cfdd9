/// Makes inputs that are nearly right out of ones that are right.
public struct Mutator {
    public var dice: Dice
    /// What readers stumble over.
    private let tokens: [[UInt8]]

    public init(dice: Dice, tokens: [String]) {
        self.dice = dice
        self.tokens =
            tokens.map { Array($0.utf8) } + [
                [0], [0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            ]
    }

    /// - Parameter other: what pieces may be taken from.
    public mutating func mutate(_ bytes: inout [UInt8], with other: [UInt8]) {
        repeat { change(&bytes, other) } while dice.happens(0.4)
    }

    /// Changes single bytes, so that lengths stay right.
    public mutating func flip(_ bytes: inout [UInt8]) {
        repeat {
            let place = Int(dice.next() % UInt64(bytes.count))
            bytes[place] =
                dice.happens(0.5) ? bytes[place] ^ 1 << UInt8(dice.next() % 8) : dice.pick([0, 1, 0x7F, 0x80, 0xFF])
        } while dice.happens(0.3)
    }

    private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
        let place = range(of: bytes, upTo: 12)
        switch dice.next() % 10 {
        case 0: if !place.isEmpty { bytes[place.lowerBound] ^= 1 << UInt8(dice.next() % 8) }
        case 1: if !place.isEmpty { bytes[place.lowerBound] = UInt8(truncatingIfNeeded: dice.next()) }
        case 2: bytes.removeSubrange(place)
        case 3: bytes.insert(contentsOf: bytes[place], at: place.lowerBound)
        case 4: bytes.insert(contentsOf: dice.pick(tokens), at: place.lowerBound)
        case 5: bytes.replaceSubrange(place, with: dice.pick(tokens))
        case 6: bytes.replaceSubrange(place, with: other[range(of: other, upTo: 40)])
        case 7: bytes.replaceSubrange(value(around: place.lowerBound, in: bytes), with: dice.pick(tokens))
        case 8:
            bytes.replaceSubrange(value(around: place.lowerBound, in: bytes), with: other[range(of: other, upTo: 20)])
        default: if dice.happens(0.2) { bytes.removeSubrange(place.lowerBound...) }
        }
    }

    private mutating func range(of bytes: [UInt8], upTo length: Int) -> Range<Int> {
        guard !bytes.isEmpty else { return 0..<0 }
        let start = Int(dice.next() % UInt64(bytes.count))
        return start..<min(bytes.count, start + 1 + Int(dice.next() % UInt64(length)))
    }

    /// A number, a text or a word there.
    private func value(around place: Int, in bytes: [UInt8]) -> Range<Int> {
        func isPart(_ byte: UInt8) -> Bool { !#"{}[],:" "#.utf8.contains(byte) && byte != 0x0A }
        guard place < bytes.count else { return bytes.count..<bytes.count }
        let start = bytes[..<place].lastIndex { !isPart($0) }.map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex { !isPart($0) } ?? bytes.count
        return start..<max(start, end)
    }
}
