/// A point of event time, in milliseconds since 1970-01-01T00:00:00Z.
public struct Instant: Sendable, Hashable, Comparable, BitwiseCopyable {
    public var milliseconds: Int64

    @inlinable public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Before every instant that a signal can have.
    @inlinable public static var distantPast: Instant { Instant(milliseconds: .min) }
    @inlinable public static var distantFuture: Instant { Instant(milliseconds: .max) }

    /// The first and the last instant that RFC 3339 can say: the years 0000 to 9999 of UTC.
    @inlinable public static var writable: ClosedRange<Instant> {
        Instant(milliseconds: -62_167_219_200_000)...Instant(milliseconds: 253_402_300_799_999)
    }
    public var isWritable: Bool { Self.writable.contains(self) }

    @inlinable public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

    /// Stands still at the last representable instant rather than overflow.
    @inlinable public static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(duration.milliseconds)
        return Instant(milliseconds: overflow ? (duration.milliseconds > 0 ? .max : .min) : sum)
    }

    public static func - (instant: Instant, duration: Duration) -> Instant {
        instant + Duration(milliseconds: 0 &- duration.milliseconds)
    }

    public static func - (left: Instant, right: Instant) -> Duration {
        let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return Duration(milliseconds: overflow ? (left > right ? .max : .min) : difference)
    }
}
