import Testing

/// The test procedure of AdTag's tutorial, step by step (docs/seed-coverage.md): the beacon is switched off and on again.
@Suite struct AdTagTests {
    private static let tutorial = """
        app: tutorial
        current: { limit: 1 }
        beacons: { uuid: F7826DA6 }
        chain:
          - strategy: cooldown
            parameters: { period: 5m, from: deletion, boundary: closed }
        regions: [ { id: stand, kind: beacon, major: 1 } ]
        campaigns: [ { id: hello, message: Hello, triggers: [ { on: enter, regions: [stand] } ] } ]
        """

    /// A beacon emits every ten seconds from one time to another, in minutes after nine.
    private func emission(from start: Int, to end: Int) -> [(time: String, what: String)] {
        stride(from: start * 60, to: end * 60, by: 10).map { second in
            let (minute, rest) = (second / 60, second % 60)
            return ("09:\(minute < 10 ? "0" : "")\(minute):\(rest < 10 ? "0" : "")\(rest)", "sight 1/1")
        }
    }

    @Test func `the final check: who came in too early hears nothing when the gap is over`() throws {
        let story = try Story(Self.tutorial)
        let firstStay = emission(from: 0, to: 2) + [("09:01:55", "open hello/1"), ("09:01:56", "dismiss hello/1")]
        // The gap is over at 09:07:20; the subject stays inside until 09:20.
        let decided = try story.tell(firstStay + emission(from: 3, to: 20) + emission(from: 30, to: 31))
        #expect(
            decided == [
                "09:00:00 created hello/1", "09:01:55 opened hello/1", "09:02:20 deleted hello/1",
                "09:03:00 suppressed hello by cooldown", "09:30:00 created hello/2",
            ])
    }

    @Test func `while the beacon emits there is no second entry`() throws {
        let story = try Story(Self.tutorial.replacing("period: 5m", with: "period: 0s"))
        #expect(try story.tell(emission(from: 0, to: 59)) == ["09:00:00 created hello/1"])
    }

    @Test func `without a strategy everything is created and everything is deleted`() throws {
        let story = try Story(
            """
            app: bare
            regions: [ { id: stand, kind: beacon, uuid: F7826DA6, major: 1 } ]
            campaigns: [ { id: hello, triggers: [ { on: enter, regions: [stand] } ] } ]
            """)
        let decided = try story.tell(
            ("09:00:00", "enter stand"), ("09:00:01", "exit stand"), ("09:00:02", "enter stand"),
            ("09:00:03", "exit stand"))
        #expect(
            decided == [
                "09:00:00 created hello/1", "09:00:01 deleted hello/1", "09:00:02 created hello/2",
                "09:00:03 deleted hello/2",
            ])
    }

    @Test func `a strategy may be for notifications only`() throws {
        let story = try Story(
            """
            app: kinds
            chain: [ { strategy: cooldown, parameters: { period: 1h }, when: { campaign.kind: notification } } ]
            campaigns: [ { id: hello }, { id: door, kind: geotrigger } ]
            """)
        let decided = try story.tell(
            ("09:00:00", "request door"), ("09:00:01", "request hello"), ("09:00:02", "request hello"),
            ("09:00:03", "request door"))
        #expect(
            decided == [
                "09:00:00 fired door", "09:00:01 created hello/1", "09:00:02 suppressed hello by cooldown",
                "09:00:03 fired door",
            ])
    }

    /// Two strategies may each hold a notification back; one is enough.
    @Test func `a notification is deleted only when all strategies agree`() throws {
        let story = try Story(
            """
            app: unanimity
            current: { limit: 1 }
            chain:
              - { strategy: schedule, id: not-before-ten, parameters: { judges: deletion, periods: [ { hours: ["10:00-24:00"] } ] } }
              - { strategy: schedule, id: not-at-noon, parameters: { judges: deletion, exceptions: [ { disable: { hours: ["12:00-13:00"] } } ] } }
            regions: [ { id: stand, kind: beacon, uuid: F7826DA6, major: 1 } ]
            campaigns: [ { id: hello, triggers: [ { on: enter, regions: [stand] } ] } ]
            """)
        let decided = try story.tell(
            ("09:00:00", "enter stand"), ("09:30:00", "exit stand"), ("12:00:00", "enter stand"),
            ("12:59:59", "exit stand"), ("13:00:00", "enter stand"), ("13:00:01", "exit stand"))
        #expect(
            decided == [
                "09:00:00 created hello/1", "09:30:00 kept hello/1 by not-before-ten",
                "12:00:00 suppressed hello by belfry", "12:59:59 kept hello/1 by not-at-noon",
                "13:00:00 suppressed hello by belfry", "13:00:01 deleted hello/1",
            ])
    }

    @Test(arguments: ["campaign", "region", "trigger", "data", "user", "channel"])
    func `each root of when is there as a whole`(root: String) throws {
        let story = try Story(
            """
            app: a
            store: sqlite:s.db
            chain: [ { strategy: max-per-period, id: cap, parameters: { max: 0, lifetime: true }, when: { \(root): { $exists: true } } } ]
            regions: [ { id: r, name: Shop, kind: geofence, latitude: 1, longitude: 1 } ]
            campaigns: [ { id: c, message: "{count} at {region}", data: x, triggers: [ { on: enter, regions: [r] } ] } ]
            """)
        let lines = try story.tell(
            ("09:00:00", #"phone: register {"timeZone":"Asia/Tokyo"}"#), ("09:01:00", #"set {"tier":1}"#),
            ("09:02:00", "phone: at 1 1"))
        #expect(lines == ["09:02:00 suppressed c by cap"])
        #expect(try story.belfry("state", "loaded", "ana", "--json").output.contains(#""message":"1 at Shop""#))
    }
}
