import BelfryModel
import Testing

extension MCETests {
    /// Sets of buttons that the app's makers configure (docs/configuration.md).
    @Suite struct StaticCategoryTests {
        /// The README's sample, and another category that happens to have a button of the same id.
        private static let configuration = """
            categories:
              - id: example
                buttons:
                  - { id: Accept, title: Accept, foreground: true, destructive: false, authenticationRequired: false, action: { type: dial, value: "112" } }
                  - { id: Reject, title: Reject, foreground: true, destructive: true, authenticationRequired: true }
              - { id: survey, buttons: [ { id: Accept, title: Sure, action: { type: openApp, value: survey } } ] }
            campaigns:
              - { id: sale, category: example }
              - { id: ask, category: survey }
            """

        @Test func `a notification has the buttons of its category, with the flags that are set`() throws {
            let created = try MCEApp(Self.configuration).decide([request(at: "09:00:00Z")]).data("notification.created")
            #expect(created.map { $0["category"] } == ["example"])
            #expect(
                created.map { $0["buttons"] } == [
                    [
                        [
                            "id": "Accept", "title": "Accept", "foreground": true,
                            "action": ["type": "dial", "value": "112"],
                        ],
                        [
                            "id": "Reject", "title": "Reject", "destructive": true, "authenticationRequired": true,
                            "foreground": true,
                        ],
                    ]
                ])
        }

        @Test func `a button means what it means in the category of the notification`() throws {
            let decided = try MCEApp(Self.configuration).decide([
                request(at: "09:00:00Z"),
                signal("notification.requested", #"{"campaign":"ask"}"#, at: "09:00:00Z"),
                tap("sale/1", "Accept", at: "09:01:00Z"), tap("ask/1", "Accept", at: "09:02:00Z"),
                tap("ask/1", "Reject", at: "09:03:00Z"),
            ])
            #expect(
                decided.brief.filter { $0.hasPrefix("invoked") } == [
                    "invoked dial 112 ok", "invoked openApp survey ok",
                ])
        }

        @Test func `a request may name another category`() throws {
            let decided = try MCEApp(Self.configuration).decide([
                request(#""category":"survey""#, at: "09:00:00Z"), tap("sale/1", "Accept", at: "09:01:00Z"),
            ])
            #expect(decided.data("notification.created").map { $0["category"] } == ["survey"])
            #expect(decided.brief.contains("invoked openApp survey ok") && decided.warnings == [])
        }

        @Test func `a device that shows no buttons is told of openings only, until it can`() throws {
            func registered(_ supports: String, at time: String) -> String {
                signal(
                    "device.registered", #"{"attributes":{"supportsButtons":\#(supports)}}"#, at: time, channel: "old")
            }
            let decided = try MCEApp(Self.configuration).decide([
                registered("false", at: "08:00:00Z"), request(at: "09:00:00Z", channel: "old"),
                tap("sale/1", "Accept", at: "09:01:00Z", channel: "old"),
                registered("null", at: "10:00:00Z"), request(at: "10:01:00Z", channel: "old"),
                tap("sale/2", "Accept", at: "10:02:00Z", channel: "old"),
            ])
            #expect(decided.data("notification.created").map { $0["category"] } == ["example", "example"])
            #expect(decided.data("notification.created").map { $0["buttons"]?.list?.count } == [nil, 2])
            #expect(decided.data("notification.opened").map { $0["button"] } == [nil, "Accept"])
            #expect(decided.data("action.invoked").count == 1)
        }

        /// An app that has the category built in shows its buttons without being told.
        @Test func `a tap on a button that the decision did not list is that of the configured category`() throws {
            let decided = try MCEApp(Self.configuration).decide([
                signal(
                    "device.registered", #"{"attributes":{"supportsButtons":false}}"#, at: "08:00:00Z", channel: "old"),
                request(#""category":"survey""#, at: "09:00:00Z", channel: "old"),
                tap("sale/1", "Accept", at: "09:01:00Z", channel: "new"),
            ])
            #expect(decided.brief.suffix(2).first == "invoked openApp survey ok", "\(decided.brief)")
        }
    }
}
