import BelfryModel
import Foundation
import Testing

/// `digest`, through the built command (docs/strategies.md).
@Suite struct DigestTests {
    private static func shop(_ digest: String, _ rest: String = "", chain: String = "") -> String {
        """
        app: shop
        \(rest)
        chain:
          - { strategy: digest, \(digest) }
        \(chain)
        campaigns:
          - { id: mail, title: "{count} mails" }
          - { id: chat, title: Chat }

        """
    }

    private static let quarter = shop("parameters: { window: 15m }")

    @Test func `what comes within the window rings as one, with all items`() throws {
        let decisions = try Story(Self.quarter).decisions(
            ("09:00:00", #"notification.requested {"campaign":"mail","data":{"n":1}}"#), ("09:05:00", "request mail"),
            ("09:20:00", "clock.advanced"))
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 collected mail", "09:05:00 collected mail", "09:15:00 created mail/1",
            ])
        #expect(
            decisions[0]["data"] == [
                "campaign": "mail", "strategy": "digest", "counter": "mail", "items": 1,
                "until": "2026-03-02T09:15:00Z",
            ])
        #expect(
            decisions[2]["data"] == [
                "notification": "mail/1", "campaign": "mail", "title": "2 mails", "data": ["n": 1], "handler": "none",
                "items": [
                    ["cause": "1", "data": ["n": 1], "time": "2026-03-02T09:00:00Z"],
                    ["cause": "2", "time": "2026-03-02T09:05:00Z"],
                ], "count": 2,
            ])
        #expect(decisions[2]["cause"] == "1", "that of the first item")
    }

    /// Its window would close with a timer, which moves the time of its subject.
    @Test func `one that observes opens no window`() throws {
        let observer = "control: observer, parameters: { window: 30m, leading: true }"
        let story = try Story(Self.shop(observer, chain: "  - { strategy: cooldown, parameters: { period: 20m } }"))
        #expect(
            try story.tell(
                ("09:00:00", "request mail"), ("10:00:00", "clock.advanced"), ("09:10:00", "request mail")) == [
                    "09:00:00 created mail/1", "09:10:00 suppressed mail by cooldown",
                ])
    }

    @Test func `an item at exactly the close comes after it`() throws {
        #expect(
            try Story(Self.quarter).tell(
                ("09:00:00", "request mail"), ("09:15:00", "request mail"), until: "09:15:00") == [
                    "09:00:00 collected mail", "09:15:00 created mail/1", "09:15:00 collected mail",
                ])
    }

    @Test func `a sliding window moves with each item, up to its limit`() throws {
        let story = try Story(Self.shop("parameters: { sliding: { by: 10m, atMost: 25m } }"))
        let decisions = try story.decisions(
            ("09:00:00", "request mail"), ("09:09:00", "request mail"), ("09:18:00", "request mail"),
            ("09:24:00", "request mail"), until: "10:00:00")
        #expect(
            decisions.map { $0["data"]?.map?["until"]?.text?.dropFirst(11).prefix(5) ?? "" } == [
                "09:10", "09:19", "09:25", "09:25", "",
            ])
        #expect(Story.brief(decisions[4]) == "09:25:00 created mail/1")
        #expect(decisions[4]["data"]?.map?["count"] == 4)
    }

    @Test func `the last item closes it within its own signal`() throws {
        let decisions = try Story(Self.shop("parameters: { window: 1h, items: 2 }")).decisions(
            ("09:00:00", "request mail"), ("09:05:00", "request mail"), ("09:06:00", "request mail"))
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 collected mail", "09:05:00 collected mail", "09:05:00 created mail/1",
                "09:06:00 collected mail",
            ])
        #expect(decisions[1]["data"]?.map?["until"] == "2026-03-02T09:05:00Z")
        #expect(decisions[2]["cause"] == "2", "the one that filled it")
    }

    @Test func `the newest are kept, all are counted`() throws {
        let decisions = try Story(Self.shop("parameters: { window: 1h, keep: 2 }")).decisions(
            ("09:00:00", "request mail"), ("09:01:00", "request mail"), ("09:02:00", "request mail"), until: "12:00:00")
        let created = try #require(decisions.last?["data"]?.map)
        #expect(created["items"]?.list?.map { $0.map?["cause"] } == ["2", "3"])
        #expect(created["count"] == 3 && created["title"] == "3 mails")
    }

    @Test func `a leading one passes and opens the window`() throws {
        let story = try Story(Self.shop("parameters: { window: 10m, leading: true }"))
        let decisions = try story.decisions(
            ("09:00:00", "request mail"), ("09:04:00", "request mail"), ("09:05:00", "request mail"),
            ("09:10:00", "request mail"), ("09:20:00", "request mail"), until: "12:00:00")
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 created mail/1", "09:04:00 collected mail", "09:05:00 collected mail",
                "09:10:00 created mail/2", "09:10:00 created mail/3", "09:20:00 created mail/4",
            ])
        #expect(decisions[3]["data"]?.map?["items"]?.list?.count == 2)
        #expect(decisions[3]["cause"] == "2")
        #expect(decisions[0]["data"]?.map?["title"] == "1 mails")
        #expect(decisions[0]["data"]?.map?["count"] == nil)
    }

    @Test func `one that is refused leads nothing`() throws {
        let story = try Story(
            Self.shop(
                "parameters: { window: 10m, leading: true }",
                chain: "  - { strategy: segmentation, parameters: { user.open: true } }"))
        #expect(
            try story.tell(
                ("09:00:00", "request mail"), ("09:01:00", #"set {"open":true}"#), ("09:02:00", "request mail"),
                ("09:03:00", "request mail"), until: "12:00:00") == [
                    "09:00:00 suppressed mail by segmentation", "09:02:00 created mail/1", "09:03:00 collected mail",
                    "09:12:00 created mail/2",
                ])
    }

    @Test func `at the close everybody is asked again`() throws {
        let story = try Story(
            Self.shop(
                "parameters: { window: 10m }",
                chain: "  - { strategy: cooldown, parameters: { period: 1h }, per: campaign }"))
        #expect(
            try story.tell(
                ("09:00:00", "request mail"), ("09:15:00", "request mail"), until: "12:00:00") == [
                    "09:00:00 collected mail", "09:10:00 created mail/1", "09:15:00 suppressed mail by cooldown",
                ])
    }

    @Test func `deferred at the close it keeps its items`() throws {
        let story = try Story(
            Self.shop(
                "parameters: { window: 10m }",
                chain: """
                      - { strategy: schedule, parameters: { periods: [ { hours: ["00:00-09:05", "10:00-24:00"] } ], outside: defer } }
                    """))
        let decisions = try story.decisions(
            ("09:00:00", "request mail"), ("09:04:00", "request mail"), until: "12:00:00")
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 collected mail", "09:04:00 collected mail", "09:10:00 deferred mail by schedule",
                "10:00:00 created mail/1",
            ])
        #expect(decisions[3]["data"]?.map?["items"]?.list?.count == 2)
        #expect(decisions[3]["data"]?.map?["title"] == "2 mails")
    }

    @Test func `a denial goes before a deferral, a deferral before a collection`() throws {
        let story = try Story(
            Self.shop(
                "parameters: { window: 10m }",
                chain: """
                      - { strategy: schedule, parameters: { periods: [ { hours: ["10:00-24:00"] } ], outside: defer } }
                      - { strategy: segmentation, when: { campaign.id: chat }, parameters: { user.open: true } }
                    """))
        #expect(
            try story.tell(("09:00:00", "request mail"), ("09:01:00", "request chat"), until: "12:00:00") == [
                "09:00:00 deferred mail by schedule", "09:01:00 suppressed chat by schedule, segmentation",
                "10:00:00 collected mail", "10:10:00 created mail/1",
            ])
    }

    @Test func `it needs a free slot, like a deferral`() throws {
        let story = try Story(
            Self.shop("parameters: { window: 10m }, when: { campaign.id: mail }", "current: { limit: 1 }"))
        #expect(
            try story.tell(("09:00:00", "request chat"), ("09:01:00", "request mail"), until: "12:00:00") == [
                "09:00:00 created chat/1", "09:01:00 suppressed mail by belfry",
            ])
    }

    @Test func `one digest of several campaigns names those that are not the first one's`() throws {
        let decisions = try Story(Self.shop("per: subject, parameters: { window: 10m }")).decisions(
            ("09:00:00", "request mail"), ("09:01:00", "request chat"), until: "12:00:00")
        #expect(
            decisions[2]["data"]?.map?["items"] == [
                ["cause": "1", "time": "2026-03-02T09:00:00Z"],
                ["cause": "2", "time": "2026-03-02T09:01:00Z", "campaign": "chat"],
            ])
    }

    @Test(arguments: [
        ("2026-03-02T08:00:00Z", "Europe/Amsterdam", "2026-03-03T08:00:00Z"),
        ("2026-03-02T07:59:59.999Z", "Europe/Amsterdam", "2026-03-02T08:00:00Z"),
        ("2026-03-28T12:00:00Z", "Europe/Amsterdam", "2026-03-29T07:00:00Z"),
    ])
    func `at a time of the subject's day`(now: String, zone: String, close: String) throws {
        let story = try Story(Self.shop("parameters: { at: '09:00' }", "timeZone: \(zone)"))
        #expect(try story.decisions((now, "request mail"))[0]["data"]?.map?["until"]?.text == close)
    }

    @Test(arguments: [
        // 02:30 does not exist on 29 March in Amsterdam: the gap ends at 03:00.
        ("02:30", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"),
        // It exists twice on 25 October.
        ("02:30", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
        ("02:30", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
        ("00:00", "2026-03-02T12:00:00Z", "2026-03-02T23:00:00Z"),
    ])
    func `the clock goes forward and back`(at: String, now: String, close: String) throws {
        let story = try Story(Self.shop("parameters: { at: '\(at)' }", "timeZone: Europe/Amsterdam"))
        #expect(try story.decisions((now, "request mail"))[0]["data"]?.map?["until"]?.text == close)
    }

    @Test(arguments: [
        // In Nuuk it is 00:00 on 29 March a millisecond after 22:59:59.999.
        ("America/Nuuk", "23:15", "2026-03-28T21:00:00Z", "2026-03-29T01:00:00Z"),
        ("America/Nuuk", "23:00", "2026-03-29T00:59:59.999Z", "2026-03-29T01:00:00Z"),
        ("America/Nuuk", "23:15", "2026-03-29T01:00:00Z", "2026-03-30T00:15:00Z"),
        // Apia had no 30 December 2011.
        ("Pacific/Apia", "09:00", "2011-12-29T20:00:00Z", "2011-12-30T19:00:00Z"),
    ])
    func `a gap may go up to midnight, or be a day`(
        zone: String, at: String, now: String, close: String
    ) throws {
        let story = try Story(Self.shop("parameters: { at: '\(at)' }", "timeZone: \(zone)"))
        #expect(try story.decisions((now, "request mail"))[0]["data"]?.map?["until"]?.text == close)
    }

    @Test func `neither another zone nor another configuration moves the close`() throws {
        let stored = "store: sqlite:belfry.db"
        let story = try Story(Self.shop("parameters: { at: '12:00' }", stored))
        _ = try story.decisions(("09:00:00", "request mail"), ("09:01:00", #"set {"timeZone":"Asia/Tokyo"}"#))
        try story.configure(Self.shop("parameters: { window: 1m }", stored))
        let decisions = try story.decisions(("09:05:00", "request mail"), until: "13:00:00")
        #expect(decisions.map(Story.brief) == ["09:05:00 collected mail", "12:00:00 created mail/1"])
        #expect(decisions[1]["data"]?.map?["count"] == 2)
    }

    @Test func `a more specific window replaces another`() throws {
        let story = try Story(
            Self.shop("parameters: { window: 1h }").replacing(
                "title: Chat", with: "title: Chat, with: { digest: { at: '10:30' } }"))
        #expect(try story.decisions(("09:00:00", "request chat"))[0]["data"]?.map?["until"] == "2026-03-02T10:30:00Z")
    }

    @Test func `disabling drops it, clearing the history does not`() throws {
        #expect(
            try Story(Self.quarter).tell(
                ("09:00:00", "request mail"), ("09:01:00", "subject.disabled"), ("09:02:00", "subject.enabled"),
                ("09:03:00", "request mail"), ("09:04:00", "clear notifications"), until: "12:00:00"
            ).filter { !$0.contains("recorded") } == [
                "09:00:00 collected mail", "09:03:00 collected mail", "09:18:00 created mail/1",
            ])
        #expect(
            try Story(Self.quarter).tell(("09:00:00", "request mail"), ("09:01:00", "subject.reset"), until: "12:00:00")
                == ["09:00:00 collected mail"])
    }

    @Test func `a digest whose campaign is gone at the close is dropped`() throws {
        let stored = "store: sqlite:belfry.db"
        let story = try Story(Self.shop("parameters: { window: 15m }", stored))
        _ = try story.tell(("09:00:00", "request mail"), ("09:00:00", "request chat"))
        try story.configure(
            Self.shop("parameters: { window: 15m }", stored).replacing("title: Chat", with: "published: false")
                .replacing("id: mail", with: "id: other"))
        #expect(try story.tell(("12:00:00", "clock.advanced")) == [])
    }

    @Test func `a silence is asked again at the close`() throws {
        let story = try Story(
            Self.quarter + "silences: [ { id: s, matchers: { campaign: mail }, from: 2026-03-02T09:15:00Z } ]\n")
        #expect(
            try story.tell(("09:00:00", "request mail"), until: "12:00:00") == [
                "09:00:00 collected mail", "09:15:00 suppressed mail by belfry",
            ])
    }

    @Test func `explain knows that one that comes later may lead, before one that comes now is shown`() throws {
        let story = try Story(
            Self.shop(
                "parameters: { sliding: { by: 30m, atMost: 3h }, leading: true }", "store: sqlite:belfry.db"))
        #expect(try story.tell(("09:00:00", "request mail")) == ["09:00:00 created mail/1"])
        let explained = try story.belfry(
            "explain", "--subject", "ana", "--campaign", "mail", "--at", "2026-03-02T09:20:00Z"
        ).output
        #expect(explained.contains("earliest: 2026-03-02T09:30:00Z"), "\(explained)")
        #expect(try story.tell(("09:30:00", "request mail")) == ["09:30:00 created mail/2"])
    }

    @Test func `what a run forgets it finds again in its store`() throws {
        let stored = "store: sqlite:belfry.db"
        let story = try Story(Self.shop("parameters: { window: 15m }", stored))
        _ = try story.tell(("09:00:00", "request mail"))
        let shown = try story.belfry("state", "show", "ana").output
        #expect(shown.contains("digest of mail due 2026-03-02T09:15:00Z"), "\(shown)")
        let explained = try story.belfry(
            "explain", "--subject", "ana", "--campaign", "mail", "--at", "2026-03-02T09:05:00Z"
        ).output
        #expect(explained.contains("collected, because of:"), "\(explained)")
        #expect(explained.contains("digest.items = 1") && explained.contains("earliest: 2026-03-02T09:15:00Z"))
        _ = try story.tell(("09:05:00", "request mail"))
        let decisions = try story.decisions(("09:20:00", "clock.advanced"))
        #expect(decisions.first?["data"]?.map?["count"] == 2)
    }

    @Test func `a holdout that consumes withholds what would be created`() throws {
        let story = try Story(
            Self.shop(
                "parameters: { window: 15m }, when: { campaign.id: mail }",
                chain: """
                      - { strategy: holdout, parameters: { share: 1, seed: s, consumes: true } }
                      - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
                    """))
        let decisions = try story.decisions(
            ("09:00:00", "request mail"), ("09:01:00", "request chat"), ("09:02:00", "request chat"), until: "09:30:00")
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 collected mail", "09:01:00 withheld chat by holdout", "09:02:00 suppressed chat by cooldown",
                "09:15:00 withheld mail by holdout",
            ])
        #expect(decisions[3]["data"]?.map?["count"] == 1)
        #expect(decisions[1]["data"]?.map?["notification"] == nil)
    }

    @Test func `without parameters in the chain it is for the campaigns that have some`() throws {
        let story = try Story(
            """
            app: shop
            chain: [ { strategy: digest } ]
            campaigns:
              - { id: mail, title: Mail, triggers: [ { on: request } ], with: { digest: { window: 15m } } }
              - { id: sale, title: Sale, triggers: [ { on: request } ] }
            """)
        let decisions = try story.decisions(
            ("09:00:00", "request mail"), ("09:01:00", "request sale"), until: "09:30:00")
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 collected mail", "09:01:00 created sale/1", "09:15:00 created mail/1",
            ])
    }

    @Test(arguments: [
        ("parameters: { leading: true }", "nothing says when a digest closes"),
        ("parameters: { window: 1h, at: '09:00' }", "'at'"), ("parameters: { at: '9:00' }", "no time of day"),
        ("parameters: { at: '24:00' }", "no time of day"), ("parameters: { window: 0s }", "window"),
        ("parameters: { sliding: { by: 1h, atMost: 30m } }", "more than 'atMost'"),
        ("parameters: { sliding: { by: 1h } }", "atMost"), ("parameters: { window: 1h, items: 1 }", "items"),
        ("parameters: { window: 1h, keep: 0 }", "keep"),
    ])
    func `wrong parameters are refused with a sentence`(digest: String, part: String) throws {
        let result = try Story(Self.shop(digest)).belfry("config", "check")
        #expect(result.status == 2 && (result.errors + result.output).contains(part), "\(result.errors)")
    }
}
