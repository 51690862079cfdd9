import BelfryEngine
import BelfryModel
import Testing

/// `per` names what state is kept under (docs/configuration.md).
@Suite struct CounterTests {
    @Test(
        arguments: [
            (.subject, ["the subject's"]), (.channel, ["phone"]), (.campaign, ["sale"]), (.trigger, ["sale/t1"]),
            (.region, ["store"]),
            (.group, ["promo", "food"]), (.data("shop"), ["north"]), (.data("order.id"), ["7"]),
        ] as [(Configuration.Counter, [String])])
    func `state is kept under what the candidate has`(per: Configuration.Counter, counters: [String]) throws {
        let town = try Town {
            $0.chain = [.entry("a", per: per)]
            $0.groups = [.init(id: "promo"), .init(id: "food")]
            $0[campaign: "sale"].groups = ["promo", "food"]
            $0[campaign: "sale"].data = ["shop": "north", "order": ["id": 7]]
        }
        town.send(.enter("store"), at: "10:00", channel: "phone")
        #expect(town.counters(of: "a") == counters.sorted())
        for counter in counters {
            #expect(town.told("a", counter: per == .subject ? nil : counter) == ["10:00 created sale"])
        }
    }

    @Test(
        arguments: [.channel, .region, .group, .trigger, .data("shop"), .data("order.id")] as [Configuration.Counter])
    func `a candidate without it is not asked about`(per: Configuration.Counter) throws {
        let town = try Town {
            $0.chain = [.entry("a", .deny, per: per)]
            $0[campaign: "sale"].data = ["order": "plain"]
        }
        #expect(town.send(.request("sale"), at: "10:00") == ["created sale/1"])
        #expect(town.counters(of: "a") == [])
    }

    @Test(
        arguments: [(.null, nil), ([1], nil), (["a": 1], nil), (1, "1"), (1.5, "1.5"), (true, "true"), ("x", "x")]
            as [(Value, String?)])
    func `only plain data is a key`(data: Value, key: String?) throws {
        let town = try Town { $0.chain = [.entry("a", per: .data("k"))] }
        town.send(.request("sale", data: ["k": data]), at: "10:00")
        #expect(town.counters(of: "a") == (key.map { [$0] } ?? []))
    }

    @Test func `what the request says goes before what the campaign says`() throws {
        let town = try Town {
            $0.chain = [.entry("a", per: .data("shop"))]
            $0[campaign: "sale"].data = ["shop": "north"]
        }
        town.send(.request("sale", data: ["shop": "south"]), at: "10:00")
        #expect(town.counters(of: "a") == ["south"])
    }

    /// The counter was that of no candidate where a request had data of its own, without that key.
    @Test(
        arguments: [
            (["x": 2], "north"), (["shop": .null], "north"), (["shop": ["a", "b"]], "north"), ("plain", "north"),
            (["shop": 7], "7"),
        ] as [(Value, String)])
    func `where the request says nothing that counts, the campaign does`(data: Value, counter: String) throws {
        let town = try Town {
            $0.chain = [.entry("a", per: .data("shop"))]
            $0[campaign: "sale"].data = ["shop": "north"]
        }
        town.send(.request("sale", data: data), at: "10:00")
        #expect(town.decisions.first?.created?.content.data == data)
        town.send(.delete("sale"), at: "11:00")
        #expect(town.told("a", counter: counter) == ["10:00 created sale", "11:00 deleted sale/1"])
    }

    @Test func `a condition looks into the campaign's data for what the request does not say`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .deny)]
            $0.chain[0].when = condition(["data.shop": "north"])
            $0[campaign: "sale"].data = ["shop": "north"]
        }
        #expect(town.send(.request("sale", data: ["x": 2]), at: "10:00") == ["suppressed sale: a"])
        // A condition can ask for null, so that is something that it says.
        #expect(town.send(.request("sale", data: ["shop": .null]), at: "10:01") == ["created sale/1"])
    }

    @Test func `behind a filter that sets data, the campaign's is no longer looked at`() throws {
        let town = try Town {
            $0.chain = [.editor("f", ["data": ["thread": "new"]]), .entry("a", per: .data("shop"))]
            $0[campaign: "sale"].data = ["shop": "north"]
        }
        town.send(.request("sale", data: ["x": 2]), at: "10:00")
        #expect(town.counters(of: "a") == [])
    }

    @Test func `a custom signal's data is looked at too`() throws {
        let town = try Town {
            $0.chain = [.entry("a", per: .data("order"))]
            $0[campaign: "sale"].triggers = [.init(id: "t1", on: .signal("order.paid"))]
        }
        town.send(.custom, at: "10:00", type: "order.paid", data: ["order": "o-1"])
        #expect(town.counters(of: "a") == ["o-1"])
    }

    @Test(
        arguments: [
            (.subject, "suppressed sale: a"), (.campaign, "suppressed sale: a[sale]"),
            (.trigger, "suppressed sale: a[sale/t1]"),
            (.region, "suppressed sale: a[store]"), (.channel, "suppressed sale: a[phone]"),
        ] as [(Configuration.Counter, String)])
    func `a denial names its counter, except the subject's own`(per: Configuration.Counter, outcome: String) throws {
        let town = try Town { $0.chain = [.entry("a", .deny, per: per)] }
        #expect(town.send(.enter("store"), at: "10:00", channel: "phone") == [outcome])
    }

    @Test func `an observer's denial names it too`() throws {
        let town = try Town { $0.chain = [.entry("a", .deny, per: .region, control: .observer)] }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1 (observed a[store])"])
    }

    @Test func `counters are kept apart`() throws {
        let town = try Town {
            $0.chain = [.entry("a", per: .region)]
            $0[campaign: "sale"].triggers[0].regions = .all
        }
        town.send(.enter("store"), at: "10:00")
        town.send(.enter("kiosk"), at: "10:01")
        town.send(.exit("store"), at: "10:02")
        town.send(.enter("store"), at: "10:03")
        #expect(
            town.told("a", counter: "store") == ["10:00 created sale", "10:02 deleted sale/1", "10:03 created sale"])
        #expect(town.told("a", counter: "kiosk") == ["10:01 created sale"])
    }

    @Test func `two entries of one strategy keep apart what they know`() throws {
        let town = try Town { $0.chain = [.entry("a"), .entry("b", per: .campaign)] }
        town.send(.enter("store"), at: "10:00")
        town.send(.backgrounded, at: "10:05")
        #expect(town.told("a") == ["10:00 created sale", "10:05 background"])
        #expect(town.told("b", counter: "sale") == ["10:00 created sale", "10:05 background"])
        #expect(town.told("b") == nil)
    }

    @Test func `subjects share nothing`() throws {
        let town = try Town { $0.chain = [.entry("a", per: .campaign)] }
        town.send(.enter("store"), at: "10:00")
        town.send(.enter("store"), at: "10:01", as: "bob")
        #expect(town.told("a", counter: "sale") == ["10:00 created sale"])
        #expect(town.told("a", counter: "sale", as: "bob") == ["10:01 created sale"])
    }

    @Test func `what was created for no channel is deleted for none`() throws {
        let town = try Town { $0.chain = [.entry("a", per: .channel)] }
        town.send(.enter("store"), at: "10:00")
        town.send(.exit("store"), at: "11:00", channel: "watch")
        #expect(town.counters(of: "a") == [])
    }

    @Test func `a deletion is asked under the channel that it was created for`() throws {
        let town = try Town { $0.chain = [.entry("a", per: .channel)] }
        town.send(.enter("store"), at: "10:00", channel: "phone")
        town.send(.exit("store"), at: "11:00", channel: "watch")
        #expect(town.told("a", counter: "phone") == ["10:00 created sale", "11:00 deleted sale/1"])
    }
}
