import BelfryEngine
import BelfryModel

/// Numbers by chance that a seed makes again, and odd values made of them.
struct Chance {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func flip() -> Bool { next() & 1 == 1 }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func element<Element>(of elements: [Element]) -> Element { elements[number(in: 0...elements.count - 1)] }
}

extension Chance {
    mutating func integer() -> Int64 {
        flip()
            ? element(of: [0, 1, -1, .max, .min, 1 << 53, -(1 << 31)]) : Int64(bitPattern: next()) >> number(in: 0...62)
    }

    /// In ms; what can be written as a time, its ends among them.
    mutating func instant() -> Int64 {
        let ends = Instant.writable
        if number(in: 0...3) == 0 {
            return element(of: [ends.lowerBound.milliseconds, ends.upperBound.milliseconds, 0, -1, 951_782_400_000])
        }
        return Moment.start.milliseconds + Int64(number(in: -1_000_000_000_000...1_000_000_000_000))
    }

    mutating func text() -> String {
        switch number(in: 0...3) {
        case 0:
            element(of: [
                "", "\u{0}", "\"\\/", "../../etc/passwd", "%s%n", "{}", "{message}", "\u{202E}abc", "e\u{301}",
            ])
        case 1: String(repeating: element(of: ["a", "é", "\u{1F514}", " ", "\n", "{"]), count: number(in: 1...5000))
        default: String((0..<number(in: 1...40)).map { _ in Character(Unicode.Scalar(UInt8(number(in: 32...126)))) })
        }
    }

    mutating func value(depth: Int) -> Value {
        switch number(in: 0...(depth < 6 ? 7 : 5)) {
        case 0: return .null
        case 1: return .bool(flip())
        case 2: return .integer(integer())
        case 3: return .number(element(of: [0.1, -0.0, 1e308, -1e308, .leastNonzeroMagnitude]))
        case 4, 5: return .text(text())
        case 6:
            var items: [Value] = []
            for _ in 0..<number(in: 0...4) { items.append(value(depth: depth + 1)) }
            return .list(items)
        default:
            var fields = Fields()
            for _ in 0..<number(in: 0...4) { fields[text()] = value(depth: depth + 1) }
            return .map(fields)
        }
    }

    /// A mapping of texts.
    mutating func fields() -> Value {
        var fields = Fields()
        for _ in 0..<number(in: 0...4) { fields[text()] = .text(text()) }
        return .map(fields)
    }

    /// Something that another strategy, or another version, may have left under a key.
    mutating func stateValue() -> StateValue {
        switch number(in: 0...6) {
        case 0: .integer(Int64(number(in: -2...1_000_000)))
        case 1: .number(element(of: [0.1, -1, 1e308, .infinity]))
        case 2: .bool(flip())
        case 3: .text(text())
        case 4: .bytes(Array(text().utf8))
        case 5: .instant(Instant(milliseconds: instant()))
        default: .integers((0..<number(in: 0...20)).map { Int64($0) - 3 })
        }
    }
}
