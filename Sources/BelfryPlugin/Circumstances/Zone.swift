/// A time zone, by the host's zone data. Good until the process ends.
public struct Zone: Sendable {
    /// The data of the host, which any thread may read; nil: none are needed.
    private let place: Constant<(table: UnsafePointer<belfry_local_time>, zone: OpaquePointer)>?

    init(table: UnsafePointer<belfry_local_time>, zone: OpaquePointer) { place = Constant((table, zone)) }

    private init() { place = nil }

    /// Has no data of the host, so that it is there for every host.
    public static var utc: Zone { Zone() }

    /// What to add to UTC, in s.
    public func offset(at instant: Instant) -> Int32 {
        guard let (table, zone) = data else { return 0 }
        return table.pointee.offset(zone, instant.milliseconds)
    }

    /// The first instant after this one at which the offset changes; nil if it never does again.
    public func nextTransition(after instant: Instant) -> Instant? {
        guard let (table, zone) = data else { return nil }
        var next: Int64 = 0
        let found = table.pointee.next_transition(zone, instant.milliseconds, &next)
        return found == 0 ? nil : Instant(milliseconds: next)
    }

    /// The local date at that instant, in days since 1970-01-01: a `CivilDate.dayNumber`.
    public func localDay(at instant: Instant) -> Int64 {
        guard let (table, zone) = data else { return CivilDate.split(milliseconds: instant.milliseconds).dayNumber }
        return table.pointee.local_day(zone, instant.milliseconds)
    }

    /// The first existing instant of a local date; of a date that the zone skipped, that of the next existing one.
    public func startOfDay(_ day: Int64) -> Instant {
        guard let (table, zone) = data else { return Instant(milliseconds: day * CivilDate.millisecondsPerDay) }
        return Instant(milliseconds: table.pointee.start_of_day(zone, day))
    }

    private var data: (UnsafePointer<belfry_local_time>, OpaquePointer)? { place?.pointer }
}
