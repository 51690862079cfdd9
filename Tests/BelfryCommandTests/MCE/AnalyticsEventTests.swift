import BelfryModel
import Testing

extension MCETests {
    /// The events that the system sends by itself, and those of the app (docs/decisions.md, events).
    @Suite struct AnalyticsEventTests {
        private static let configuration = """
            campaigns:
              - { id: page, onOpen: { type: url, value: "https://shop.example" } }
              - { id: app, onOpen: { type: openApp } }
              - { id: call, onOpen: { type: dial, value: "112" } }
            """

        @Test func `the seven automatic events have their exact type and name`() throws {
            let clicks = ["page", "app", "call"].flatMap {
                [
                    signal("notification.requested", #"{"campaign":"\#($0)"}"#, at: "09:01:00Z"),
                    tap("\($0)/1", at: "09:01:00Z"),
                ]
            }
            let decided = try MCEApp(Self.configuration).decide(
                [signal("session.started", at: "09:00:00Z")] + clicks + [
                    signal("subject.disabled", at: "09:02:00Z"), signal("subject.enabled", at: "09:03:00Z"),
                    signal("session.ended", at: "09:04:00Z"),
                ])
            let events = decided.data("event.recorded")
            #expect(
                events.map { "\($0["type"]?.text ?? ""):\($0["name"]?.text ?? "")" } == [
                    "application:sessionStart", "simpleNotification:urlClicked", "simpleNotification:appOpened",
                    "simpleNotification:phoneNumberClicked", "application:uiPushDisabled", "application:uiPushEnabled",
                    "application:sessionEnd",
                ])
            #expect(
                events.map { $0["attributes"] } == [
                    [:], ["notification": "page/1", "value": "https://shop.example"], ["notification": "app/1"],
                    ["notification": "call/1", "value": "112"], [:], [:], [:],
                ])
        }

        @Test func `an event has the time that the sender gave it, in UTC`() throws {
            let decided = try MCEApp().decide([signal("session.started", at: "10:30:00.250+01:30")])
            #expect(decided.decisions.map { $0["time"] } == ["2026-03-02T09:00:00.250Z"])
        }

        @Test func `one that waited on the phone keeps its own time`() throws {
            let decided = try MCEApp().decide([
                signal("session.ended", at: "09:30:00Z"), signal("session.started", at: "11:00:00+02:00"),
            ])
            #expect(decided.decisions.map { $0["time"] } == ["2026-03-02T09:30:00Z", "2026-03-02T09:30:00Z"])
            #expect(
                decided.data("event.recorded").map { $0["attributes"] } == [
                    [:], ["originalTime": "2026-03-02T09:00:00Z"],
                ])
        }

        @Test func `switched off, nothing is shown until it is on again`() throws {
            let decided = try MCEApp("campaigns: [ { id: sale } ]").decide([
                signal("subject.disabled", at: "09:00:00Z"), request(at: "09:01:00Z"),
                signal("subject.enabled", at: "09:02:00Z"), request(at: "09:03:00Z"),
            ])
            #expect(
                decided.brief == [
                    "recorded application uiPushDisabled", "suppressed sale", "recorded application uiPushEnabled",
                    "created sale/1",
                ])
        }

        @Test func `an event of any type and with any attributes may be sent, and campaigns may wait for it`() throws {
            let app = try MCEApp(
                """
                chain: [ { strategy: segmentation, when: { data.amount: { $lt: 100 } }, parameters: { vip: true } } ]
                campaigns: [ { id: thanks, triggers: [ { on: "shop:basket/paid" } ] } ]
                """)
            let decided = try app.decide([
                signal("shop:basket/paid", #"{"amount":250,"items":["a"]}"#, at: "09:00:00Z"),
                signal("shop:basket/paid", #"{"amount":25}"#, at: "09:01:00Z"),
                signal("anything else", #"{"at":{"all":[null]}}"#, at: "09:02:00Z"),
            ])
            #expect(decided.status == 0 && decided.brief == ["created thanks/1", "suppressed thanks"])
        }

        @Test func `an event that is sent twice counts once`() throws {
            let app = try MCEApp()
            let event = signal("session.started", at: "09:00:00Z", id: "e-1")
            #expect(try app.decide([event, event]).brief == ["recorded application sessionStart"])
            #expect(try app.decide([event]).brief == [])
        }
    }
}
