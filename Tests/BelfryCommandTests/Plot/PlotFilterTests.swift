import BelfryModel
import Foundation
import Testing

/// Plot Projects: notification filters, through a plugin that greets Paul as the filter of Plot's documentation does.
@Suite struct PlotFilterTests {
    private static let chain = """
        app: plot
        plugins: { directories: [bundled, plugins] }
        fields: [shopName]
        chain: [ { strategy: once }, { strategy: greeter }, { strategy: cooldown, parameters: { period: 10m } } ]

        """

    private func story(_ rest: String, chain: String = chain) throws -> Story {
        try Story(chain + rest, plugins: [PluginFiles.own("greeter")])
    }

    private func created(_ decisions: [JSON]) -> [Fields] { decisions.compactMap { $0["data"]?.map } }

    /// `data` travels with the request.
    private func request(_ campaign: String, data: String) -> String {
        #"notification.requested {"campaign":"\#(campaign)","data":"\#(data)"}"#
    }

    @Test func `it is called before display, with the placeholders filled, and what it made is shown`() throws {
        let story = try self.story(
            """
            regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89, fields: { shopName: Alpha } } ]
            campaigns: [ { id: a, message: "Welcome at {shopName}", data: "opaque {x} ", triggers: [ { regions: all } ] } ]
            """)
        let shown = created(try story.decisions(("09:00:00", "enter dam")))
        #expect(shown.first?["message"] == "Hello Paul! Welcome at Alpha")
        // What it leaves alone stays as it is.
        #expect(shown.first?["data"] == "opaque {x} ")
        #expect(shown.first?["region"] == "dam" && shown.first?["trigger"] == "1")
    }

    @Test func `it may add media and buttons of its own, or a whole presentation`() throws {
        let story = try self.story("campaigns: [ { id: a, message: m, data: rich } ]")
        let shown = created(try story.decisions(("09:00:00", "request a"))).first
        #expect(shown?["presentation"] == ["image": "paul.png"])
        #expect(shown?["buttons"] == [["id": "Later", "title": "Later"]])
    }

    @Test func `what it drops is not shown, not used up and not queued`() throws {
        let story = try self.story("campaigns: [ { id: a, message: m } ]")
        let decided = try story.decisions(
            ("09:00:00", request("a", data: "drop")), ("09:00:01", request("a", data: "keep")), until: "12:00:00")
        #expect(
            created(decided).map { $0["reasons"] } == [
                [["strategy": "greeter", "code": "dropped", "message": "it is not for Paul"]], nil,
            ])
        #expect(decided.map { $0["type"] } == ["notification.suppressed", "notification.created"])
    }

    @Test func `a cooldown comes after it, and may still refuse what it let through`() throws {
        let story = try self.story("campaigns: [ { id: a, message: m }, { id: b }, { id: c } ]")
        #expect(
            try story.tell(
                ("09:00:00", "request a"), ("09:01:00", "request b"), ("09:02:00", request("c", data: "drop")),
                ("09:03:00", request("a", data: "drop"))) == [
                    "09:00:00 created a/1", "09:01:00 suppressed b by cooldown",
                    "09:02:00 suppressed c by greeter, cooldown",
                    // Used up: the filter never sees it.
                    "09:03:00 suppressed a by once, cooldown",
                ])
    }

    @Test func `several filters are a pipeline, and each can be switched off`() throws {
        let chain = Self.chain.replacing(
            "{ strategy: greeter }", with: "{ strategy: greeter }, { strategy: greeter, id: again }")
        let campaign = "campaigns: [ { id: a, message: m }, { id: b, message: m, with: { again: off } } ]"
        #expect(
            created(try story(campaign, chain: chain).decisions(("09:00:00", "request a"), ("09:20:00", "request b")))
                .map { $0["message"] } == ["Hello Paul! Hello Paul! m", "Hello Paul! m"])
        let off = chain.replacing("strategy: greeter", with: "strategy: greeter, enabled: false")
        #expect(created(try story(campaign, chain: off).decisions(("09:00:00", "request a"))).first?["message"] == "m")
    }

    @Test func `landing pages go round it, and round nothing else`() throws {
        let chain = Self.chain.replacing(
            "chain: [", with: "chain: [ { strategy: segmentation }, { strategy: schedule },")
        let story = try self.story(
            """
            campaigns:
              - { id: page, message: m, data: drop, handler: landingPage }
              - id: other
                message: m
                data: drop
                handler: landingPage
                with: { segmentation: { vip: true }, schedule: { periods: [ { hours: ["22:00-23:00"] } ] } }
            """, chain: chain)
        let decided = try story.decisions(
            ("09:00:00", "request page"), ("09:01:00", "request page"), ("09:02:00", "request other"))
        #expect(created(decided).first?["message"] == "m")
        #expect(
            created(decided).dropFirst().map { $0["reasons"]?.list?.map { $0.map?["strategy"] } } == [
                ["once", "cooldown"], ["segmentation", "schedule", "cooldown"],
            ])
    }

    @Test func `it filters beacon notifications and geotriggers as well`() throws {
        let story = try self.story(
            """
            beacons: { uuid: F7826DA6 }
            regions: [ { id: shelf, kind: beacon, major: 7 } ]
            campaigns:
              - { id: note, message: m, triggers: [ { regions: all } ] }
              - { id: fired, kind: geotrigger, data: pass, triggers: [ { on: exit, regions: all } ], with: { cooldown: off } }
              - { id: held, kind: geotrigger, data: drop, triggers: [ { on: exit, regions: all } ], with: { cooldown: off } }
              - { id: empty, kind: geotrigger, triggers: [ { on: exit, regions: all } ], with: { cooldown: off } }
            """)
        let decided = try story.decisions(("09:00:00", "sight 7/1"), until: "09:10:00")
        #expect(created(decided).first?["message"] == "Hello Paul! m")
        // Plot's sample passes what its data says; one without data is no exception.
        #expect(
            decided.dropFirst(2).map { $0["type"] } == [
                "geotrigger.fired", "notification.suppressed", "geotrigger.fired",
            ])
        #expect(created(decided).dropFirst(2).map { $0["campaign"] } == ["fired", "held", "empty"])
    }

    @Test func `a dwelling notification is filtered when it is due`() throws {
        let story = try self.story(
            """
            regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
            campaigns:
              - { id: other, message: o }
              - { id: stay, message: m, triggers: [ { on: dwell, dwell: 5m, regions: all } ] }
            """)
        let decided = try story.decisions(("09:00:00", "enter dam"), until: "10:00:00")
        #expect(decided.map { $0["time"] } == ["2026-03-02T09:05:00Z"])
        #expect(created(decided).first?["message"] == "Hello Paul! m")
    }

    @Test func `one that fails refuses in words, changes nothing and holds nothing up`() throws {
        let story = try self.story("campaigns: [ { id: a, message: m } ]")
        let decided = try story.decisions(("09:00:00", request("a", data: "fail")), ("09:00:01", "request a"))
        #expect(
            decided.map { $0["type"] } == [
                "strategy.faulted", "notification.suppressed", "notification.created",
            ])
        #expect(
            created(decided)[0] == [
                "campaign": "a", "cause": "error", "hook": "apply", "message": "Paul is not at home",
                "strategy": "greeter",
            ])
        #expect(created(decided)[2]["message"] == "Hello Paul! m")
        // Where it is only optional, its failure is no refusal; what it did before it failed is undone.
        let lenient = Self.chain.replacing(
            /chain: .*/, with: "chain: [ { strategy: greeter, control: optional } ]")
        let shown = try self.story("campaigns: [ { id: a, message: m } ]", chain: lenient)
            .decisions(("09:00:00", request("a", data: "fail")))
        #expect(shown.map { $0["type"] } == ["strategy.faulted", "notification.created"])
        #expect(created(shown)[1]["message"] == "m")
    }

    @Test func `one that is missing is told before the first signal`() throws {
        let story = try Story(Self.chain.replacing("plugins: { directories: [bundled, plugins] }\n", with: ""))
        let result = try story.run(("09:00:00", "request a"))
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.contains("found: the unknown strategy 'greeter'"), "\(result.errors)")
    }
}
