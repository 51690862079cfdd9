import BelfryModel

extension Timeline {
    /// Whatever may happen, in any order, back in time too: the same for the same seed.
    public init(
        seed: UInt64, steps: Int = 100, campaigns: [String] = ["sale"], regions: [String] = ["store"]
    ) {
        var dice = Dice(seed: seed)
        self.init((0..<steps).map { _ in Step(time: dice.time(), event: dice.event(campaigns, regions)) })
    }
}

/// What may happen, from a seed.
private struct Dice: RandomNumberGenerator {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { numbers.next() }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// Mostly a little later, sometimes much, sometimes earlier; nil: at once.
    mutating func time() -> String? {
        if chance(20) { return nil }
        let span: Int64 = pick([1, 999, 1_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 3_000_000_000])
        let length = Duration(milliseconds: Int64.random(in: 1...span, using: &self))
        return (chance(10) ? "-" : "+") + length.description
    }

    mutating func event(_ campaigns: [String], _ regions: [String]) -> Timeline.Event {
        switch Int.random(in: 0..<100, using: &self) {
        case 0..<45 where !campaigns.isEmpty: .request(pick(campaigns), data: data())
        case 45..<58 where !regions.isEmpty: .enter(pick(regions))
        case 58..<68 where !regions.isEmpty: .exit(pick(regions))
        case 68..<74 where !campaigns.isEmpty: .delete(pick(campaigns))
        case 74..<81: .open(nil, button: nil)
        case 81..<85: chance(50) ? .foreground : .background
        case 85..<89: chance(50) ? .user(data()) : .channel(data())
        case 89..<92: .zone(pick(["UTC", "Europe/Amsterdam", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"]))
        case 92..<95: .subject(pick(["ana", "ben"]))
        case 95..<98: .others(deny: chance(50))
        case 98: .reset
        default: .wait
        }
    }

    private mutating func data() -> Fields {
        chance(50) ? Fields() : Fields([(pick(["tier", "visits"]), pick(["gold", 7, 2.5, true, .null, "Zo\u{EB}"]))])
    }
}
