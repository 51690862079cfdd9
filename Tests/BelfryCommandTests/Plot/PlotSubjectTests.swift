import BelfryModel
import Testing

/// Plot Projects: switching on and off, a fresh install, restarts, and the least there can be.
@Suite struct PlotSubjectTests {
    private static let plot = """
        app: plot
        store: sqlite:plot.db
        chain:
          - { strategy: segmentation }
          - { strategy: once, when: { campaign.with.own-cooldown: { $exists: false } } }
          - { strategy: cooldown, id: own-cooldown, per: campaign }
        regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
        campaigns:
          - { id: hello, deleteOn: never, triggers: [ { regions: all } ] }
          - { id: stay, deleteOn: never, triggers: [ { on: dwell, dwell: 10m, regions: all } ] }
          - { id: again, with: { own-cooldown: { period: 1d } } }
          - { id: vip, with: { segmentation: { vip: true } } }

        """

    @Test func `enableOnFirstRun is true by default; what the app said goes before it, after a restart too`() throws {
        #expect(try Story(Self.plot).tell(("09:00:00", "request hello")) == ["09:00:00 created hello/1"])
        let story = try Story("enableOnFirstRun: false\n" + Self.plot)
        #expect(
            try story.tell(
                ("09:00:00", "request hello"), ("09:01:00", "subject.enabled"), ("09:02:00", "request hello"))
                == [
                    "09:00:00 suppressed hello by belfry", "09:01:00 recorded uiPushEnabled",
                    "09:02:00 created hello/1",
                ])
        #expect(try story.tell(("09:03:00", "request again")) == ["09:03:00 created again/1"])
        try story.configure("enableOnFirstRun: true\n" + Self.plot)
        #expect(try story.tell(("09:04:00", "subject.disabled")) == ["09:04:00 recorded uiPushDisabled"])
        #expect(
            try story.tell(("2026-03-04T00:00:00Z", "request again")) == [
                "2026-03-04T00:00:00Z suppressed again by belfry"
            ])
    }

    @Test func `disabling clears dwell timers and presence; after enabling, the first position inside is an entry`()
        throws
    {
        let story = try Story(Self.plot)
        #expect(
            try story.tell(
                ("09:00:00", "at 52.37 4.89"), ("09:05:00", "subject.disabled"), ("09:20:00", "subject.enabled"),
                ("09:21:00", "at 52.37 4.89"), ("09:30:59", "subject.disabled"), until: "12:00:00") == [
                    "09:00:00 created hello/1", "09:05:00 recorded uiPushDisabled", "09:20:00 recorded uiPushEnabled",
                    "09:21:00 suppressed hello by once", "09:30:59 recorded uiPushDisabled",
                ])
        #expect(try !story.belfry("state", "show", "ana").output.contains("region[dam]"))
    }

    @Test func `nobody who is switched off dwells`() throws {
        let story = try Story(Self.plot)
        #expect(
            try story.tell(("09:00:00", "subject.disabled"), ("09:01:00", "at 52.37 4.89"), until: "12:00:00") == [
                "09:00:00 recorded uiPushDisabled", "09:01:00 suppressed hello by belfry",
            ])
    }

    /// Removing the app and installing it again.
    @Test func `a reset is a fresh install`() throws {
        let story = try Story(Self.plot)
        let day = [
            ("09:00:00", #"set {"vip":true}"#), ("09:00:00", "at 52.37 4.89"), ("09:01:00", "request again"),
            ("09:02:00", "request vip"), ("09:03:00", "open vip/1"),
        ]
        let first = try story.tell(day + [("09:04:00", "subject.disabled")])
        #expect(
            first.dropLast() == [
                "09:00:00 created hello/1", "09:01:00 created again/1", "09:02:00 created vip/1",
                "09:03:00 opened vip/1",
            ])
        #expect(try story.tell(("09:05:00", "subject.reset")) == [])
        let record = try JSON(story.belfry("state", "show", "ana", "--json").output)
        #expect(record["enabled"] == nil && record["user"] == [:] && record["presence"] == [] && record["timers"] == [])
        #expect(record["campaigns"] == [] && record["current"] == [] && record["state"] == [])
        // The same day once more, with nothing of the first: numbers, once marks, cooldowns, the switch.
        let again = day.map { ($0.0.replacing("09:", with: "10:"), $0.1) }
        #expect(try story.tell(again).map { $0.dropFirst(3) } == first.dropLast().map { $0.dropFirst(3) })
        #expect(
            try story.tell(("10:05:00", "subject.reset"), ("10:06:00", "request vip")) == [
                "10:06:00 suppressed vip by segmentation"
            ])
    }

    /// Plot: monitoring goes on by itself after a reboot.
    @Test func `a process for each signal decides what one process does`() throws {
        let day = [
            ("09:00:00", #"set {"vip":true}"#), ("09:00:00", "at 52.37 4.89"), ("09:01:00", "request again"),
            ("09:03:00", "open hello/1"), ("09:08:00", "request hello"), ("09:11:00", "request vip"),
            ("09:12:00", "open hello/1"), ("09:13:00", "at 52.38 4.89"), ("09:14:00", "request again"),
        ]
        let together = try Story(Self.plot).tell(day)
        #expect(together.contains("09:10:00 created stay/1"))
        let story = try Story(Self.plot)
        #expect(try day.flatMap { try story.tell($0) } == together)
    }

    @Test func `without a plugin of your own, and without a chain, everything works`() throws {
        let story = try Story(
            """
            app: plot
            regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
            campaigns: [ { id: hello, data: https://shop.example, triggers: [ { regions: all } ] } ]
            """)
        #expect(
            try story.tell(("09:00:00", "at 52.37 4.89"), ("09:01:00", "open hello/1")) == [
                "09:00:00 created hello/1", "09:01:00 opened hello/1", "09:01:00 invoked hello/1",
                "09:01:00 recorded urlClicked",
            ])
    }

    @Test func `the app has to be named`() throws {
        let result = try Story("campaigns: [ { id: a } ]").run(("09:00:00", "request a"))
        #expect(result.status == 2 && result.output == "")
        #expect(
            result.errors == """
                belfry.yaml:1: app
                  found: no key 'app'
                  expected: text that is not empty
                  fix: add 'app: …'

                """)
    }
}
