import BelfryModel

/// What was created and refused when, in buckets that grow until there are few of them.
struct Timeline {
    /// Created and refused on one side, created and refused on the other.
    private var buckets: [Int64: SIMD4<Int>] = [:]
    private var range: ClosedRange<Int64>?
    private var width = Duration.hours(1)

    static let mostBuckets = 400
    /// A Monday, so that buckets of weeks begin on one.
    private static let origin = Instant(milliseconds: -3 * 86_400_000)
    private static let widths: [Duration] = [
        .hours(1), .hours(3), .hours(6), .hours(12), .days(1), .days(7), .days(28),
    ]

    mutating func add(_ side: Int, _ time: Instant, isCreated: Bool) {
        let bucket = self.bucket(of: time)
        buckets[bucket, default: SIMD4()][side * 2 + (isCreated ? 0 : 1)] += 1
        let range = min(self.range?.lowerBound ?? bucket, bucket)...max(self.range?.upperBound ?? bucket, bucket)
        self.range = range
        if range.count > Self.mostBuckets { coarsen() }
    }

    private func bucket(of time: Instant) -> Int64 {
        let (quotient, remainder) = (time - Self.origin).milliseconds.quotientAndRemainder(
            dividingBy: width.milliseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private func start(of bucket: Int64) -> Instant {
        Self.origin + Duration(milliseconds: bucket * width.milliseconds)
    }

    private mutating func coarsen() {
        let former = self
        (buckets, range) = ([:], nil)
        width = Self.widths.first { $0 > former.width } ?? Duration(milliseconds: former.width.milliseconds * 2)
        for (bucket, counts) in former.buckets {
            buckets[self.bucket(of: former.start(of: bucket)), default: SIMD4()] &+= counts
        }
        range = buckets.keys.min()!...buckets.keys.max()!
        if range!.count > Self.mostBuckets { coarsen() }
    }

    /// Nil without anything in it.
    var value: Value? {
        guard let range else { return nil }
        func series(_ place: Int) -> Value { .list(range.map { .integer(Int64(buckets[$0]?[place] ?? 0)) }) }
        return [
            "bucket": .text(width.description), "from": .text(start(of: range.lowerBound).description),
            "seconds": .integer(width.milliseconds / 1000), "a": ["created": series(0), "suppressed": series(1)],
            "b": ["created": series(2), "suppressed": series(3)],
        ]
    }
}
