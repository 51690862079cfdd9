import BelfryModel
import BelfryTesting
import Foundation
import Testing

/// Each bundled plugin once through the compiled file; what they decide in detail is in `PluginTests`.
@Suite struct BundledPluginTests {
    @Test func `all are loaded and none is refused`() throws {
        let ids = [
            "action-menu", "actions", "background-delay", "cooldown", "digest", "holdout", "inhibit",
            "max-per-period", "occurrences", "once", "personalize", "region-change", "schedule", "segmentation",
        ]
        #expect(try BundledPlugins.load().map(\.id) == ids)
    }

    @Test func `cooldown`() throws {
        let test = try StrategyTest(
            table: BundledPlugins.strategy("cooldown"), parameters: ["period": "1h"], at: "2026-03-02T09:00:00Z")
        #expect(try test.request() == .created)
        try test.saveAndLoad()
        try test.advance(by: .minutes(59))
        #expect(
            try test.request().description
                == "denied (cooldown) until 2026-03-02T10:00:00Z: the last one was created less than 1h ago")
        try test.advance(by: .minutes(1))
        #expect(try test.request() == .created)
        #expect(test.stateLines == ["cooldown.createdAt = 2026-03-02T10:00:00Z"])
    }

    @Test func `max-per-period`() throws {
        let test = try StrategyTest(
            table: BundledPlugins.strategy("max-per-period"), parameters: ["max": 2, "calendar": "day"],
            timeZone: "Europe/Amsterdam", at: "2026-03-28T22:59:00Z")
        #expect(try test.request() == .created)
        try test.advance(by: .minutes(1))
        #expect(try [test.request(), test.request()] == [.created, .created])
        try test.saveAndLoad()
        #expect(try test.request().until?.description == "2026-03-29T22:00:00Z", "a day of 23 hours")
        try test.move(to: "2026-03-29T22:00:00Z")
        #expect(try test.request() == .created)
    }

    @Test func `segmentation`() throws {
        let test = try StrategyTest(
            table: BundledPlugins.strategy("segmentation"), parameters: ["tier": ["$in": ["gold", "platinum"]]])
        #expect(
            try test.request().message
                == #"the segment does not match: tier does not match {"$in":["gold","platinum"]}"#)
        try test.set(user: ["tier": "gold"])
        #expect(try test.request() == .created)
    }

    @Test func `schedule`() throws {
        let test = try StrategyTest(
            table: BundledPlugins.strategy("schedule"), parameters: ["periods": [["hours": ["08:00-22:00"]]]],
            timeZone: "Europe/Amsterdam", at: "2026-03-28T21:00:00Z")
        #expect(try test.request().until?.description == "2026-03-29T06:00:00Z", "the clocks go forward that night")
        try test.move(to: "2026-03-29T06:00:00Z")
        #expect(try test.request() == .created)
    }

    @Test func `occurrences`() throws {
        let test = try StrategyTest(
            table: BundledPlugins.strategy("occurrences"), parameters: ["count": 2, "within": "10m"], per: "subject")
        #expect(try test.request().description == "denied (occurrences): 1 of 2 within 10m")
        try test.saveAndLoad()
        #expect(try [test.request() == .created, test.request() == .created] == [true, false])
    }

    @Test func `background-delay`() throws {
        let test = try StrategyTest(
            table: BundledPlugins.strategy("background-delay"), parameters: ["period": "30s"],
            at: "2026-03-02T09:00:00Z")
        try test.background()
        #expect(try test.request().until?.description == "2026-03-02T09:00:30Z")
        try test.advance(by: .seconds(30))
        #expect(try test.request() == .created)
    }

    @Test func `region-change`() throws {
        let test = try StrategyTest(table: BundledPlugins.strategy("region-change"), regions: ["store", "stall"])
        #expect(try test.enter("store") == [.created])
        try test.exit("store")
        #expect(try test.enter("store") != [.created])
        #expect(try test.enter("stall") == [.created])
    }

    @Test func `once`() throws {
        let test = try StrategyTest(table: BundledPlugins.strategy("once"), campaigns: ["sale", "news"])
        #expect(try test.request("sale") == .created)
        try test.saveAndLoad()
        #expect(try test.request("sale") != .created)
        #expect(try test.request("news") == .created, "it counts per campaign")
    }

    @Test func `holdout`() throws {
        let table = try BundledPlugins.strategy("holdout")
        #expect(try StrategyTest(table: table, parameters: ["share": 1, "seed": "a"]).request() != .created)
        #expect(try StrategyTest(table: table, parameters: ["share": 0, "seed": "a"]).request() == .created)
    }

    @Test func `digest`() throws {
        let test = try StrategyTest(table: BundledPlugins.strategy("digest"), parameters: ["window": "10m"])
        #expect(try test.request().description == "collected until 2026-03-02T09:10:00Z: 1 so far")
        try test.saveAndLoad()
        #expect(try test.request().description == "collected until 2026-03-02T09:10:00Z: 2 so far")
        #expect(try test.advance(by: .minutes(10)) == [.created])
    }

    @Test func `inhibit`() throws {
        let test = try StrategyTest(
            table: BundledPlugins.strategy("inhibit"), parameters: ["by": ["campaign": "outage"]],
            campaigns: ["outage", "symptom"])
        #expect(try test.request("symptom") == .created)
        #expect(try test.request("outage") == .created)
        #expect(try test.request("symptom") != .created)
    }

    @Test func `personalize`() throws {
        let table = try BundledPlugins.filter("personalize")
        let test = try FilterTest(
            table: table, parameters: ["message": "Hello {firstName}! {message}", "drop": ["tier": "none"]])
        #expect(try test.request(message: "Welcome").message == "Hello ! Welcome")
        #expect(test.warnings.count == 1)
        try test.set(user: ["firstName": "Zo\u{EB}"])
        #expect(try test.request(message: "Welcome").message == "Hello Zo\u{EB}! Welcome")
        try test.set(user: ["tier": "none"])
        #expect(try test.request() == .dropped(#"'drop' holds: {"tier":"none"}"#))
    }

    @Test func `actions`() throws {
        let test = ActionTest(tables: try BundledPlugins.plugin("actions").actions)
        #expect(test.types == ["url", "landingPage", "applink", "openApp", "dial"])
        #expect(test.perform(["type": "dial", "value": 112]) == .done(["dialled": "112"]))
        #expect(
            test.perform(["type": "url", "value": "shop"])
                == .failed("'shop' is no address: it has no scheme, such as https: in front"))
    }

    @Test func `action-menu`() throws {
        let test = ActionTest(tables: try BundledPlugins.plugin("action-menu").actions)
        #expect(test.types == ["showactions"])
        let buttons: Value = [["id": "Accept", "title": "Accept", "action": ["type": "url", "value": "shop:yes"]]]
        #expect(test.perform(["type": "showactions"], payload: ["buttons": buttons]) == .done(["buttons": buttons]))
    }

    @Test func `wrong parameters reach the author as sentences`() throws {
        let table = try BundledPlugins.strategy("max-per-period")
        let failure = #expect(throws: StrategyTest.Failure.self) {
            try StrategyTest(table: table, parameters: ["max": 1])
        }
        #expect(failure?.description.contains("'max' alone has no window") == true)
    }
}
