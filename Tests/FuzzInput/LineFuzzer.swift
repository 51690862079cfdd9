import BelfryModel

/// Lines of signals without end: right ones, and mutations of them.
public struct LineFuzzer {
    private var mutator: Mutator
    /// Each in four pieces: before the subject, before the time, after it.
    private let corpus: [[UInt8]]
    private var time = Instant(rfc3339: "2026-03-02T08:00:00Z")!
    private var (now, before): ([UInt8], [UInt8]) = ([], [])
    /// How many lines there were that are not blank.
    public private(set) var count = 0

    public init(seed: UInt64, corpus: String) {
        mutator = Mutator(dice: Dice(seed: seed), tokens: Self.tokens)
        self.corpus = corpus.split(separator: "\n").map { Array($0.utf8) }
    }

    private static let tokens = [
        "null", "true", "-0", "1e999", "-1e-999", "9223372036854775808", "18446744073709551616", "0.1e1", "01", "1.",
        "NaN",
        #"\u0000"#, #"\ud800"#, #"\ud83d\ude00"#, #"\"#, #"""#, "[", "]", "{", "}", ",", ":", #"{"a":"#, #"[[[[[[[["#,
        "",
        "9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-03-29T01:30:00+02:00",
        "1969-12-31T23:59:59Z", "2026-03-02T09:00:00.1234567890123Z", #""data":"#, #""subject":"ana","#, #""id":7,"#,
        #""time":null,"#, "é", "\u{10FFFF}", "\u{301}", "🙂", "store-14", "welcome", "welcome/1", "subject.reset",
        "clock.advanced", "location.updated", "attributes.deleted", "notification.requested",
    ]

    /// The next lines, with their ends.
    public mutating func next(_ wanted: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(wanted * 160)
        for _ in 0..<wanted {
            let line = line()
            if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { count += 1 }
            bytes += line
            bytes.append(0x0A)
        }
        return bytes
    }

    private mutating func line() -> [UInt8] {
        if now.isEmpty || mutator.dice.happens(0.1) {
            time = time + .milliseconds(Int64(mutator.dice.next() % 600_000))
            (now, before) = (Array(time.description.utf8), Array((time - .minutes(20)).description.utf8))
        }
        // Mostly of the same few people, since a new subject is remembered.
        var line = filled(mutator.dice.pick(corpus), isLate: mutator.dice.happens(0.05))
        guard mutator.dice.happens(0.6) else { return line }
        let (head, tail) = split(line)
        var part = mutator.dice.happens(0.5) ? head : tail
        let isHead = part == head
        if mutator.dice.happens(0.01) {
            mutator.mutate(&line, with: mutator.dice.pick(corpus))
        } else {
            mutator.mutate(&part, with: mutator.dice.pick(corpus))
            line = isHead ? part + tail : head + part
        }
        for index in line.indices where line[index] == 0x0A { line[index] = 0x20 }
        return line
    }

    /// The subject is where one part ends and the other begins.
    private func split(_ line: [UInt8]) -> (head: [UInt8], tail: [UInt8]) {
        let mark = Array(#""subject":"p"#.utf8)
        guard let place = line.firstRange(of: mark) else { return (line, []) }
        let end = line[place.upperBound...].firstIndex(of: 0x22).map { $0 + 1 } ?? line.count
        return (Array(line[..<end]), Array(line[end...]))
    }

    /// `@S` is the subject, `@T` the time, `@N` a number.
    private mutating func filled(_ template: [UInt8], isLate: Bool) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(template.count + 40)
        var index = 0
        while index < template.count {
            guard template[index] == UInt8(ascii: "@") else {
                line.append(template[index])
                index += 1
                continue
            }
            switch template[index + 1] {
            case UInt8(ascii: "S"): append("p", mutator.dice.next() % 20, to: &line)
            case UInt8(ascii: "T"): line += isLate ? before : now
            default: append("", mutator.dice.next() % 300, to: &line)
            }
            index += 2
        }
        return line
    }

    private func append(_ letter: StaticString, _ number: UInt64, to line: inout [UInt8]) {
        line += UnsafeBufferPointer(start: letter.utf8Start, count: letter.utf8CodeUnitCount)
        if number >= 100 { line.append(UInt8(48 + number / 100)) }
        if number >= 10 { line.append(UInt8(48 + number / 10 % 10)) }
        line.append(UInt8(48 + number % 10))
    }
}
