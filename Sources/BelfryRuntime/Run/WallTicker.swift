import BelfryModel
import Glibc

/// Says when another second of the day has begun.
struct WallTicker {
    private var last: Int64?

    /// The time of day, if a second has passed since this was last asked for it.
    mutating func tick() -> Instant? {
        let now = Instant.wallClock
        guard now.milliseconds / 1000 != last else { return nil }
        last = now.milliseconds / 1000
        return now
    }

    /// In ms.
    var untilNext: Int32 { Int32(1000 - Instant.wallClock.milliseconds % 1000) }
}

extension Instant {
    /// The time of day. Nothing below the runtime asks for it.
    package static var wallClock: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
