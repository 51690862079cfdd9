import BelfryModel
import Testing

/// Plot Projects: what happens when the user taps a notification.
@Suite struct PlotOpeningTests {
    /// The actions that ran: type, value, status.
    private func actions(_ decisions: [JSON]) -> [[Value?]] {
        decisions.filter { $0["type"] == "action.invoked" }.map { decision in
            ["type", "value", "status"].map { decision["data"]?.map?[$0] }
        }
    }

    /// What comes of opening a notification where the plugin `viewer` has handlers.
    private func handled(_ campaign: String) throws -> [JSON] {
        let story = try Story(
            """
            app: plot
            plugins: { directories: [bundled, plugins] }
            campaigns: [ { id: a, message: Hello, \(campaign) } ]
            """, plugins: [PluginFiles.own("viewer")])
        return Array(try story.decisions(("09:00:00", "request a"), ("09:01:00", "open a/1")).dropFirst())
    }

    /// What comes of opening a notification with each of these data.
    private func openings(_ data: [String]) throws -> [JSON] {
        let campaigns = data.enumerated().map { "  - { id: a\($0), message: Hello, \($1) }" }
        let story = try Story("app: plot\ncampaigns:\n" + campaigns.asFile)
        return try story.decisions(
            data.indices.flatMap { [("09:00:00", "request a\($0)"), ("09:00:00", "open a\($0)/1")] }
        ).filter { $0["type"] != "notification.created" }
    }

    @Test func `data that is a web address is opened by default`() throws {
        let addresses = ["http://shop.example", "https://shop.example/a?b=c", "HTTPS://shop.example"]
        #expect(
            actions(try openings(addresses.map { "data: \"\($0)\"" })) == addresses.map { ["url", .text($0), "ok"] })
    }

    @Test func `other data, and none at all, is nobody's business`() throws {
        let data = [
            "", "data: plain text", "data: shop://a", "data: httpsish", "data: { url: https://shop.example }",
            "data: 7",
            "data: null",
        ]
        #expect(try openings(data).map { $0["type"] } == data.map { _ in "notification.opened" })
    }

    @Test func `the handler says what the data is for, and nobody guesses`() throws {
        let opened = try openings([
            "data: shop://a, handler: applink", "data: https://shop.example, handler: landingPage",
            "data: https://shop.example, handler: none", "data: { type: dial, value: '112' }, handler: action",
            "handler: applink",
        ])
        #expect(
            actions(opened) == [
                ["applink", "shop://a", "ok"], ["landingPage", "https://shop.example", "ok"], ["dial", "112", "ok"],
            ])
        #expect(opened.filter { $0["type"] == "notification.opened" }.count == 5)
    }

    @Test func `a handler of yours gets the notification with its data, and nothing else is opened`() throws {
        let decided = try handled("data: https://shop.example, onOpen: { type: view }")
        #expect(decided.map { $0["type"] } == ["notification.opened", "action.invoked"])
        let action = decided[1]["data"]?.map
        #expect(action?["handler"] == "test.viewer" && action?["status"] == "ok")
        #expect(
            action?["result"] == [
                "notification": "a/1", "campaign": "a", "message": "Hello", "data": "https://shop.example",
            ])
    }

    /// Plot: implementing the handler replaces the default entirely.
    @Test func `a handler of yours takes the place of the default one`() throws {
        let decided = try handled("data: https://shop.example")
        // Opened is opened, and recorded before it is handled, well or badly.
        #expect(decided.map { $0["type"] } == ["notification.opened", "action.invoked", "event.recorded"])
        #expect(decided[1]["data"]?.map?["handler"] == "test.viewer")
        #expect(decided[1]["data"]?.map?["error"] == "this app has no browser")
        #expect(actions(decided) == [["url", "https://shop.example", "failed"]])
    }

    @Test func `a landing page opens on the tap, and goes round the handler`() throws {
        let decided = try handled("data: https://shop.example, handler: landingPage, onOpen: { type: view }")
        #expect(actions(decided) == [["landingPage", "https://shop.example", "ok"]])
        #expect(decided.first?["type"] == "notification.opened")
    }

    @Test func `sent and opened are told, each once per sending and tap, landing pages included`() throws {
        let story = try Story("app: plot\ncampaigns: [ { id: a, message: Hello }, { id: b, handler: landingPage } ]")
        #expect(
            try story.tell(
                ("09:00:00", "request a"), ("09:01:00", "dismiss a/1"), ("09:02:00", "request b"),
                ("09:03:00", "open b/1"),
                ("09:04:00", "open a/1")) == [
                    "09:00:00 created a/1", "09:02:00 created b/1", "09:03:00 opened b/1", "09:04:00 opened a/1",
                ])
    }

    @Test func `opened twice keeps the first time, and acts twice`() throws {
        let story = try Story("app: plot\ncampaigns: [ { id: a, data: https://shop.example } ]")
        let decided = try story.decisions(("09:00:00", "request a"), ("09:01:00", "open a/1"), ("09:30:00", "open a/1"))
        #expect(
            decided.compactMap { $0["data"]?.map?["firstOpenedAt"] } == [
                "2026-03-02T09:01:00Z", "2026-03-02T09:01:00Z",
            ])
        #expect(actions(decided).count == 2)
        #expect(decided.filter { $0["type"] == "event.recorded" }.count == 2)
    }

    @Test func `it is one opening, whether the app is in front, behind or was not running`() throws {
        let story = try Story("app: plot\ncampaigns: [ { id: a, data: https://shop.example } ]")
        let openings = try [[], [("09:00:30", "app.foregrounded")], [("09:00:30", "app.backgrounded")]].map { app in
            try story.tell([("09:00:00", "request a")] + app + [("09:01:00", "open a/1")])
        }
        #expect(openings[0].count == 4 && openings[1] == openings[0] && openings[2] == openings[0])
    }

    @Test func `a button runs its own action, one without any runs nothing`() throws {
        let story = try Story(
            """
            app: plot
            categories: [ { id: ask, buttons: [ { id: Call, title: Call, action: { type: dial, value: "112" } }, { id: No, title: No } ] } ]
            campaigns: [ { id: a, data: https://shop.example, category: ask } ]
            """)
        let decided = try story.decisions(
            ("09:00:00", "request a"), ("09:01:00", "open a/1 Call"), ("09:02:00", "open a/1 No"),
            ("09:03:00", "open a/1"))
        #expect(actions(decided) == [["dial", "112", "ok"], ["url", "https://shop.example", "ok"]])
    }
}
