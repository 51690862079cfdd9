import BelfryModel
import Testing

extension MCETests {
    /// Users and their channels, and what a device says of itself (docs/signals.md).
    @Suite struct RegistrationTests {
        private static let automatic =
            #"{"osVersion":"17.4","deviceModel":"iPhone15,2","sdkVersion":"3.8","applicationVersion":"2.0","locale":"nl_NL","timeZone":"Europe/Amsterdam","supportsButtons":true}"#

        private func registered(_ attributes: String, at time: String, channel: String = "phone") -> String {
            signal("device.registered", #"{"attributes":\#(attributes)}"#, at: time, channel: channel)
        }

        @Test func `a registration fills the automatic attributes, which set and delete do not reach`() throws {
            let app = try MCEApp()
            let all = try JSON(Self.automatic).value
            _ = try app.decide([registered(Self.automatic, at: "09:00:00Z")])
            #expect(try app.channel("phone", "automatic") == all)
            let decided = try app.decide([
                signal(
                    "attributes.set", #"{"values":{"osVersion":"1","tier":"gold"}}"#, at: "09:01:00Z", channel: "phone"),
                signal("attributes.updated", #"{"values":{"locale":null}}"#, at: "09:02:00Z", channel: "phone"),
                signal(
                    "attributes.deleted", #"{"keys":["deviceModel","sdkVersion","tier"]}"#, at: "09:03:00Z",
                    channel: "phone"),
            ])
            #expect(decided.status == 0)
            #expect(try app.channel("phone", "automatic") == all)
            #expect(try app.channel("phone") == ["osVersion": "1"])
        }

        @Test func `registering again merges by key, and null clears`() throws {
            let app = try MCEApp()
            _ = try app.decide([
                registered(Self.automatic, at: "09:00:00Z"),
                registered(#"{"osVersion":"18.0","supportsButtons":null,"beta":true}"#, at: "09:01:00Z"),
                signal("device.registered", at: "09:02:00Z", channel: "phone"),
            ])
            let kept = try app.channel("phone", "automatic")?.map
            #expect(kept?["osVersion"] == "18.0" && kept?["supportsButtons"] == nil && kept?["beta"] == true)
            #expect(kept?["locale"] == "nl_NL" && kept?.count == 7)
        }

        @Test func `the automatic attribute wins over one that was set`() throws {
            let app = try MCEApp(
                """
                chain: [ { strategy: segmentation } ]
                campaigns: [ { id: sale, with: { segmentation: { osVersion: { $vgte: "17.0" } } } } ]
                """)
            let decided = try app.decide([
                signal("attributes.set", #"{"values":{"osVersion":"99"}}"#, at: "08:00:00Z", channel: "phone"),
                request(at: "08:01:00Z", channel: "phone"),
                registered(#"{"osVersion":"16.9"}"#, at: "09:00:00Z"), request(at: "09:01:00Z", channel: "phone"),
                registered(#"{"osVersion":null}"#, at: "09:02:00Z"), request(at: "09:03:00Z", channel: "phone"),
            ])
            #expect(decided.brief == ["created sale/1", "suppressed sale", "created sale/2"])
        }

        @Test func `whoever waits for a registration is told of it, with the channel`() throws {
            let app = try MCEApp(
                """
                chain: [ { strategy: cooldown, per: channel, parameters: { period: 1h } } ]
                campaigns: [ { id: welcome, triggers: [ { on: device.registered } ] } ]
                """)
            let decided = try app.decide([
                registered(Self.automatic, at: "09:00:00Z"), registered("{}", at: "09:01:00Z", channel: "watch"),
                registered("{}", at: "09:02:00Z"),
            ])
            #expect(decided.brief == ["created welcome/1", "created welcome/2", "suppressed welcome"])
            #expect(
                decided.data("notification.suppressed").first?["reasons"]?.list?.first?.map?["counter"] == "phone")
        }

        /// A user has devices; what happened to him holds on all of them.
        @Test func `a user is the same on each of his channels`() throws {
            let app = try MCEApp(
                "chain: [ { strategy: max-per-period, parameters: { max: 2, period: 1h } } ]\ncampaigns: [ { id: sale } ]"
            )
            let decided = try app.decide([
                request(at: "09:00:00Z", channel: "phone"), request(at: "09:01:00Z", channel: "watch"),
                request(at: "09:02:00Z", channel: "tablet"), tap("sale/1", at: "09:03:00Z", channel: "watch"),
            ])
            #expect(decided.brief == ["created sale/1", "created sale/2", "suppressed sale", "opened sale/1"])
        }
    }
}
