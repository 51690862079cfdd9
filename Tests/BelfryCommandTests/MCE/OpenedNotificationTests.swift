import BelfryModel
import Testing

extension MCETests {
    /// What an opening runs (docs/decisions.md, opening).
    @Suite struct OpenedNotificationTests {
        private static let categories = """
            categories:
              - id: offer
                buttons:
                  - { id: Accept, title: Accept, action: { type: dial, value: "112" } }
                  - { id: Reject, title: Reject }

            """

        private static func sale(_ members: String) -> String {
            categories + "campaigns: [ { id: sale, category: offer, \(members) } ]\n"
        }

        /// What `sale/1` runs when it, or its button, is tapped.
        private func opened(_ members: String, _ button: String? = nil) throws -> [String] {
            let decided = try MCEApp(Self.sale(members)).decide([
                request(at: "09:00:00Z"), tap("sale/1", button, at: "09:01:00Z"),
            ])
            #expect(decided.status == 0, "\(decided.errors)")
            return Array(decided.brief.dropFirst())
        }

        private static let everything = "onOpen: { type: openApp, value: cart }, data: https://shop.example"

        @Test func `a button goes before onOpen, and onOpen before the handler`() throws {
            #expect(
                try opened(Self.everything, "Accept") == [
                    "opened sale/1 by Accept", "invoked dial 112 ok",
                    "recorded simpleNotification phoneNumberClicked",
                ])
            #expect(
                try opened(Self.everything) == [
                    "opened sale/1", "invoked openApp cart ok", "recorded simpleNotification appOpened",
                ])
            #expect(
                try opened("data: https://shop.example") == [
                    "opened sale/1", "invoked url https://shop.example ok",
                    "recorded simpleNotification urlClicked",
                ])
            #expect(try opened("data: shelf") == ["opened sale/1"])
        }

        @Test(arguments: ["Reject", "Perhaps"])
        func `a button without an action, or an unknown one, runs nothing`(button: String) throws {
            #expect(try opened(Self.everything, button) == ["opened sale/1 by \(button)"])
        }

        @Test func `a landing page ignores onOpen, but not its buttons`() throws {
            let page = Self.everything + ", handler: landingPage"
            #expect(try opened(page) == ["opened sale/1", "invoked landingPage https://shop.example ok"])
            #expect(try opened(page, "Accept")[1] == "invoked dial 112 ok")
        }

        @Test func `each opening counts and runs, the first is remembered`() throws {
            let app = try MCEApp(Self.sale(Self.everything))
            _ = try app.decide([request(at: "09:00:00Z"), tap("sale/1", at: "09:01:00Z")])
            let again = try app.decide([tap("sale/1", "Accept", at: "09:05:00Z")])
            #expect(again.brief[1] == "invoked dial 112 ok")
            #expect(again.data("notification.opened").first?["firstOpenedAt"] == "2026-03-02T09:01:00Z")
        }

        /// The handler takes the process with it, so whatever is known afterwards was recorded before it ran.
        @Test func `the opening is recorded before its handler runs`() throws {
            let app = try MCEApp(Self.sale("onOpen: { type: stumble }"), plugins: ["stumble"])
            let fallen = try app.decide([request(at: "09:00:00Z"), tap("sale/1", at: "09:01:00Z")])
            try #require(fallen.status == 1, "\(fallen.errors)")
            let again = try app.decide([tap("sale/1", "Reject", at: "09:05:00Z")]).data("notification.opened").last
            #expect(again?["button"] == "Reject" && again?["firstOpenedAt"] == "2026-03-02T09:01:00Z")
        }
    }
}
