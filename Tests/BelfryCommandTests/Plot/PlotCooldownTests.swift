import BelfryModel
import Testing

/// Plot Projects: once only, the cooldown of a notification and that of the plugin.
@Suite struct PlotCooldownTests {
    static let chain = """
        app: plot
        chain:
          - strategy: once
            when: { campaign.kind: notification, campaign.with.own-cooldown: { $exists: false } }
          - { strategy: cooldown, id: own-cooldown, per: campaign, when: { campaign.kind: notification } }
          - strategy: cooldown
            id: plugin-cooldown
            parameters: { period: 10m }
            when: { campaign.kind: notification }

        """

    private static let noPluginCooldown = chain.replacing("period: 10m", with: "period: 0s")

    @Test func `without a cooldown of its own a notification comes once`() throws {
        let story = try Story(Self.noPluginCooldown + "campaigns: [ { id: a }, { id: b } ]\n")
        #expect(
            try story.tell(
                ("09:00:00", "request a"), ("09:00:00", "request b"), ("2027-01-01T00:00:00Z", "request a")) == [
                    "09:00:00 created a/1", "09:00:00 created b/1", "2027-01-01T00:00:00Z suppressed a by once",
                ])
    }

    @Test func `with one it comes again, exactly when that is over`() throws {
        let story = try Story(
            Self.noPluginCooldown + "campaigns: [ { id: a, with: { own-cooldown: { period: 1h } } } ]\n")
        #expect(
            try story.tell(
                ("09:00:00", "request a"), ("09:59:59.999", "request a"), ("10:00:00", "request a"),
                ("10:30:00", "request a")) == [
                    "09:00:00 created a/1", "09:59:59.999 suppressed a by own-cooldown", "10:00:00 created a/2",
                    "10:30:00 suppressed a by own-cooldown",
                ])
    }

    /// None and zero are two things.
    @Test func `one of zero means again at once`() throws {
        let story = try Story(
            Self.noPluginCooldown + "campaigns: [ { id: a, with: { own-cooldown: { period: 0s } } }, { id: b } ]\n")
        #expect(
            try story.tell(
                ("09:00:00", "request a"), ("09:00:00", "request a"), ("09:00:00", "request b"),
                ("09:00:00", "request b"))
                == [
                    "09:00:00 created a/1", "09:00:00 created a/2", "09:00:00 created b/1",
                    "09:00:00 suppressed b by once",
                ])
    }

    @Test func `by default the plugin has none`() throws {
        let story = try Story("app: plot\ncampaigns: [ { id: a }, { id: b } ]\n")
        #expect(
            try story.tell(("09:00:00", "request a"), ("09:00:00", "request b")) == [
                "09:00:00 created a/1", "09:00:00 created b/1",
            ])
    }

    @Test func `the plugin's is between any two, whatever the notification's own`() throws {
        let story = try Story(
            Self.chain + "campaigns: [ { id: a, with: { own-cooldown: { period: 1m } } }, { id: b } ]\n")
        #expect(
            try story.tell(
                ("09:00:00", "request a"), ("09:09:59.999", "request b"), ("09:09:59.999", "request a"),
                ("09:10:00", "request a")) == [
                    "09:00:00 created a/1", "09:09:59.999 suppressed b by plugin-cooldown",
                    "09:09:59.999 suppressed a by plugin-cooldown", "09:10:00 created a/2",
                ])
    }

    @Test func `each gives a reason of its own, the notification's first`() throws {
        let story = try Story(Self.chain + "campaigns: [ { id: a, with: { own-cooldown: { period: 1h } } } ]\n")
        let refused = try story.decisions(("09:00:00", "request a"), ("09:05:00", "request a"))[1]["data"]?.map
        #expect(
            refused?["reasons"] == [
                [
                    "strategy": "own-cooldown", "code": "cooldown",
                    "message": "the last one was created less than 1h ago",
                    "until": "2026-03-02T10:00:00Z", "counter": "a",
                ],
                [
                    "strategy": "plugin-cooldown", "code": "cooldown",
                    "message": "the last one was created less than 10m ago", "until": "2026-03-02T09:10:00Z",
                ],
            ])
        #expect(refused?["until"] == "2026-03-02T10:00:00Z")
    }

    private static let dam =
        chain + """
            regions:
              - { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 }
              - { id: pier, kind: geofence, latitude: 52.40, longitude: 4.89 }

            """

    @Test func `of several at once the one of the largest priority comes, else the first in the file`() throws {
        let story = try Story(
            Self.dam + """
                campaigns:
                  - { id: a, triggers: [ { regions: all } ] }
                  - { id: b, triggers: [ { regions: all } ], priority: 2 }
                  - { id: c, triggers: [ { regions: all } ], priority: 2 }
                """)
        #expect(
            try story.tell(("09:00:00", "enter dam"), ("09:10:00", "enter pier")) == [
                "09:00:00 created b/1", "09:00:00 suppressed c by plugin-cooldown",
                "09:00:00 suppressed a by plugin-cooldown", "09:10:00 suppressed b by once", "09:10:00 created c/1",
                "09:10:00 suppressed a by plugin-cooldown",
            ])
    }

    @Test func `what was refused is not used up and not queued: it needs a new signal`() throws {
        let story = try Story(
            Self.dam + "campaigns: [ { id: a }, { id: b, triggers: [ { regions: all } ] } ]\n")
        #expect(
            try story.tell(
                ("09:00:00", "request a"), ("09:01:00", "enter dam"), ("12:00:00", "at 52.37 4.89"),
                ("13:00:00", "at 52.40 4.89")) == [
                    "09:00:00 created a/1", "09:01:00 suppressed b by plugin-cooldown", "13:00:00 created b/1",
                ])
    }

    @Test func `geotriggers neither start nor obey it, and fire each time`() throws {
        let story = try Story(Self.chain + "campaigns: [ { id: a }, { id: b }, { id: g, kind: geotrigger } ]\n")
        #expect(
            try story.tell(
                ("09:00:00", "request g"), ("09:00:01", "request a"), ("09:00:02", "request g"),
                ("09:00:03", "request g"),
                ("09:10:01", "request b")) == [
                    "09:00:00 fired g", "09:00:01 created a/1", "09:00:02 fired g", "09:00:03 fired g",
                    "09:10:01 created b/1",
                ])
    }

    @Test func `once is per campaign, wherever it was; counting per region is a matter of per`() throws {
        let campaign = "campaigns: [ { id: a, triggers: [ { regions: all } ] } ]\n"
        let moments = [
            ("09:00:00", "enter dam"), ("09:00:01", "exit dam"), ("09:30:00", "enter pier"), ("09:50:00", "enter dam"),
        ]
        #expect(
            try Story(Self.dam + campaign).tell(moments).filter { !$0.contains("deleted") } == [
                "09:00:00 created a/1", "09:30:00 suppressed a by once", "09:50:00 suppressed a by once",
            ])
        let perRegion = Self.dam.replacing("- strategy: once", with: "- strategy: once\n    per: region")
        #expect(
            try Story(perRegion + campaign).tell(moments).filter { !$0.contains("deleted") } == [
                "09:00:00 created a/1", "09:30:00 created a/2", "09:50:00 suppressed a by once",
            ])
    }

    @Test func `all of it survives a restart`() throws {
        let story = try Story(
            "store: sqlite:plot.db\n" + Self.chain + """
                campaigns: [ { id: a }, { id: b, with: { own-cooldown: { period: 1h } } }, { id: c } ]

                """)
        #expect(try story.tell(("09:00:00", "request a")) == ["09:00:00 created a/1"])
        #expect(try story.tell(("09:10:00", "request b")) == ["09:10:00 created b/1"])
        #expect(
            try story.tell(("09:15:00", "request c"), ("10:00:00", "request a"), ("10:00:00", "request b")) == [
                "09:15:00 suppressed c by plugin-cooldown", "10:00:00 suppressed a by once",
                "10:00:00 suppressed b by own-cooldown",
            ])
    }
}
