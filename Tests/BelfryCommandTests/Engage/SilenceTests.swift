import BelfryModel
import Testing

/// Silences of the configuration (docs/silences.md).
@Suite struct SilenceTests {
    private static let shop = """
        app: shop
        chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
        regions: [ { id: store, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
        campaigns:
          - { id: promo-a, tags: [marketing, loud], groups: [promo] }
          - { id: promo-b, tags: [urgent], triggers: [ { on: enter, regions: [store] } ] }
          - { id: order }
          - { id: later, triggers: [ { on: dwell, regions: [store], dwell: 5m } ] }
        groups: [ { id: promo } ]

        """

    private static func story(_ silences: String) throws -> Story { try Story(shop + "silences:\n" + silences) }

    @Test func `it holds from its beginning until its end, and says so`() throws {
        let story = try Self.story(
            """
              - { id: quiet, matchers: { campaign: order }, from: 2026-03-02T10:00:00Z, until: 2026-03-02T11:00:00Z, comment: moving house, by: ops }

            """)
        let decisions = try story.decisions(
            ("08:00:00", "request order"), ("10:00:00", "request order"), ("10:59:59.999", "request order"),
            ("11:00:00", "request order"))
        #expect(
            decisions.map(Story.brief) == [
                "08:00:00 created order/1", "10:00:00 suppressed order by belfry",
                "10:59:59.999 suppressed order by belfry",
                "11:00:00 created order/2",
            ])
        #expect(
            decisions[1]["data"] == [
                "campaign": "order",
                "reasons": [
                    [
                        "strategy": "belfry", "code": "silenced",
                        "message": "'quiet' silences it until 2026-03-02T11:00:00Z: moving house (ops)",
                        "until": "2026-03-02T11:00:00Z", "silence": "quiet",
                    ]
                ], "until": "2026-03-02T11:00:00Z",
            ])
    }

    @Test func `every silence that holds is a reason, in file order, and no entry is told`() throws {
        let story = try Self.story(
            """
              - { id: s1, matchers: { tag: marketing }, until: 2026-03-02T10:00:00Z }
              - { id: s2, matchers: ['campaign=~"promo-.*"'], until: 2026-03-02T09:30:00Z }
              - { id: s3, matchers: { campaign: other } }

            """)
        let decisions = try story.decisions(
            ("09:00:00", "request promo-a"), ("09:30:00", "request promo-a"), ("10:00:00", "request promo-a"))
        #expect(decisions[0]["data"]?.map?["reasons"]?.list?.map { $0.map?["silence"] } == ["s1", "s2"])
        #expect(decisions[0]["data"]?.map?["until"] == "2026-03-02T10:00:00Z")
        #expect(decisions[1]["data"]?.map?["reasons"]?.list?.map { $0.map?["silence"] } == ["s1"])
        #expect(Story.brief(decisions[2]) == "10:00:00 created promo-a/1", "the cooldown has not begun")
    }

    @Test func `one without an end leaves the decision without one`() throws {
        let story = try Self.story(
            """
              - { id: s1, matchers: { campaign: order }, until: 2026-03-02T10:00:00Z }
              - { id: s2, matchers: [campaign=order] }

            """)
        let data = try story.decisions(("09:00:00", "request order"))[0]["data"]?.map
        #expect(data?["reasons"]?.list?.count == 2)
        #expect(data?["until"] == nil)
    }

    @Test(arguments: [
        ("campaign=promo-a", ["promo-a"]), ("campaign!=promo-a, campaign=~.+", ["promo-b", "order"]),
        ("campaign =~ \"promo-.*\"", ["promo-a", "promo-b"]), ("campaign=~promo", []), ("campaign=~.*-a", ["promo-a"]),
        ("tag=loud", ["promo-a"]), ("tag!=urgent, campaign=~.+", ["promo-a", "order"]),
        ("tag=~\".+\"", ["promo-a", "promo-b"]),
        ("group=promo", ["promo-a"]), ("group!~\"p.*\", campaign=~.+", ["promo-b", "order"]),
        ("region=store", ["promo-b"]), ("subject=ana", ["promo-a", "promo-b", "order"]), ("subject=~b.*", []),
        ("channel=phone", ["order"]), ("data.order=7", ["promo-a"]), ("data_order=7", ["promo-a"]),
        ("data.order!=7, campaign=~.+", ["promo-b", "order"]), ("subject=\"ana\"", ["promo-a", "promo-b", "order"]),
    ])
    func `it looks at what a candidate has`(matchers: String, silent: [String]) throws {
        let list = matchers.split(separator: ", ").map { "'\($0)'" }.joined(separator: ", ")
        let story = try Self.story("  - { id: s, matchers: [\(list)] }\n")
        let decisions = try story.decisions(
            ("09:00:00", #"notification.requested {"campaign":"promo-a","data":{"order":7}}"#),
            ("09:01:00", "enter store"),
            ("09:02:00", "phone: request order"))
        let suppressed = decisions.filter { $0["type"] == "notification.suppressed" }
        #expect(suppressed.compactMap { $0["data"]?.map?["campaign"]?.text } == silent)
    }

    @Test func `timers are asked at their time, and deletions are not silenced`() throws {
        let story = try Self.story(
            "  - { id: s, matchers: { subject: ana }, from: 2026-03-02T09:05:00Z, until: 2026-03-02T09:20:00Z }\n")
        #expect(
            try story.tell(("09:01:00", "enter store"), ("09:10:00", "exit store"), until: "09:30:00") == [
                "09:01:00 created promo-b/1", "09:06:00 suppressed later by belfry", "09:10:00 deleted promo-b/1",
            ])
    }

    @Test func `a disabled subject has that reason alone`() throws {
        let story = try Self.story("  - { id: s, matchers: { subject: ana } }\n")
        let decisions = try story.decisions(("09:00:00", "subject.disabled"), ("09:01:00", "request order"))
        #expect(decisions[1]["data"]?.map?["reasons"]?.list?.map { $0.map?["code"] } == ["disabled"])
    }

    @Test func `what each swallowed is counted`() throws {
        let story = try Self.story(
            "  - { id: s1, matchers: { subject: ana } }\n  - { id: s2, matchers: { campaign: order } }\n")
        let result = try story.run(("09:00:00", "request order"), ("09:01:00", "request promo-a"))
        #expect(result.errors.contains("silenced by 's1': 2, last at 2026-03-02T09:01:00Z"), "\(result.errors)")
        #expect(result.errors.contains("silenced by 's2': 1, last at 2026-03-02T09:00:00Z"), "\(result.errors)")
    }

    @Test func `a list that no journal was read for does not say that nothing was swallowed`() throws {
        let story = try Story(
            "store: sqlite:belfry.db\n" + Self.shop + "silences: [ { id: s, matchers: { campaign: order } } ]\n")
        _ = try story.tell(("09:00:00", "request order"))
        let result = try story.belfry("silences", "list", "--json")
        let silence = try #require(try JSON(result.output).value.list?.first?.map, "\(result.errors)")
        #expect(silence["id"] == "s" && silence["suppressed"] == nil, "\(result.output)")
    }

    @Test func `explain names the end`() throws {
        let story = try Story(
            "store: sqlite:belfry.db\n" + Self.shop
                + "silences: [ { id: s, matchers: { campaign: order }, until: 2026-03-02T11:00:00Z } ]\n")
        _ = try story.tell(("09:00:00", "request promo-a"))
        let result = try story.belfry(
            "explain", "--subject", "ana", "--campaign", "order", "--at", "2026-03-02T09:30:00Z")
        #expect(result.output.contains("belfry: 's' silences it until 2026-03-02T11:00:00Z\n"), "\(result.output)")
        #expect(result.output.contains("earliest: 2026-03-02T11:00:00Z"), "\(result.output)")
    }

    @Test func `senseless ones are refused, all at once`() throws {
        let story = try Self.story(
            """
              - { id: a, matchers: {} }
              - { id: a, matchers: ['tag!=urgent'] }
              - { id: b, matchers: { campain: x } }
              - { id: c, matchers: ['campaign=~"("'] }
              - { id: d, matchers: ['campaign'] }
              - { id: e, matchers: ['campaign="x'] }
              - { id: f, matchers: { campaign: x }, from: 2026-03-02T11:00:00Z, until: 2026-03-02T11:00:00Z }
              - { id: g, matchers: ['campaign=~".*"', 'data.x=""'] }
              - { matchers: { campaign: x }, until: tomorrow }

            """)
        let result = try story.belfry("config", "check")
        #expect(result.status == 2)
        for part in [
            "found: no matcher\n", "found: a second silence 'a'", "found: matchers that all hold for what is missing",
            "found: the unknown property 'campain'", "fix: did you mean 'campaign'?",
            "found: the pattern '(', which does not compile", "found: 'campaign', which compares nothing",
            "found: 'campaign=\"x', whose quotes do not match", "expected: an end after its beginning",
            "found: no key 'id'", "found: the text 'tomorrow'",
        ] {
            #expect(result.errors.contains(part) || result.output.contains(part), "\(part) in \(result.errors)")
        }
        #expect((result.errors + result.output).components(separatedBy: "expected: at least one matcher").count == 4)
    }
}
