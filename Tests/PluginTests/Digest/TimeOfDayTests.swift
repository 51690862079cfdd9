import BelfryPlugin
import Testing

@Suite struct TimeOfDayTests {
    @Test(arguments: [
        ("09:00", "2026-03-02T08:59:59.999Z", "2026-03-02T09:00:00Z"),
        ("09:00", "2026-03-02T09:00:00Z", "2026-03-03T09:00:00Z"),
        ("00:00", "2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z"),
        ("23:59", "2026-03-02T23:59:00Z", "2026-03-03T23:59:00Z"),
    ])
    func `the first after now`(text: String, now: String, expected: String) throws {
        let time = try #require(TimeOfDay(text))
        let first = time.first(after: try #require(Instant(rfc3339: now)), in: .utc)
        #expect(first.description == expected)
    }

    @Test(arguments: ["", "9:00", "24:00", "12:60", "12", "12:00:00", "aa:bb", "-1:00", "१२:००"])
    func `anything else is no time of day`(text: String) { #expect(TimeOfDay(text) == nil) }
}
