/// A length of time in milliseconds.
public struct Duration: Sendable, Hashable, Comparable {
    public var milliseconds: Int64

    @inlinable public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    @inlinable public static var zero: Duration { Duration(milliseconds: 0) }
    public static func milliseconds(_ count: Int64) -> Duration { Duration(milliseconds: count) }
    public static func seconds(_ count: Int64) -> Duration { Duration(milliseconds: count * 1_000) }
    public static func minutes(_ count: Int64) -> Duration { Duration(milliseconds: count * 60_000) }
    public static func hours(_ count: Int64) -> Duration { Duration(milliseconds: count * 3_600_000) }
    public static func days(_ count: Int64) -> Duration { Duration(milliseconds: count * 86_400_000) }

    public static func + (left: Duration, right: Duration) -> Duration {
        Duration(milliseconds: left.milliseconds + right.milliseconds)
    }

    public static func - (left: Duration, right: Duration) -> Duration {
        Duration(milliseconds: left.milliseconds - right.milliseconds)
    }

    public static func * (duration: Duration, factor: Int64) -> Duration {
        Duration(milliseconds: duration.milliseconds * factor)
    }

    @inlinable public static func < (left: Duration, right: Duration) -> Bool { left.milliseconds < right.milliseconds }
}
