import Testing

/// The examples in Insiteo's description of triggering rules, re-triggering and groups (docs/seed-coverage.md).
@Suite struct InsiteoTests {
    private static let chain = """
        app: insiteo
        beacons: { uuid: F7826DA6 }
        chain:
          - strategy: occurrences
          - strategy: schedule
          - { strategy: cooldown, id: re-triggering, per: campaign }
          - { strategy: max-per-period, id: group-rule, per: group }
        groups: [ { id: promo, with: { group-rule: { max: 2, period: 4m } } } ]

        """

    /// The same events for all three: what counts differs only by the rules.
    @Test func `the three examples of triggering rules are three readings of the same events`() throws {
        let story = try Story(
            Self.chain + """
                campaigns:
                  - { id: example-1, triggers: [ { on: visit } ], with: { occurrences: { count: 3, within: 4m } } }
                  - { id: example-2, triggers: [ { on: visit } ], with: { occurrences: { count: 3, within: 4m, ignoreWithin: 1m } } }
                  - { id: example-3, triggers: [ { on: visit } ], with: { occurrences: { count: 3, within: 3m, ignoreWithin: 1m } } }
                """)
        let times = ["09:00:00", "09:00:30", "09:01:30", "09:03:05", "09:03:20", "09:04:10", "09:05:00"]
        let created = try story.tell(times.map { ($0, "visit") }).filter { $0.contains("created") }
        #expect(
            created == [
                // At the third, and when three more have come.
                "09:01:30 created example-1/1",
                // 09:00:30 is too soon after 09:00:00: the third that is valid comes later.
                "09:03:05 created example-2/1",
                "09:04:10 created example-1/2",
                // At 09:03:05 the first is older than three minutes; two are still valid at 09:04:10.
                "09:04:10 created example-3/1",
            ])
    }

    @Test func `a suppressed attempt does not prolong the re-triggering period`() throws {
        let story = try Story(
            Self.chain + "campaigns: [ { id: action, with: { re-triggering: { period: 10m } } } ]")
        let decided = try story.tell(
            ("09:00:00", "request action"), ("09:01:00", "request action"), ("09:09:59", "request action"),
            ("09:10:00", "request action"))
        #expect(
            decided == [
                "09:00:00 created action/1", "09:01:00 suppressed action by re-triggering",
                "09:09:59 suppressed action by re-triggering", "09:10:00 created action/2",
            ])
    }

    @Test func `of the group's actions no more than the maximum are in any such period`() throws {
        let story = try Story(Self.chain + "campaigns: [ { id: a, groups: [promo] }, { id: b, groups: [promo] } ]")
        let decided = try story.tell(
            ("09:00:00", "request a"), ("09:02:00", "request b"), ("09:03:59", "request a"), ("09:04:00", "request a"),
            ("09:05:59", "request b"), ("09:06:00", "request b"))
        #expect(
            decided == [
                "09:00:00 created a/1", "09:02:00 created b/1", "09:03:59 suppressed a by group-rule",
                "09:04:00 created a/2", "09:05:59 suppressed b by group-rule", "09:06:00 created b/2",
            ])
    }

    @Test func `the group's rule comes on top of the action's own, and a refusal counts for neither`() throws {
        let story = try Story(
            Self.chain
                + "campaigns: [ { id: a, groups: [promo], with: { re-triggering: { period: 1m } } }, { id: b, groups: [promo] } ]"
        )
        let decided = try story.tell(
            ("09:00:00", "request a"), ("09:00:30", "request a"), ("09:01:00", "request b"), ("09:02:00", "request a"),
            ("09:04:00", "request a"))
        #expect(
            decided == [
                "09:00:00 created a/1", "09:00:30 suppressed a by re-triggering", "09:01:00 created b/1",
                "09:02:00 suppressed a by group-rule", "09:04:00 created a/2",
            ])
    }

    @Test func `triggers of an action count apart, its other rules hold for all of them`() throws {
        let story = try Story(
            Self.chain + """
                campaigns:
                  - id: action
                    triggers: [ { on: visit }, { on: purchase } ]
                    with: { occurrences: { count: 2, within: 1h }, re-triggering: { period: 5m } }
                """)
        let decided = try story.tell(
            ("09:00:00", "visit"), ("09:01:00", "purchase"), ("09:02:00", "visit"), ("09:03:00", "purchase"),
            ("09:07:00", "purchase"), ("09:08:00", "purchase"))
        #expect(
            decided == [
                "09:00:00 suppressed action by occurrences", "09:01:00 suppressed action by occurrences",
                "09:02:00 created action/1",
                // The trigger was executed and counts from zero again, though the action was refused.
                "09:03:00 suppressed action by re-triggering",
                "09:07:00 suppressed action by occurrences", "09:08:00 created action/2",
            ])
    }

    @Test func `out comes thirty seconds after the last sighting, and before one that comes just then`() throws {
        let story = try Story(
            Self.chain + """
                regions: [ { id: shop, kind: beacon, major: 7 } ]
                campaigns:
                  - { id: in, triggers: [ { on: enter, regions: [shop] } ], deleteOn: never }
                  - { id: out, triggers: [ { on: exit, regions: [shop] } ], deleteOn: never }
                """)
        let decided = try story.tell(
            ("09:00:00", "sight 7/1"), ("09:00:29.999", "sight 7/2"), ("09:00:59.999", "sight 7/1"),
            ("10:00:00", "visit"))
        #expect(
            decided == [
                "09:00:00 created in/1", "09:00:59.999 created out/1", "09:00:59.999 created in/2",
                "09:01:29.999 created out/2",
            ])
    }

    @Test(arguments: ["on: enter", "on: exit", "on: near, in: near", "on: away, in: near", "on: request", "on: visit"])
    func `the rules apply to every type of event`(trigger: String) throws {
        let story = try Story(
            Self.chain + """
                regions: [ { id: shop, kind: beacon, major: 7 } ]
                campaigns: [ { id: action, triggers: [ { \(trigger) } ], deleteOn: never, with: { occurrences: { count: 2, within: 1h } } } ]
                """)
        let round = ["sight 7/1 1", "exit shop"] + (trigger == "on: request" ? ["request action"] : ["visit"])
        let moments = (0...2).flatMap { minute in
            round.enumerated().map { ("09:0\(minute):0\($0)", $1) }
        }
        let decided = try story.tell(moments).map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
        #expect(
            decided == [
                "suppressed action by occurrences", "created action/1", "suppressed action by occurrences",
            ])
    }

    /// Outside its hours a trigger counts all the same; it is the action that is not taken.
    @Test func `events count while the schedule is closed`() throws {
        let story = try Story(
            Self.chain + """
                campaigns:
                  - id: action
                    triggers: [ { on: visit } ]
                    with: { occurrences: { count: 2, within: 2h }, schedule: { periods: [ { hours: ["10:00-12:00"] } ] } }
                """)
        let decided = try story.tell(
            ("09:30:00", "visit"), ("10:30:00", "visit"), ("11:59:00", "visit"), ("12:00:00", "visit"))
        #expect(
            decided == [
                "09:30:00 suppressed action by occurrences, schedule", "10:30:00 created action/1",
                "11:59:00 suppressed action by occurrences", "12:00:00 suppressed action by schedule",
            ])
    }

    @Test func `a container is delivered as it is`() throws {
        let container = #"{"scheme": "ifttt://{event}", "note": "  Grüße \\ 100 % "}"#
        let place = try Workplace([
            "belfry.yaml": "app: insiteo\ncampaigns: [ { id: custom, kind: geotrigger, data: '\(container)' } ]"
        ])
        let request =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"custom"}}"#
        let result = try place.belfry("run", input: request + "\n")
        #expect(try JSON(result.output)["data"]?.map?["data"] == .text(container))
    }

    @Test func `a region event knows no distance`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: insiteo
            regions: [ { id: shop, kind: beacon, uuid: u, major: 7 } ]
            campaigns: [ { id: action, triggers: [ { on: enter, regions: [shop], in: near } ] } ]
            """
        ])
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(result.errors.contains("the key 'in' in a trigger 'on: enter'"), "\(result.errors)")
    }
}
