import BelfryModel

/// Random numbers that come again with the same seed.
public struct Dice: RandomNumberGenerator {
    private var numbers: SplitMix64

    public init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    public mutating func next() -> UInt64 { numbers.next() }

    /// Whether something happens that happens so often.
    public mutating func happens(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }

    public mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &self)! }
}
