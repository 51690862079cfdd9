import Testing

/// Plot Projects: trigger times. Inherited, any time, time spans, opening hours.
@Suite struct PlotTimeTests {
    /// A shop with opening hours and one without; every campaign may come as often as it likes.
    private func story(campaign schedule: String, zone: String = "UTC") throws -> Story {
        try Story(
            """
            app: plot
            timeZone: \(zone)
            chain: [ { strategy: schedule } ]
            regions:
              - id: shop
                kind: geofence
                latitude: 52.37
                longitude: 4.89
                with: { schedule: { periods: [ { hours: ["09:00-18:00"] } ] } }
              - { id: street, kind: geofence, latitude: 52.40, longitude: 4.89 }
            campaigns: [ { id: sale, triggers: [ { regions: all } ], with: { \(schedule) } } ]
            """)
    }

    /// Which of these times something is created at, entering a region anew each time.
    private func open(_ story: Story, _ times: String..., region: String = "street") throws -> [String] {
        let told = try story.tell(times.flatMap { [($0, "enter \(region)"), ($0, "exit \(region)")] })
        return told.filter { $0.contains(" created ") }.map { String($0.prefix { $0 != " " }) }
    }

    private func spans(_ periods: String) -> String { "schedule: { periods: [ \(periods) ] }" }

    @Test func `without times it is any time`() throws {
        let story = try self.story(campaign: "")
        #expect(try open(story, "03:00:00", "12:00:00", "23:59:59.999").count == 3)
    }

    @Test func `a span has its start in it, and its end not`() throws {
        let story = try self.story(
            campaign: spans(#"{ from: "2026-03-02T10:00:00", until: "2026-03-02T11:00:00" }"#))
        #expect(
            try open(story, "09:59:59.999", "10:00:00", "10:59:59.999", "11:00:00") == ["10:00:00", "10:59:59.999"])
    }

    @Test func `a span may have only a start, or only an end`() throws {
        let starting = try self.story(campaign: spans(#"{ from: "2026-03-02T10:00:00" }"#))
        #expect(try open(starting, "09:59:59.999", "10:00:00", "23:00:00") == ["10:00:00", "23:00:00"])
        let ending = try self.story(campaign: spans(#"{ until: "2026-03-02T10:00:00" }"#))
        #expect(try open(ending, "00:00:00", "09:59:59.999", "10:00:00") == ["00:00:00", "09:59:59.999"])
    }

    @Test func `of several spans one is enough`() throws {
        let story = try self.story(
            campaign: spans(
                """
                { until: "2026-03-02T09:00" }, { from: "2026-03-02T10:00", until: "2026-03-02T12:00" },
                { from: "2026-03-02T11:00", until: "2026-03-02T13:00" }
                """))
        #expect(
            try open(story, "08:00:00", "09:30:00", "10:30:00", "11:30:00", "12:30:00", "13:00:00") == [
                "08:00:00", "10:30:00", "11:30:00", "12:30:00",
            ])
    }

    /// Plot suggests this test: one that becomes active the next day, received on arrival then.
    @Test func `what starts tomorrow is received with tomorrow's arrival, and not before`() throws {
        let story = try self.story(campaign: spans("{ from: 2026-03-03 }"))
        let told = try story.tell(
            ("17:00:00", "enter street"), ("18:00:00", "exit street"), ("2026-03-03T09:00:00Z", "enter street"))
        #expect(told == ["17:00:00 suppressed sale by schedule", "2026-03-03T09:00:00Z created sale/1"])
    }

    @Test func `opening hours come again each week, and go past midnight`() throws {
        let story = try self.story(
            campaign: spans(
                #"{ weekdays: [fri], hours: ["22:00-02:00"] }, { weekdays: [sun], hours: ["12:00-17:00"] }"#))
        #expect(
            try open(
                story, "2026-03-06T01:00:00Z", "2026-03-06T21:59:59Z", "2026-03-06T22:00:00Z", "2026-03-07T01:59:59Z",
                "2026-03-07T02:00:00Z", "2026-03-07T23:00:00Z", "2026-03-08T12:00:00Z", "2026-03-08T17:00:00Z",
                "2026-03-13T23:00:00Z") == [
                    "2026-03-06T22:00:00Z", "2026-03-07T01:59:59Z", "2026-03-08T12:00:00Z", "2026-03-13T23:00:00Z",
                ])
    }

    @Test func `a campaign without times has those of the region, and a region without times has none`() throws {
        let story = try self.story(campaign: "")
        #expect(
            try open(story, "08:59:59", "09:00:00", "17:59:59", "18:00:00", region: "shop") == ["09:00:00", "17:59:59"])
        #expect(try open(story, "08:59:59", "18:00:00").count == 2)
    }

    @Test func `times of its own replace the region's`() throws {
        let story = try self.story(campaign: spans(#"{ hours: ["17:00-19:00"] }"#))
        #expect(try open(story, "10:00:00", "18:30:00", region: "shop") == ["18:30:00"])
    }

    @Test func `off is any time, whatever the region says`() throws {
        let story = try self.story(campaign: "schedule: off")
        #expect(try open(story, "03:00:00", "12:00:00", region: "shop").count == 2)
    }

    @Test func `the zone is the phone's, else the configured one`() throws {
        let story = try self.story(campaign: spans(#"{ hours: ["09:00-10:00"] }"#), zone: "Europe/Amsterdam")
        #expect(
            try story.tell(
                ("08:00:00", "phone: enter street"), ("08:30:00", "phone: exit street"),
                ("08:31:00", #"phone: register {"timeZone":"America/New_York"}"#), ("08:40:00", "phone: enter street"),
                ("13:00:00", "phone: exit street"), ("14:00:00", "phone: enter street")) == [
                    "08:00:00 created sale/1", "08:30:00 deleted sale/1", "08:40:00 suppressed sale by schedule",
                    "14:00:00 created sale/2",
                ])
    }
}
