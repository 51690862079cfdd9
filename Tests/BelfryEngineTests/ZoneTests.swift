import BelfryEngine
import BelfryModel
import BelfryZones
import Foundation
import Synchronization
import Testing

/// The system's zones, read as the host reads them.
private let directory = ZoneDirectory { name in
    FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)").map(Array.init)
}

private func zone(_ name: String) throws -> Zone {
    try #require(directory.zone(named: name), "this test needs the system's tz data")
}

private func instant(_ text: String) throws -> Instant {
    try #require(Instant(rfc3339: text))
}

private func day(_ date: String) throws -> Int64 {
    CivilDate.split(milliseconds: try instant("\(date)T00:00:00Z").milliseconds).dayNumber
}

/// The wall clock, written as if it were UTC.
private func wallClock(_ zone: Zone, at instant: Instant) -> String {
    Instant(milliseconds: zone.localMilliseconds(at: instant)).description
}

@Suite struct LocalDayTests {
    @Test(arguments: [
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00Z", 23.0),
        ("America/Toronto", "1919-03-31", "1919-03-31T00:30:00Z", 23.5),
        ("Australia/Lord_Howe", "2025-10-05", "2025-10-05T00:00:00Z", 23.5),
        ("Australia/Lord_Howe", "2026-04-05", "2026-04-05T00:00:00Z", 24.5),
        ("Pacific/Apia", "2011-12-29", "2011-12-29T00:00:00Z", 24.0),
        ("America/New_York", "2026-03-08", "2026-03-08T00:00:00Z", 23.0),
        ("America/New_York", "2026-11-01", "2026-11-01T00:00:00Z", 25.0),
        ("Europe/Amsterdam", "2026-03-02", "2026-03-02T00:00:00Z", 24.0),
    ])
    func `a day starts at its first existing instant`(name: String, date: String, start: String, hours: Double) throws {
        let zone = try zone(name)
        let day = try day(date)
        #expect(wallClock(zone, at: zone.startOfDay(day)) == start)
        #expect(zone.localDay(at: zone.startOfDay(day)) == day)
        let length = zone.startOfDay(day + 1) - zone.startOfDay(day)
        #expect(Double(length.milliseconds) / 3_600_000 == hours)
    }

    @Test func `a skipped date starts with the next existing day`() throws {
        let apia = try zone("Pacific/Apia")
        let skipped = try day("2011-12-30")
        #expect(apia.startOfDay(skipped).description == "2011-12-30T10:00:00Z")
        #expect(apia.startOfDay(skipped) == apia.startOfDay(skipped + 1))
        #expect(wallClock(apia, at: apia.startOfDay(skipped)) == "2011-12-31T00:00:00Z")
        let before = apia.startOfDay(skipped) - .milliseconds(1)
        #expect(apia.localDay(at: before) == skipped - 1)
    }

    @Test func `a day whose midnight comes twice starts at the first`() throws {
        // At 00:01 on 2010-11-07, clocks went back to 23:01 of the day before.
        let stJohns = try zone("America/St_Johns")
        let sunday = try day("2010-11-07")
        let start = stJohns.startOfDay(sunday)
        #expect(start.description == "2010-11-07T02:30:00Z")

        let again = start + .minutes(30)
        #expect(wallClock(stJohns, at: again) == "2010-11-06T23:30:00Z")
        #expect(stJohns.localDay(at: again) == sunday - 1)
        #expect(stJohns.day(containing: again) == sunday)
        #expect(stJohns.day(containing: start - .milliseconds(1)) == sunday - 1)
    }

    @Test func `a time in a gap is reached at its end, a repeated one at its first occurrence`() throws {
        let newYork = try zone("America/New_York")
        let inGap = try instant("2026-03-08T02:30:00Z").milliseconds
        #expect(newYork.firstInstant(reachingLocal: inGap).description == "2026-03-08T07:00:00Z")
        let repeated = try instant("2026-11-01T01:30:00Z").milliseconds
        #expect(newYork.firstInstant(reachingLocal: repeated).description == "2026-11-01T05:30:00Z")
    }

    @Test func `days beyond every instant are cut off, not trapped`() {
        #expect(Zone.utc.startOfDay(.max) > Instant(milliseconds: .max - 10 * 86_400_000))
        #expect(Zone.utc.startOfDay(.min) < Instant(milliseconds: .min + 10 * 86_400_000))
        #expect(Zone.utc.localDay(at: .distantPast) == -106_751_991_168)
    }
}

@Suite struct ZoneOffsetTests {
    @Test(
        arguments: [
            ("America/New_York", "2026-03-08T06:59:59.999Z", -18_000),
            ("America/New_York", "2026-03-08T07:00:00Z", -14_400),
            ("America/New_York", "2026-11-01T05:59:59.999Z", -14_400),
            ("America/New_York", "2026-11-01T06:00:00Z", -18_000),
            ("Australia/Lord_Howe", "2026-01-01T00:00:00Z", 39_600),
            ("Australia/Lord_Howe", "2026-07-01T00:00:00Z", 37_800),
            ("Europe/Dublin", "2026-01-01T00:00:00Z", 0), ("Europe/Dublin", "2026-07-01T00:00:00Z", 3_600),
            ("Asia/Kathmandu", "2026-01-01T00:00:00Z", 20_700), ("America/Sao_Paulo", "2026-01-01T00:00:00Z", -10_800),
            ("Africa/Monrovia", "1960-01-01T00:00:00Z", -2_670),
        ] as [(String, String, Int32)])
    func `the offset is the wall clock's distance from UTC`(name: String, text: String, offset: Int32) throws {
        #expect(try zone(name).offset(at: instant(text)) == offset)
    }

    @Test(
        arguments: [
            ("2400-07-01T00:00:00Z", -14_400), ("2437-01-01T00:00:00Z", -18_000), ("9999-07-01T00:00:00Z", -14_400),
            ("9999-12-31T00:00:00Z", -18_000),
        ] as [(String, Int32)])
    func `the rule holds however far away`(text: String, offset: Int32) throws {
        #expect(try zone("America/New_York").offset(at: instant(text)) == offset)
    }

    @Test(arguments: [
        ("2026-03-02T09:00:00Z", "2026-03-08T07:00:00Z"), ("2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"),
        ("2400-03-01T00:00:00Z", "2400-03-12T07:00:00Z"), ("9998-12-31T00:00:00Z", "9999-03-14T07:00:00Z"),
    ])
    func `the next transition is the first later change`(from: String, to: String) throws {
        #expect(try zone("America/New_York").nextTransition(after: instant(from)) == instant(to))
    }

    @Test func `every 400 years look alike, across the end of the table too`() throws {
        let amsterdam = try zone("Europe/Amsterdam")
        let cycle = Duration.days(146_097)
        var early = try instant("2050-01-01T00:00:00Z")
        var late = early + cycle + cycle
        for _ in 0..<1_000 {
            early = try #require(amsterdam.nextTransition(after: early))
            late = try #require(amsterdam.nextTransition(after: late))
            try #require(late - early == Duration.days(2 * 146_097))
            try #require(amsterdam.offset(at: early) == amsterdam.offset(at: late))
        }
    }

    @Test func `UTC never changes`() {
        #expect(Zone.utc.offset(at: .distantPast) == 0)
        #expect(Zone.utc.nextTransition(after: .distantPast) == nil)
        #expect(Zone.utc.startOfDay(1).milliseconds == 86_400_000)
    }
}

@Suite struct TZifTests {
    /// A version 2 file with the given transitions (seconds, index of an offset) and footer.
    private func tzif(
        offsets: [Int32] = [0], transitions: [(Int64, UInt8)] = [], footer: String, leaps: UInt32 = 0
    ) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian, Array.init) }
        func header(_ counts: [UInt32]) -> [UInt8] {
            Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { bytes($0) }
        }
        return header([0, 0, 0, 0, 1, 1]) + [0, 0, 0, 0, 0, 0, 0]
            + header([0, 0, leaps, UInt32(transitions.count), UInt32(offsets.count), 1])
            + transitions.flatMap { bytes($0.0) } + transitions.map(\.1)
            + offsets.flatMap { bytes($0) + [0, 0] } + [0] + [UInt8](repeating: 0, count: Int(leaps) * 12)
            + Array("\n\(footer)\n".utf8)
    }

    private func nextTransitions(_ footer: String, after text: String, count: Int) throws -> [String] {
        let zone = try #require(Zone(name: "Test", tzif: tzif(footer: footer)))
        var at = try instant(text)
        return try (0..<count).map { _ in
            at = try #require(zone.nextTransition(after: at))
            return at.description
        }
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"),
        // Week 5 is the last, which may be the fourth.
        ("XXX0YYY,M2.5.6/0,M9.1.1/0", "2026-02-28T00:00:00Z", "2026-09-06T23:00:00Z"),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"),
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-28T00:00:00Z", "2026-10-23T23:00:00Z"),
        ("XXX3:30YYY2:30:15,J60/0,J300/0:00:01", "2026-03-01T03:30:00Z", "2026-10-27T02:30:16Z"),
        ("XXX0YYY,59/0,299/0", "2026-03-01T00:00:00Z", "2026-10-26T23:00:00Z"),
    ])
    func `a footer's rule gives the transitions of a year`(footer: String, first: String, second: String) throws {
        #expect(try nextTransitions(footer, after: "2026-01-01T00:00:00Z", count: 2) == [first, second])
    }

    @Test func `Jn does not count 29 February, n does`() throws {
        #expect(
            try nextTransitions("AAA0BBB,J60/0,J300", after: "2028-01-01T00:00:00Z", count: 1)
                == ["2028-03-01T00:00:00Z"])
        #expect(
            try nextTransitions("AAA0BBB,59/0,299", after: "2028-01-01T00:00:00Z", count: 1)
                == ["2028-02-29T00:00:00Z"])
    }

    @Test func `daylight saving time all year has no transitions`() throws {
        let zone = try #require(Zone(name: "Test", tzif: tzif(footer: "EST5EDT,0/0,J365/25")))
        let now = try instant("2026-01-01T05:00:00Z")
        #expect(zone.offset(at: now) == -14_400)
        #expect(zone.offset(at: now - .milliseconds(1)) == -14_400)
        #expect(zone.nextTransition(after: now) == nil)
    }

    @Test func `transitions on record come before the rule, and those without a change are left out`() throws {
        let bytes = tzif(offsets: [600, 3_600, 3_600, 0], transitions: [(0, 1), (100, 2), (200, 3)], footer: "XXX0")
        let zone = try #require(Zone(name: "Test", tzif: bytes))
        #expect(zone.offset(at: .distantPast) == 600)
        #expect(zone.nextTransition(after: .distantPast) == Instant(milliseconds: 0))
        #expect(zone.nextTransition(after: Instant(milliseconds: 0)) == Instant(milliseconds: 200_000))
        #expect(zone.nextTransition(after: Instant(milliseconds: 200_000)) == nil)
    }

    @Test(arguments: [
        "XX0", "XXX", "XXX25", "XXX0YYY", "XXX0YYY,M3.5.0", "XXX0YYY,M13.1.0,M10.5.0", "XXX0YYY,M3.6.0,M10.5.0",
        "XXX0YYY,M3.5.7,M10.5.0", "XXX0YYY,J0,J1", "XXX0YYY,366,1", "XXX0YYY,1/168,2", "XXX0YYY,1,2,", "<XXX0", "XXX0 ",
    ])
    func `a footer that is no rule makes the file unreadable`(footer: String) {
        #expect(Zone(name: "Test", tzif: tzif(footer: footer)) == nil)
    }

    @Test func `every truncation of a file is refused`() {
        let bytes = tzif(offsets: [0, 3_600], transitions: [(0, 1)], footer: "XXX-1")
        #expect(Zone(name: "Test", tzif: bytes) != nil)
        for count in bytes.indices {
            #expect(Zone(name: "Test", tzif: Array(bytes.prefix(count))) == nil)
        }
    }

    @Test func `contradictions and leap seconds are refused`() {
        #expect(Zone(name: "Test", tzif: tzif(transitions: [(0, 1)], footer: "XXX0")) == nil)
        #expect(Zone(name: "Test", tzif: tzif(transitions: [(5, 0), (4, 0)], footer: "XXX0")) == nil)
        #expect(Zone(name: "Test", tzif: tzif(offsets: [100_000], footer: "XXX0")) == nil)
        #expect(Zone(name: "Test", tzif: tzif(footer: "XXX0", leaps: 1)) == nil)
        #expect(Zone(name: "Test", tzif: Array("not a zone".utf8)) == nil)
    }
}

@Suite struct ZoneDirectoryTests {
    @Test func `a zone is read once`() throws {
        let asked = Mutex<[String]>([])
        let zones = ZoneDirectory { name in
            asked.withLock { $0.append(name) }
            return FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)").map(Array.init)
        }
        let first = try #require(zones.zone(named: "Europe/Amsterdam"))
        #expect(zones.zone(named: "Europe/Amsterdam") === first)
        #expect(first.name == "Europe/Amsterdam")
        #expect(asked.withLock { $0 } == ["Europe/Amsterdam"])
    }

    @Test func `UTC needs no data`() {
        let zones = ZoneDirectory { _ in nil }
        #expect(zones.zone(named: "UTC") === Zone.utc)
        #expect(zones.zone(named: "Etc/UTC") === Zone.utc)
        #expect(zones.zone(named: "Europe/Amsterdam") == nil)
    }

    @Test(arguments: [
        "", "/etc/passwd", "../x", "Europe/../x", ".", "Europe//Paris", "Europe/", "Europe/Paris\0", "zone.tab",
        "Zürich",
    ])
    func `what cannot be a zone's name is never looked for`(name: String) {
        let asked = Mutex(false)
        let zones = ZoneDirectory { _ in
            asked.withLock { $0 = true }
            return nil
        }
        #expect(zones.zone(named: name) == nil)
        #expect(asked.withLock { $0 } == false)
    }

    /// `posix/Europe/Amsterdam` was taken where a system has that folder, and refused elsewhere.
    @Test(arguments: ["localtime", "posixrules", "posix/Test", "right/Test"])
    func `what a system keeps beside its zones is none`(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bytes = try #require(
            FileManager.default.contents(atPath: "\(systemZoneFolder)/Europe/Amsterdam"),
            "this test needs the system's tz data")
        for file in [name, "Test"] {
            let url = folder.appending(path: file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: url)
        }
        let zones = ZoneDirectory(folder: folder.path)
        #expect(zones.zone(named: "Test") != nil)
        #expect(zones.zone(named: name) == nil)
    }

    @Test func `data that is no zone gives none`() {
        let zones = ZoneDirectory { _ in Array("TZif, but no more".utf8) }
        #expect(zones.zone(named: "Europe/Amsterdam") == nil)
    }
}
