import BelfryModel
import Testing

extension MCETests {
    /// The registry of actions (docs/decisions.md, docs/plugins.md).
    @Suite struct CustomActionTests {
        private static func sale(onOpen action: String) -> String {
            """
            campaigns: [ { id: sale, title: Sale, message: Half price, data: { sku: A7 }, category: offer, onOpen: \(action) } ]
            categories: [ { id: offer, buttons: [ { id: Show, title: Show, action: { type: showCatalog, page: 3 } } ] } ]
            """
        }

        @Test(
            arguments: [
                ("{ type: url, value: 'https://shop.example' }", ["opened": "https://shop.example"]),
                ("{ type: openApp, value: cart }", ["opened": "cart"]), ("{ type: openApp }", ["opened": true]),
                ("{ type: dial, value: '+31 20 1234567' }", ["dialled": "+31 20 1234567"]),
            ] as [(String, Value)])
        func `url, openApp and dial are there without any plugin of yours`(action: String, result: Value) throws {
            let decided = try MCEApp(Self.sale(onOpen: action)).decide([
                request(at: "09:00:00Z"), tap("sale/1", at: "09:01:00Z"),
            ])
            let invoked = decided.data("action.invoked").first
            #expect(invoked?["status"] == "ok" && invoked?["handler"] == "actions" && invoked?["result"] == result)
        }

        @Test func `an action that cannot be done has failed, says why, and still was clicked`() throws {
            let decided = try MCEApp(Self.sale(onOpen: "{ type: dial, value: home }")).decide([
                request(at: "09:00:00Z"), tap("sale/1", at: "09:01:00Z"),
            ])
            let invoked = decided.data("action.invoked").first
            #expect(invoked?["status"] == "failed")
            #expect(invoked?["error"]?.text?.hasPrefix("'home' is no phone number") == true)
            #expect(decided.status == 0 && decided.brief.last == "recorded simpleNotification phoneNumberClicked")
        }

        @Test func `a handler gets the whole action`() throws {
            let action = "{ type: viewProduct, sku: A7, price: 9.5, gift: true, sizes: [38, 39], more: { a: [null] } }"
            let decided = try MCEApp(Self.sale(onOpen: action), plugins: ["showroom"]).decide([
                request(at: "09:00:00Z"), tap("sale/1", at: "09:01:00Z"),
            ])
            let invoked = decided.data("action.invoked").first
            #expect(invoked?["handler"] == "test.showroom")
            #expect(
                invoked?["result"] == [
                    "type": "viewProduct", "sku": "A7", "price": 9.5, "gift": true, "sizes": [38, 39],
                    "more": ["a": [.null]],
                ])
        }

        @Test func `or the payload too: the notification as it was created, and the button`() throws {
            let app = try MCEApp(Self.sale(onOpen: "{ type: showCatalog }"), plugins: ["showroom"])
            let decided = try app.decide([
                request(#""message":"Only for you""#, at: "09:00:00Z"), tap("sale/1", at: "09:01:00Z"),
                tap("sale/1", "Show", at: "09:02:00Z"),
            ])
            let payloads = decided.data("action.invoked").map { $0["result"]?.map ?? Fields() }
            for payload in payloads {
                #expect(payload["notification"] == "sale/1" && payload["campaign"] == "sale")
                #expect(payload["title"] == "Sale" && payload["message"] == "Only for you")
                #expect(payload["data"] == ["sku": "A7"] && payload["category"] == "offer")
                #expect(payload["buttons"]?.list?.first?.map?["id"] == "Show")
            }
            #expect(payloads.map { $0["button"] } == [nil, "Show"])
        }

        @Test func `a plugin takes a built-in type over, which is said, and the event is the core's all the same`()
            throws
        {
            let app = try MCEApp(
                Self.sale(onOpen: "{ type: url, value: 'https://shop.example' }"), plugins: ["window"])
            let decided = try app.decide([request(at: "09:00:00Z"), tap("sale/1", at: "09:01:00Z")])
            let invoked = decided.data("action.invoked").first
            #expect(invoked?["handler"] == "test.window" && invoked?["result"] == "inside")
            #expect(decided.errors.contains("test.window instead of actions"), "\(decided.errors)")
            #expect(decided.brief.last == "recorded simpleNotification urlClicked")
        }

        @Test func `an unknown type is recorded and warned about, never fatal`() throws {
            let decided = try MCEApp(Self.sale(onOpen: "{ type: confetti, value: red }")).decide([
                request(at: "09:00:00Z"), tap("sale/1", at: "09:01:00Z"), request(at: "09:02:00Z"),
            ])
            #expect(decided.status == 0)
            #expect(
                decided.brief == ["created sale/1", "opened sale/1", "invoked confetti red unknown", "created sale/2"])
            #expect(decided.warnings.contains("no plugin provides the action type 'confetti'"), "\(decided.warnings)")
        }
    }
}
