import BelfryModel
import Testing

extension MCETests {
    /// Sets of buttons that the marketer makes with the request (docs/signals.md).
    @Suite struct DynamicCategoryTests {
        private static let buttons = #"""
            [{"id":"Accept","title":"Yes, please","action":{"type":"dial","value":"112"},"foreground":true},
            {"id":"Reject","title":"No","destructive":true,"authenticationRequired":true,"foreground":false}]
            """#.replacing("\n", with: "")

        /// As they leave: in order, with the flags that are true.
        private static let shown: Value = [
            ["id": "Accept", "title": "Yes, please", "foreground": true, "action": ["type": "dial", "value": "112"]],
            ["id": "Reject", "title": "No", "destructive": true, "authenticationRequired": true],
        ]

        private static let sale = "campaigns: [ { id: sale, message: Sale } ]\n"

        @Test(arguments: [
            #""category":{"id":"offer","buttons":\#(buttons)}"#, #""category":"offer","buttons":\#(buttons)"#,
            #""category":{"id":"offer"},"buttons":\#(buttons)"#,
            #""data":{"category":{"id":"offer","buttons":\#(buttons)}}"#,
            #""data":{"order":7,"category":"offer","buttons":\#(buttons)}"#,
        ])
        func `a request may bring its buttons, in each of the forms`(members: String) throws {
            let decided = try MCEApp(Self.sale).decide([
                request(members, at: "09:00:00Z"), tap("sale/1", "Accept", at: "09:01:00Z"),
                tap("sale/1", "Reject", at: "09:02:00Z"),
            ])
            #expect(decided.status == 0 && decided.warnings == [], "\(decided.errors)")
            let created = decided.data("notification.created")
            #expect(created.map { $0["category"] } == ["offer"] && created.map { $0["buttons"] } == [Self.shown])
            #expect(
                decided.brief == [
                    "created sale/1", "opened sale/1 by Accept", "invoked dial 112 ok",
                    "recorded simpleNotification phoneNumberClicked", "opened sale/1 by Reject",
                ])
        }

        @Test func `flags and members of a button leave in one order, whatever they came in`() throws {
            let button =
                #"{"action":{"value":1,"type":"a","x":[2]},"icon":"i.png","foreground":true,"authenticationRequired":true,"destructive":true,"title":"T","id":"b"}"#
            let decided = try MCEApp(Self.sale).decide([
                request(#""category":"c","buttons":[\#(button)]"#, at: "09:00:00Z")
            ])
            let expected =
                #""buttons":[{"id":"b","title":"T","destructive":true,"authenticationRequired":true,"foreground":true,"action":{"value":1,"type":"a","x":[2]}}]"#
            #expect(decided.output.contains(expected), "\(decided.output)")
        }

        @Test func `data with a category inside is handed on as it is`() throws {
            let decided = try MCEApp(Self.sale).decide([
                request(#""data":{"order":7,"category":"offer","buttons":\#(Self.buttons)}"#, at: "09:00:00Z")
            ])
            let data = decided.data("notification.created").first?["data"]?.map
            #expect(data?["order"] == 7 && data?["category"] == "offer")
            #expect(data?["buttons"]?.list?.last?.map?["foreground"] == false)
        }

        @Test func `a category beside the texts goes before one inside the data`() throws {
            let inside = #""data":{"category":{"id":"inside","buttons":[{"id":"i","title":"I"}]}}"#
            let decided = try MCEApp(Self.sale + "categories: [ { id: outside, buttons: [ { id: o, title: O } ] } ]\n")
                .decide([
                    request(#""category":{"id":"new","buttons":[{"id":"n","title":"N"}]},\#(inside)"#, at: "09:00:00Z"),
                    request(#""category":"outside",\#(inside)"#, at: "09:01:00Z"),
                ])
            let created = decided.data("notification.created")
            #expect(created.map { $0["category"] } == ["new", "outside"])
            #expect(created.map { $0["buttons"] } == [[["id": "n", "title": "N"]], [["id": "o", "title": "O"]]])
        }

        @Test func `it replaces the campaign's own category`() throws {
            let configuration = """
                campaigns: [ { id: sale, category: plain } ]
                categories: [ { id: plain, buttons: [ { id: OK, title: OK } ] }, { id: none, buttons: [] } ]
                """
            let decided = try MCEApp(configuration).decide([
                request(#""category":"offer","buttons":\#(Self.buttons)"#, at: "09:00:00Z"),
                request(at: "09:01:00Z"), request(#""category":"none""#, at: "09:02:00Z"),
            ])
            let created = decided.data("notification.created")
            #expect(created.map { $0["category"] } == ["offer", "plain", "none"])
            #expect(created.map { $0["buttons"] } == [Self.shown, [["id": "OK", "title": "OK"]], nil])
            #expect(decided.warnings == [])
        }

        @Test func `a configured category of the same id wins, and that is said once`() throws {
            let configuration =
                Self.sale
                + "categories: [ { id: offer, buttons: [ { id: Accept, title: OK, action: { type: openApp } } ] } ]"
            let decided = try MCEApp(configuration).decide([
                request(#""category":{"id":"offer","buttons":\#(Self.buttons)}"#, at: "09:00:00Z"),
                request(#""data":{"category":"offer","buttons":\#(Self.buttons)}"#, at: "09:01:00Z"),
                tap("sale/1", "Accept", at: "09:02:00Z"), tap("sale/2", "Reject", at: "09:03:00Z"),
            ])
            let button: Value = ["id": "Accept", "title": "OK", "action": ["type": "openApp"]]
            #expect(decided.data("notification.created").map { $0["buttons"] } == [[button], [button]])
            #expect(decided.data("action.invoked").map { $0["type"] } == ["openApp"])
            #expect(
                decided.warnings == [
                    "the request of campaign 'sale' brings buttons for the category 'offer', which is configured: the configured buttons are shown"
                ])
        }

        @Test func `an id that nobody declared passes as it is, without buttons and with a warning`() throws {
            let decided = try MCEApp(Self.sale + "categories: [ { id: offer, buttons: [ { id: OK, title: OK } ] } ]")
                .decide([
                    request(#""category":"ofer""#, at: "09:00:00Z"),
                    request(#""category":{"id":"news"}"#, at: "09:01:00Z"),
                    tap("sale/2", "OK", at: "09:02:00Z"),
                ])
            #expect(decided.status == 0)
            #expect(decided.data("notification.created").map { $0["category"] } == ["ofer", "news"])
            #expect(decided.data("notification.created").map { $0["buttons"] } == [nil, nil])
            #expect(decided.brief.last == "opened sale/2 by OK")
            #expect(
                decided.warnings == [
                    "the request of campaign 'sale' names the category 'ofer', which is not configured: it has no buttons; did you mean 'offer'?",
                    "the request of campaign 'sale' names the category 'news', which is not configured: it has no buttons",
                ])
        }

        // MARK: Malformed ones

        private static let malformed: [(members: String, message: String)] = [
            (
                #""category":7"#,
                "category' is 7; expected the id of a category, or a mapping with 'id' and 'buttons'"
            ),
            (
                #""category":"""#,
                "category' is ''; expected the id of a category, or a mapping with 'id' and 'buttons'"
            ),
            (
                #""buttons":[]"#,
                "category' is missing; expected the id of a category, or a mapping with 'id' and 'buttons'"
            ),
            (#""category":{"buttons":[]}"#, "category.id' is missing; expected text that is not empty"),
            (#""category":"c","buttons":{"id":"a"}"#, "buttons' is {\"id\":\"a\"}; expected a list of buttons"),
            (#""category":{"id":"c","buttons":"a"}"#, "category.buttons' is 'a'; expected a list of buttons"),
            (
                #""category":{"id":"c","buttons":[]},"buttons":[]"#,
                "buttons' is []; expected the buttons in 'category' or beside it, not both"
            ),
            (
                #""category":"c","buttons":["Yes"]"#,
                "buttons[0]' is 'Yes'; expected a button: a mapping with 'id' and 'title'"
            ),
            (
                #""category":"c","buttons":[{"title":"Yes"}]"#,
                "buttons[0].id' is missing; expected text that is not empty"
            ),
            (
                #""category":"c","buttons":[{"id":"","title":"Yes"}]"#,
                "buttons[0].id' is ''; expected text that is not empty"
            ),
            (#""category":"c","buttons":[{"id":"y"}]"#, "buttons[0].title' is missing; expected text"),
            (#""category":"c","buttons":[{"id":"y","title":1}]"#, "buttons[0].title' is 1; expected text"),
            (
                #""category":{"id":"c","buttons":[{"id":"y","title":"Y"},{"id":"y","title":"Yes"}]}"#,
                "category.buttons[1].id' is 'y'; expected an id that no other button has"
            ),
            (
                #""category":"c","buttons":[{"id":"y","title":"Y","foreground":"yes"}]"#,
                "buttons[0].foreground' is 'yes'; expected true or false"
            ),
            (
                #""category":"c","buttons":[{"id":"y","title":"Y","action":"url"}]"#,
                "buttons[0].action' is 'url'; expected a mapping with a 'type'"
            ),
            (
                #""category":"c","buttons":[{"id":"y","title":"Y","action":{"value":"x"}}]"#,
                "buttons[0].action.type' is missing; expected text that is not empty"
            ),
        ]

        @Test func `a malformed one is no line that can be used`() throws {
            let decided = try MCEApp(Self.sale).decide(Self.malformed.map { request($0.members, at: "09:00:00Z") })
            #expect(decided.status == 3 && decided.decisions == [])
            #expect(decided.rejects.map { $0["code"]?.text } == Self.malformed.map { _ in "invalid-attribute" })
            for (found, expected) in zip(decided.rejects, Self.malformed) {
                #expect(found["message"]?.text == "'data." + expected.message)
            }
        }

        @Test func `null is as good as absent, here too`() throws {
            let decided = try MCEApp(Self.sale).decide([
                request(#""category":null,"buttons":null"#, at: "09:00:00Z"),
                request(
                    #""category":"c","buttons":[{"id":"y","title":"Y","action":null,"destructive":null}]"#,
                    at: "09:01:00Z"),
            ])
            #expect(decided.status == 0)
            #expect(decided.data("notification.created").map { $0["buttons"] } == [nil, [["id": "y", "title": "Y"]]])
        }

        /// Data is free in form: who else's is a shop's `category`?
        @Test func `data that only uses the words is data`() throws {
            let data: [String] = [
                #"{"category":"shoes"}"#, #"{"category":{"id":"shoes","name":"Shoes"}}"#, #"{"buttons":[1,2]}"#,
                #"{"category":"coats","buttons":4}"#, #"["category","buttons"]"#,
            ]
            let decided = try MCEApp(Self.sale).decide(data.map { request(#""data":\#($0)"#, at: "09:00:00Z") })
            #expect(decided.status == 0 && decided.warnings == [])
            let created = decided.data("notification.created")
            #expect(created.allSatisfy { $0["category"] == nil && $0["buttons"] == nil })
            #expect(try created.map { $0["data"] } == data.map { try JSON($0).value })
        }

        @Test func `a malformed one inside the data is data, and warned about`() throws {
            let decided = try MCEApp(
                "campaigns: [ { id: sale, category: plain } ]\ncategories: [ { id: plain, buttons: [] } ]"
            )
            .decide([request(#""data":{"category":"c","buttons":[{"id":"y"}]}"#, at: "09:00:00Z")])
            #expect(decided.status == 0)
            #expect(decided.data("notification.created").map { $0["category"] } == ["plain"])
            #expect(decided.data("notification.created").first?["data"]?.map?["category"] == "c")
            #expect(
                decided.warnings == [
                    "the request of campaign 'sale' shows no buttons of its data: 'data.data.buttons[0].title' is missing; expected text"
                ])
        }

        // MARK: What it survives

        @Test func `it survives a deferral, restarts and the end of its notification`() throws {
            let app = try MCEApp(Self.sale + "chain: [ { strategy: patient } ]", plugins: ["patient"])
            let deferred = try app.decide([
                request(#""title":"For you","category":{"id":"offer","buttons":\#(Self.buttons)}"#, at: "09:20:00Z")
            ])
            #expect(deferred.brief == ["deferred sale"])
            let created = try app.decide([], "--until", "2026-03-02T10:00:00Z")
            #expect(created.data("notification.created").map { $0["category"] } == ["offer"])
            #expect(created.data("notification.created").map { $0["buttons"] } == [Self.shown])
            #expect(
                try app.decide([tap("sale/1", "Accept", at: "10:01:00Z")]).brief.dropFirst().first
                    == "invoked dial 112 ok")
            let deletion = signal("notification.requested", #"{"campaign":"sale","delete":true}"#, at: "10:02:00Z")
            #expect(try app.decide([deletion]).brief == ["deleted sale/1"])
            // Now the history alone knows it.
            #expect(
                try app.decide([tap("sale/1", "Accept", at: "10:03:00Z")]).brief.dropFirst().first
                    == "invoked dial 112 ok")
        }

        @Test func `one without buttons survives a deferral too`() throws {
            let app = try MCEApp(
                Self.sale
                    + "categories: [ { id: offer, buttons: [ { id: OK, title: OK } ] } ]\nchain: [ { strategy: patient } ]",
                plugins: ["patient"])
            _ = try app.decide([request(#""category":"offer""#, at: "09:20:00Z")])
            let created = try app.decide([], "--until", "2026-03-02T10:00:00Z").data("notification.created")
            #expect(created.map { $0["buttons"] } == [[["id": "OK", "title": "OK"]]])
        }

        @Test func `what was shown is what a tap means, whatever is configured since`() throws {
            let app = try MCEApp(Self.sale)
            _ = try app.decide([request(#""category":{"id":"offer","buttons":\#(Self.buttons)}"#, at: "09:00:00Z")])
            try app.reconfigure(
                Self.sale
                    + "categories: [ { id: offer, buttons: [ { id: Accept, title: OK, action: { type: openApp } } ] } ]"
            )
            #expect(try app.decide([tap("sale/1", "Accept", at: "09:01:00Z")]).brief[1] == "invoked dial 112 ok")
        }

        @Test func `a channel without buttons gets none, and a tap on one is a tap on the notification`() throws {
            let decided = try MCEApp("campaigns: [ { id: sale, onOpen: { type: openApp } } ]").decide([
                signal(
                    "device.registered", #"{"attributes":{"supportsButtons":false}}"#, at: "09:00:00Z", channel: "watch"
                ),
                request(#""category":{"id":"offer","buttons":\#(Self.buttons)}"#, at: "09:01:00Z", channel: "watch"),
                tap("sale/1", "Accept", at: "09:02:00Z", channel: "watch"),
                tap("sale/1", "Accept", at: "09:03:00Z", channel: "phone"),
            ])
            let created = decided.data("notification.created").first
            #expect(created?["category"] == "offer" && created?["buttons"] == nil)
            #expect(
                decided.brief.dropFirst() == [
                    "opened sale/1", "invoked openApp ok", "recorded simpleNotification appOpened",
                    // That button was not shown: it is unknown.
                    "opened sale/1 by Accept",
                ])
        }

        @Test func `its actions are those of the registry, built in and custom`() throws {
            let actions = ["url", "openApp", "dial", "viewProduct", "confetti"]
            let values = ["https://shop.example", "cart", "112", "7", "red"]
            let buttons = zip(actions, values).map {
                #"{"id":"\#($0)","title":"\#($0)","action":{"type":"\#($0)","value":"\#($1)"}}"#
            }
            let app = try MCEApp(Self.sale, plugins: ["showroom"])
            let decided = try app.decide(
                [request(#""category":"all","buttons":[\#(buttons.joined(separator: ","))]"#, at: "09:00:00Z")]
                    + actions.map { tap("sale/1", $0, at: "09:01:00Z") })
            #expect(
                decided.brief.filter { $0.hasPrefix("invoked") } == [
                    "invoked url https://shop.example ok", "invoked openApp cart ok", "invoked dial 112 ok",
                    "invoked viewProduct 7 ok", "invoked confetti red unknown",
                ])
            #expect(
                decided.warnings == [
                    "the request of campaign 'sale', button 'confetti': no plugin provides the action type 'confetti'",
                    "no plugin provides the action type 'confetti'",
                ])
            #expect(decided.status == 0)
        }
    }
}
