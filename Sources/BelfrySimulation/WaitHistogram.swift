import BelfryModel

/// How long it is from refusals to the instants at which they would end.
struct WaitHistogram {
    private var known = 0
    private var unknown = 0
    private var longest = Duration.zero
    private var byBound = [Int](repeating: 0, count: Self.bounds.count + 1)
    /// By the magnitude of the milliseconds and the four bits below its highest: as fine as a percentile needs to be, however long.
    private var fine = [Int](repeating: 0, count: 64 * 16)
    /// The longest of each place, which stands for all of them.
    private var longestOfPlace = [Duration](repeating: .zero, count: 64 * 16)

    private static let bounds: [Duration] = [
        .minutes(1), .minutes(5), .minutes(15), .hours(1), .hours(3), .hours(6), .hours(12), .days(1), .days(3),
        .days(7), .days(30),
    ]

    mutating func add(_ wait: Duration?) {
        guard let wait else {
            unknown += 1
            return
        }
        known += 1
        longest = max(longest, wait)
        byBound[Self.bounds.firstIndex { wait < $0 } ?? Self.bounds.count] += 1
        let place = Self.place(of: wait)
        fine[place] += 1
        longestOfPlace[place] = max(longestOfPlace[place], wait)
    }

    /// Where a length of time is counted: below 16 ms each has a place, above that sixteen share each doubling.
    private static func place(of wait: Duration) -> Int {
        let length = UInt64(max(0, wait.milliseconds))
        guard length >= 16 else { return Int(length) }
        let magnitude = 63 - length.leadingZeroBitCount
        return (magnitude - 3) * 16 + Int(length >> (magnitude - 4) & 15)
    }

    /// A wait that was seen: so many percent are no longer, but for one in sixteen.
    func percentile(_ share: Double) -> Duration? {
        guard known > 0 else { return nil }
        var rest = max(1, Int((Double(known) * share).rounded(.up)))
        for (place, count) in fine.enumerated() {
            rest -= count
            if rest <= 0 { return longestOfPlace[place] }
        }
        return longest
    }

    var value: Value {
        var fields: Fields = ["known": .integer(Int64(known)), "unknown": .integer(Int64(unknown))]
        fields["histogram"] = .list(
            byBound.enumerated().map { index, count in
                var bucket = Fields()
                if index < Self.bounds.count {
                    bucket["below"] = .text(Self.bounds[index].description)
                    bucket["seconds"] = .integer(Self.bounds[index].milliseconds / 1000)
                }
                bucket["count"] = .integer(Int64(count))
                return .map(bucket)
            })
        for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
            fields[name] = percentile(share).map { .text($0.description) }
        }
        if known > 0 { fields["max"] = .text(longest.description) }
        return .map(fields)
    }
}
