import BelfryPlugin

/// A window of fixed length that the first creation opens. In ms.
struct FixedWindow {
    let period: Int64
    var openedAt: Int64 = 0
    /// 0: none was opened yet.
    var count: Int64 = 0

    /// The first instant that is not in it.
    var end: Instant { Instant(milliseconds: openedAt) + Duration(milliseconds: period) }

    mutating func add(_ now: Int64) {
        if count > 0, Instant(milliseconds: now) < end {
            count += 1
        } else {
            (openedAt, count) = (now, 1)
        }
    }
}

/// The generic cell rate algorithm: creations at an even rate would arrive every `interval`, and `next` is when the next
/// one would if they did. In µs, since an interval – 7 per minute, say – need not be whole milliseconds.
struct Arrivals {
    let interval: Int64
    var next: Int64 = .min

    mutating func add(_ now: Int64) {
        next = plus(max(next, microseconds(now)), interval)
    }

    /// The first instant, in whole ms, at which one more would be no more than `burst` ahead of the rate.
    func free(burst: Int) -> Instant {
        let (ahead, overflow) = interval.multipliedReportingOverflow(by: Int64(burst))
        let instant = overflow ? .min : plus(next, -ahead)
        return Instant(milliseconds: instant / 1_000 + (instant % 1_000 > 0 ? 1 : 0))
    }
}

/// Stands still at the ends rather than overflow.
func microseconds(_ milliseconds: Int64) -> Int64 {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000)
    return overflow ? (milliseconds > 0 ? .max : .min) : product
}

private func plus(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right > 0 ? .max : .min) : sum
}
