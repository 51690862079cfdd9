import BelfryModel
import Testing

/// Experiments (docs/experiments.md). The subject is `ana`, whose place is 0.1161 with the seed `s`, and 0.8898 with `d`.
@Suite struct ExperimentTests {
    private static func shop(_ experiments: String, _ rest: String = "") -> String {
        """
        app: shop
        \(rest)
        chain:
          - { strategy: segmentation, id: guest, enabled: false, parameters: {} }
          - { strategy: max-per-period, id: cap, parameters: { max: 1, period: 1d } }
        campaigns:
          - { id: mail }
          - { id: chat, with: { cap: off } }
          - { id: news, triggers: [ { id: t1, on: request, with: { cap: { max: 3 } } } ] }
        experiments:
        \(experiments)

        """
    }

    private static let two = "variants: [ { name: control }, { name: two, with: { cap: { max: 2 } } } ]"

    private static func exposures(_ decisions: [JSON]) -> [String] {
        decisions.map { decision in
            let data = decision["data"]?.map
            if decision["type"] == "experiment.exposed" {
                return "exposed \(data?["experiment"]?.text ?? "") \(data?["variant"]?.text ?? "")"
            }
            return Story.brief(decision).split(separator: " ").dropFirst().joined(separator: " ")
        }
    }

    @Test func `a variant is a level of the cascade, and exposed once, directly before`() throws {
        let story = try Story(Self.shop("  - { id: e, seed: d, \(Self.two) }"))
        let decisions = try story.decisions(
            ("09:00:00", "request mail"), ("09:01:00", "request mail"), ("09:02:00", "request mail"))
        #expect(
            Self.exposures(decisions) == [
                "exposed e two", "created mail/1", "created mail/2", "suppressed mail by cap",
            ])
        #expect(decisions[0]["id"] == "ana:1" && decisions[0]["cause"] == "1")
        #expect(decisions[0]["data"] == ["experiment": "e", "variant": "two"])
    }

    @Test func `a filter behind an entry does not undo that it was reached`() throws {
        let story = try Story(
            """
            app: shop
            chain:
              - { strategy: max-per-period, id: cap, parameters: { max: 1, period: 1d }, when: { data.x: 1 } }
              - { strategy: personalize, parameters: { data: { x: 2 } } }
            campaigns: [ { id: mail, data: { x: 1 } } ]
            experiments: [ { id: e, seed: d, \(Self.two) } ]

            """)
        #expect(
            Self.exposures(try story.decisions(("09:00:00", "request mail"))) == ["exposed e two", "created mail/1"])
    }

    @Test func `controls are exposed as well`() throws {
        let story = try Story(Self.shop("  - { id: e, seed: s, \(Self.two) }"))
        #expect(
            Self.exposures(try story.decisions(("09:00:00", "request mail"), ("09:01:00", "request mail"))) == [
                "exposed e control", "created mail/1", "suppressed mail by cap",
            ])
    }

    @Test func `nobody is where it has no bearing`() throws {
        let story = try Story(
            Self.shop(
                """
                  - { id: e, seed: d, \(Self.two) }
                  - { id: same, seed: d, variants: [ { name: a, with: { cap: { max: 1 } } }, { name: b } ] }
                """))
        #expect(
            Self.exposures(try story.decisions(("09:00:00", "request news"))) == ["created news/1"],
            "the trigger says more, so that no variant makes a difference")
        let off = try Story(
            Self.shop("  - { id: e, seed: d, \(Self.two) }").replacing("id: cap,", with: "id: cap, enabled: false,"))
        #expect(Self.exposures(try off.decisions(("09:00:00", "request mail"))) == ["created mail/1"])
    }

    @Test func `a variant switches on what the campaign switched off`() throws {
        let story = try Story(Self.shop("  - { id: e, seed: d, \(Self.two) }"))
        #expect(
            Self.exposures(
                try story.decisions(
                    ("09:00:00", "request chat"), ("09:00:00", "request chat"), ("09:00:00", "request chat"))) == [
                    "exposed e two", "created chat/1", "created chat/2", "suppressed chat by cap",
                ])
    }

    @Test func `off in a variant has a bearing too`() throws {
        let variants = "variants: [ { name: none, with: { cap: off } }, { name: one } ]"
        let story = try Story(Self.shop("  - { id: e, seed: s, \(variants) }"))
        #expect(
            Self.exposures(try story.decisions(("09:00:00", "request mail"), ("09:00:00", "request mail"))) == [
                "exposed e none", "created mail/1", "created mail/2",
            ])
    }

    /// What an entry has, what a variant says of it, and whether that is something else.
    @Test(arguments: [
        ("cooldown, parameters: { period: 1m }", "{ period: 60s }", false),
        ("cooldown, parameters: { period: 1m }", "{ period: PT1M }", false),
        ("cooldown, parameters: { period: 1m }", "{ period: 61s }", true),
        ("cooldown, parameters: { period: 1m }", "{ boundary: open }", false),
        ("cooldown, parameters: { period: 1m }", "{ boundary: closed }", true),
        ("cooldown", "off", false),
        ("cooldown", "{ period: 1m }", true),
        ("schedule", "{ outside: drop }", false),
        ("max-per-period, parameters: { max: 1, calendar: day }", "{ max: 1.0 }", false),
        ("max-per-period, parameters: { max: 1, calendar: day }", "{ period: 1d }", true),
        (
            "max-per-period, parameters: { limits: [ { max: 1, period: 1d } ] }",
            "{ limits: [ { period: 24h, max: 1 } ] }", false
        ),
        ("digest, parameters: { window: 15m }", "{ keep: 100, leading: false }", false),
        ("digest, parameters: { window: 15m }", "{ keep: 99 }", true),
        ("segmentation, parameters: { tier: 1 }", "{ tier: 1.0 }", false),
        ("segmentation, parameters: { tier: 1 }", "{ tier: '1' }", true),
    ])
    func `the same in other words has no bearing`(entry: String, variant: String, isOther: Bool) throws {
        let variants = "variants: [ { name: one }, { name: two, with: { rule: \(variant) } } ]"
        let story = try Story(
            """
            app: shop
            chain: [ { id: rule, strategy: \(entry) } ]
            campaigns: [ { id: mail } ]
            experiments: [ { id: e, seed: d, \(variants) } ]

            """)
        let decisions = Self.exposures(try story.decisions(("09:00:00", "request mail")))
        #expect(decisions.contains("exposed e two") == isOther)
    }

    @Test(arguments: [
        ("when: { campaign.id: chat }", false), ("when: { campaign.id: mail }", true), ("per: channel", false),
        ("per: data.thread", false), ("per: group", false), ("per: trigger", false), ("per: campaign", true),
    ])
    func `the chain has to reach the entry`(entry: String, isReached: Bool) throws {
        let variants = "variants: [ { name: none, with: { cap: off } }, { name: one } ]"
        let configuration = Self.shop("  - { id: e, seed: s, \(variants) }")
            .replacing("id: cap, parameters", with: "id: cap, \(entry), parameters")
        let decisions = Self.exposures(try Story(configuration).decisions(("09:00:00", "request mail")))
        #expect(decisions == (isReached ? ["exposed e none"] : []) + ["created mail/1"])
    }

    @Test func `behind a sufficient allow nothing is reached`() throws {
        let configuration = Self.shop("  - { id: e, seed: d, \(Self.two) }").replacing(
            "id: guest, enabled: false, parameters: {}",
            with: "id: guest, control: sufficient, parameters: { vip: true }")
        let decisions = try Story(configuration).decisions(
            ("09:00:00", #"set {"vip":true}"#), ("09:00:00", "request mail"), ("09:00:01", #"set {"vip":false}"#),
            ("09:00:02", "request mail"))
        #expect(
            Self.exposures(decisions).filter { !$0.contains("observed") } == [
                "created mail/1", "exposed e two", "created mail/2",
            ])
    }

    @Test(arguments: [("0.2", false), ("0.24", true), ("1", true), ("0", false)])
    func `a variant has the first share of its part`(share: String, isIn: Bool) throws {
        let story = try Story(Self.shop("  - { id: e, seed: s, share: \(share), \(Self.two) }"))
        let decisions = Self.exposures(try story.decisions(("09:00:00", "request mail")))
        #expect(decisions.contains("exposed e control") == isIn, "the part of the control is 0 to 0.5")
    }

    @Test(arguments: [
        ("where: { tier: gold }", true), ("where: { user.tier: { $ne: gold } }", false),
        ("namespace: { id: promo, range: [0, 0.4] }", true), ("namespace: { id: promo, range: [0.4, 1] }", false),
        ("namespace: { id: promo, range: [0, 0.366] }", false), ("namespace: { id: promo, range: [0.366, 1] }", true),
    ])
    func `who takes part`(part: String, isIn: Bool) throws {
        let story = try Story(Self.shop("  - { id: e, seed: d, \(part), \(Self.two) }"))
        let decisions = Self.exposures(
            try story.decisions(("09:00:00", #"set {"tier":"gold"}"#), ("09:00:00", "request mail")))
        #expect(decisions.contains("exposed e two") == isIn)
    }

    @Test func `of two the later is the more specific, and both have a bearing`() throws {
        let story = try Story(
            Self.shop(
                """
                  - { id: first, seed: d, \(Self.two) }
                  - { id: second, seed: d, variants: [ { name: a }, { name: b, with: { cap: { period: 1h } } } ] }
                """))
        #expect(
            Self.exposures(
                try story.decisions(
                    ("09:00:00", "request mail"), ("09:30:00", "request mail"), ("09:31:00", "request mail"),
                    ("10:00:00", "request mail"))) == [
                    "exposed first two", "exposed second b", "created mail/1", "created mail/2",
                    "suppressed mail by cap", "created mail/3",
                ])
    }

    @Test func `a fresh process remembers whom it exposed, and a reset forgets`() throws {
        let story = try Story(Self.shop("  - { id: e, seed: d, \(Self.two) }", "store: sqlite:belfry.db"))
        _ = try story.decisions(("09:00:00", "request mail"))
        let again = try story.decisions(("09:01:00", "request mail"))
        #expect(Self.exposures(again) == ["created mail/2"])
        #expect(try story.belfry("state", "show", "ana").output.contains("experiment[e].variant = two"))
        #expect(try story.belfry("state", "verify").status == 0)
        let fresh = try story.decisions(("09:02:00", "subject.reset"), ("09:03:00", "request mail"))
        #expect(Self.exposures(fresh) == ["exposed e two", "created mail/1"])
    }

    @Test func `explain says which variant and exposes nobody`() throws {
        let story = try Story(Self.shop("  - { id: e, seed: d, \(Self.two) }", "store: sqlite:belfry.db"))
        _ = try story.tell(("09:00:00", "session.started"))
        let text = try story.belfry("explain", "--subject", "ana", "--campaign", "mail", "--at", "2026-03-02T10:00:00Z")
        #expect(text.output.contains("in experiment 'e': variant 'two'"), "\(text.output)\(text.errors)")
        #expect(text.output.contains("experiment e, variant two"), "\(text.output)")
        let decisions = Self.exposures(try story.decisions(("10:00:00", "request mail")))
        #expect(decisions.first == "exposed e two")
    }

    @Test func `what makes no sense is refused, all at once`() throws {
        let story = try Story(
            Self.shop(
                """
                  - { id: a, variants: [ { name: x } ] }
                  - { id: b, seed: s, share: 1.5, variants: [] }
                  - { id: b, seed: s, variants: [ { name: x, weight: -1 } ] }
                  - { id: c, seed: s, variants: [ { name: x, weight: 0 } ] }
                  - { id: d, seed: s, variants: [ { name: x }, { name: x } ] }
                  - { id: f, seed: s, namespace: { id: n, range: [0.5, 0.2] }, variants: [ { name: x } ] }
                  - { id: h, seed: s, variants: }
                  - { id: i, seed: s, variants: [ { name: x, weight: 2000000000 } ] }
                  - { id: g, seed: s, where: { a: { $foo: 1 } }, variants: [ { name: x, with: { kap: off } } ] }
                """))
        let result = try story.belfry("config", "check")
        #expect(result.status == 2)
        for part in [
            "found: no key 'seed'", "a number from 0 to 1", "found: no variant\n", "found: a second experiment 'b'",
            "expected: a number from 0 to 1000000000", "experiments[6].variants\n", "found: variants without weight",
            "found: a second variant 'x'",
            "found: [0.5, 0.2]", "$foo", "found: the unknown chain entry 'kap'",
        ] { #expect((result.errors + result.output).contains(part), "\(part)\n\(result.errors)") }
    }

    @Test func `wrong parameters of a variant name its place`() throws {
        let story = try Story(
            Self.shop("  - { id: e, seed: d, variants: [ { name: a, with: { cap: { max: many } } } ] }"))
        let result = try story.belfry("config", "check")
        #expect((result.errors + result.output).contains("experiments[0].variants[0].with.cap.max"), "\(result.errors)")
    }

    /// There are more assignments than a number of 64 bits has values.
    @Test func `of many experiments everybody gets their own variants, whoever comes first`() throws {
        let caps = (0...32).map {
            "  - { strategy: max-per-period, id: cap\($0), parameters: { max: 9, lifetime: true } }"
        }
        let variants = (0...32).map { cap in
            "[ { name: a, with: { cap\(cap): { max: 0 } } }, { name: b, with: { cap\(cap): { max: 8 } } }, { name: c } ]"
        }
        let experiments = variants.enumerated().map { number, variants in
            "  - { id: e\(number), seed: s\(number), share: \(number == 0 ? 1 : 0), variants: \(variants) }"
        }
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain:
            \(caps.joined(separator: "\n"))
            campaigns: [ { id: c } ]
            experiments:
            \(experiments.joined(separator: "\n"))
            """
        ])
        let signals = (0..<12).map { number in
            #"{"type":"notification.requested","subject":"u\#(number)","time":"2026-03-02T09:00:00Z","data":{"campaign":"c"}}"#
        }
        func decisions(_ signals: [String]) throws -> [String] {
            try place.belfry("run", "--store", "memory:", input: signals.asFile).lines.map { line in
                let decision = try JSON(line)
                let data = decision["data"]?.map
                return "\(decision["id"]?.text ?? "") \(Story.brief(decision)) \(data?["variant"]?.text ?? "")"
            }.sorted()
        }
        let found = try decisions(signals)
        let held = found.filter { $0.contains("exposed") && $0.hasSuffix(" a") }
        #expect(found.count == 24 && held.count == found.filter { $0.contains("suppressed") }.count && !held.isEmpty)
        #expect(try decisions(signals.reversed()) == found)
    }
}
