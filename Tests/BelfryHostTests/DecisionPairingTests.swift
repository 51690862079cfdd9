import BelfryModel
import Testing

@testable import BelfryCore

/// Which decisions of two configurations are compared with each other.
@Suite struct DecisionPairingTests {
    /// A decision is written as its question, its signal and its outcome: `x1c`.
    private static func key(_ decision: Substring) -> DecisionKey {
        DecisionKey(question: stableHash(String(decision.prefix(1))), answer: stableHash(String(decision)))
    }

    private func pairs(_ a: [Substring], _ b: [Substring]) -> [String] {
        var pairs: [String] = []
        DecisionPairing.forEachPair(of: a.map(Self.key), and: b.map(Self.key)) { x, y in
            pairs.append([x.map { a[$0] }, y.map { b[$0] }].map { $0 ?? "-" }.joined(separator: "|"))
        }
        return pairs
    }

    @Test(arguments: [
        ("", "", ""),
        ("x1c y1c", "x1c y1c", "x1c|x1c y1c|y1c"),
        ("x1c", "x1s", "x1c|x1s"),
        ("x1c", "", "x1c|-"),
        ("x1c", "y1c", "x1c|- -|y1c"),
        ("x1c y1c", "y1c x1c", "x1c|x1c y1c|y1c"),
        // The close of a digest comes before the item of the signal that filled it.
        ("x1i", "x1c x1i", "x1i|x1i -|x1c"),
        ("x1c x1i", "x1i", "x1c|- x1i|x1i"),
        // Two signals of one instant, answered the other way round.
        ("x1c x2s", "x1s x2c", "x1c|x1s x2s|x2c"),
        // Digests that different signals fill.
        ("x1i x2i x2c x3i", "x1i x2i x3i x3c", "x1i|x1i x2i|x2i x2c|x3c x3i|x3i"),
        ("x1c x1c", "x1c", "x1c|x1c x1c|-"),
    ])
    func `what a signal came to alike is a pair, the rest are pairs in order`(a: String, b: String, wanted: String) {
        let found = pairs(a.split(separator: " "), b.split(separator: " "))
        #expect(found.joined(separator: " ") == wanted)
    }

    @Test(arguments: 1...200)
    func `other questions do not matter`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let all = "xyz".flatMap { question in ["1c", "1s", "2c", "2s"].map { "\(question)\($0)"[...] } }
        let sides = (0..<2).map { _ in
            (0..<Int.random(in: 0...300, using: &numbers)).map { _ in all.randomElement(using: &numbers)! }
        }
        let together = pairs(sides[0], sides[1])
        let apart = "xyz".flatMap { question in
            pairs(sides[0].filter { $0.first == question }, sides[1].filter { $0.first == question })
        }
        #expect(together.sorted() == apart.sorted())
    }
}
