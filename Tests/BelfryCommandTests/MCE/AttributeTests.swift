import BelfryModel
import Testing

extension MCETests {
    /// Attributes of the user and of each channel (docs/signals.md, attributes).
    @Suite struct AttributeTests {
        enum Scope: String, CaseIterable { case user, channel }

        private func change(
            _ operation: String, _ scope: Scope, _ members: String, at time: String, channel: String = "phone"
        ) -> String {
            signal(
                "attributes.\(operation)", #"{"scope":"\#(scope)",\#(members)}"#, at: time, channel: channel)
        }

        private func attributes(_ app: MCEApp, _ scope: Scope) throws -> Value? {
            scope == .user ? try app.record()["user"] : try app.channel("phone")
        }

        @Test(arguments: Scope.allCases)
        func `set replaces all, update merges, delete removes by key`(scope: Scope) throws {
            let app = try MCEApp()
            func after(_ signal: String) throws -> Value? {
                let decided = try app.decide([signal])
                #expect(decided.status == 0 && decided.decisions == [], "\(decided.errors)")
                return try attributes(app, scope)
            }
            #expect(try after(change("set", scope, #""values":{"a":1,"b":2}"#, at: "09:00:00Z")) == ["a": 1, "b": 2])
            #expect(try after(change("set", scope, #""values":{"b":3,"c":4}"#, at: "09:01:00Z")) == ["b": 3, "c": 4])
            #expect(
                try after(change("updated", scope, #""values":{"c":5,"d":6}"#, at: "09:02:00Z"))
                    == ["b": 3, "c": 5, "d": 6])
            #expect(
                try after(change("deleted", scope, #""keys":["b","d","never there"]"#, at: "09:03:00Z")) == ["c": 5])
            #expect(try after(change("updated", scope, #""values":{"c":null,"e":7}"#, at: "09:04:00Z")) == ["e": 7])
            #expect(try after(change("set", scope, #""values":{"f":8,"g":null}"#, at: "09:05:00Z")) == ["f": 8])
        }

        @Test func `the two sets, and those of other channels, stay as they are`() throws {
            let app = try MCEApp()
            _ = try app.decide([
                change("set", .user, #""values":{"a":"user"}"#, at: "09:00:00Z"),
                change("set", .channel, #""values":{"a":"phone"}"#, at: "09:01:00Z"),
                change("set", .channel, #""values":{"a":"watch"}"#, at: "09:02:00Z", channel: "watch"),
                change("deleted", .channel, #""keys":["a"]"#, at: "09:03:00Z"),
                change("updated", .channel, #""values":{"b":1}"#, at: "09:04:00Z", channel: "watch"),
            ])
            #expect(try app.record()["user"] == ["a": "user"])
            #expect(try app.channel("phone") == [:])
            #expect(try app.channel("watch") == ["a": "watch", "b": 1])
        }

        /// The scope is the channel's when the signal has one, else the user's.
        @Test func `without a scope the signal's own channel says whose they are`() throws {
            let app = try MCEApp()
            _ = try app.decide([
                signal("attributes.set", #"{"values":{"a":1}}"#, at: "09:00:00Z"),
                signal("attributes.set", #"{"values":{"b":2}}"#, at: "09:01:00Z", channel: "phone"),
            ])
            #expect(try app.record()["user"] == ["a": 1])
            #expect(try app.channel("phone") == ["b": 2])
        }

        @Test func `strings, numbers, booleans and dates are kept as they came, over restarts too`() throws {
            let app = try MCEApp()
            let values =
                #"{"name":"Ana \"Ü\" 漢","visits":9007199254740993,"ratio":-0.1,"huge":1e300,"member":true,"spam":false,"since":"2024-02-29T23:30:00+01:00"}"#
            _ = try app.decide([change("set", .user, #""values":\#(values)"#, at: "09:00:00Z")])
            _ = try app.decide([change("updated", .user, #""values":{"later":1}"#, at: "09:01:00Z")])
            let kept = try #require(try app.record()["user"]?.map)
            #expect(kept["name"] == "Ana \"Ü\" 漢" && kept["visits"] == 9_007_199_254_740_993)
            #expect(kept["ratio"] == -0.1 && kept["huge"] == 1e300 && kept["member"] == true && kept["spam"] == false)
            #expect(kept["since"] == "2024-02-29T23:30:00+01:00" && kept["later"] == 1)
        }

        // MARK: What they are for

        /// Who of three is in a segment: `created` or `suppressed` for each.
        private func segment(_ condition: String, _ signals: [String]) throws -> [String] {
            let app = try MCEApp(
                "chain: [ { strategy: segmentation } ]\ncampaigns: [ { id: sale, with: { segmentation: \(condition) } } ]"
            )
            let decided = try app.decide(
                signals + [request(at: "10:00:00Z", channel: "phone"), request(at: "10:00:00Z", channel: "watch")]
                    + [request(at: "10:00:00Z")])
            #expect(decided.status == 0, "\(decided.errors)")
            return decided.brief.compactMap { $0.split(separator: " ").first.map(String.init) }
        }

        @Test func `a condition looks at the channel first, then at the user`() throws {
            let signals = [
                change("set", .user, #""values":{"tier":"gold"}"#, at: "09:00:00Z"),
                change("set", .channel, #""values":{"tier":"silver"}"#, at: "09:01:00Z", channel: "phone"),
            ]
            #expect(try segment("{ tier: gold }", signals) == ["suppressed", "created", "created"])
            #expect(try segment("{ user.tier: gold }", signals) == ["created", "created", "created"])
            #expect(try segment("{ channel.tier: silver }", signals) == ["created", "suppressed", "suppressed"])
        }

        @Test(arguments: [
            #"{ since: { $lt: "2026-01-01T00:00:00+02:00" } }"#, "{ visits: { $gte: 10 } }", "{ member: true }",
            "{ name: Ana }", #"{ member: { $ne: "true" } }"#, "{ ratio: { $lt: 0.5 } }",
        ])
        func `each type of value can be tested`(condition: String) throws {
            // Half an hour before the new year of that zone, and half an hour after it.
            let (before, after) = ("2025-12-31T21:30:00Z", "2025-12-31T22:30:00Z")
            let phone = #"{"since":"\#(before)","visits":10,"member":true,"name":"Ana","ratio":0.4}"#
            let watch = #"{"since":"\#(after)","visits":9,"member":"true","name":"ana","ratio":0.5}"#
            let signals = [
                change("set", .channel, #""values":\#(phone)"#, at: "09:00:00Z", channel: "phone"),
                change("set", .channel, #""values":\#(watch)"#, at: "09:00:00Z", channel: "watch"),
            ]
            #expect(try segment(condition, signals).prefix(2) == ["created", "suppressed"])
        }

        @Test func `nothing that is sent in gives them out; belfry state does`() throws {
            let app = try MCEApp("campaigns: [ { id: sale } ]")
            let decided = try app.decide([
                change("set", .user, #""values":{"secret":"s3cr3t"}"#, at: "09:00:00Z"),
                signal("attributes.get", "{}", at: "09:01:00Z"), request(at: "09:02:00Z"),
            ])
            #expect(decided.status == 0 && decided.decisions.count == 1 && !decided.output.contains("s3cr3t"))
            #expect(try app.record()["user"] == ["secret": "s3cr3t"])
        }
    }
}
