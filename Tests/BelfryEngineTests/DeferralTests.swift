import BelfryEngine
import BelfryModel
import Testing

/// Not now, but then (docs/chain.md).
@Suite struct DeferralTests {
    @Test func `a deferral asks the whole chain again then, and creates`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"])] }
        #expect(town.send(.enter("store"), at: "10:00") == ["deferred sale: a@10:30 until 10:30"])
        #expect(town.wait(until: "10:29:59.999") == [])
        #expect(town.wait(until: "10:30") == ["created sale/1"])
    }

    @Test func `the decision has the due time, the cause of the signal and where it came from`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"])] }
        town.send(.enter("store"), at: "10:00", id: "s-7")
        town.send(.custom, at: "12:00", id: "s-8")
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:30")])
        #expect(town.decisions.map(\.cause) == ["s-7"])
        #expect(town.decisions.map(\.origin) == ["sale/t1 in store"])
    }

    @Test func `entries are told that it was not created, then what came of it, marked as deferred`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"]), .entry("b")] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.told("b") == ["10:00 refused sale"])
        town.wait(until: "10:30")
        #expect(town.told("b") == ["10:00 refused sale", "10:30 created sale again"])
    }

    @Test func `of several deferrals the largest until counts`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .defer, until: ["10:45"]), .entry("b", .defer, until: ["10:30"])]
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["deferred sale: a@10:45, b@10:30 until 10:45"])
        #expect(town.wait(until: "11:00") == ["created sale/1"])
    }

    @Test func `a denial beside it refuses for good`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .defer, until: ["10:30"]), .entry("b", .deny, until: ["10:10"])]
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: a@10:30, b@10:10 until 10:30"])
        #expect(town.wait(until: "12:00") == [])
    }

    @Test func `a fault of a required entry beside it refuses too`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"]), .entry("b", .fault)] }
        #expect(town.send(.enter("store"), at: "10:00").last == "suppressed sale: a@10:30, b/fault")
        #expect(town.record().timers.isEmpty)
    }

    @Test func `a taken slot refuses what would be deferred`() throws {
        let town = try Town {
            $0.currentLimit = 1
            $0.chain = [.entry("a", .defer, until: ["10:30"])]
            $0.campaigns.append(.campaign("first", on: .request) { $0.with["a"] = .off })
        }
        town.send(.request("first"), at: "10:00")
        #expect(town.send(.enter("store"), at: "10:00").last == "suppressed sale: a@10:30, belfry/slot-taken")
        #expect(town.record().timers.isEmpty)
    }

    @Test func `the state then decides: who takes the slot meanwhile keeps it`() throws {
        let town = try Town {
            $0.currentLimit = 1
            $0.chain = [.entry("a", .defer, until: ["10:30"])]
            $0.campaigns.append(.campaign("first", on: .request) { $0.with["a"] = .off })
        }
        town.send(.enter("store"), at: "10:00")
        town.send(.request("first"), at: "10:15")
        #expect(town.wait(until: "10:30") == ["suppressed sale: belfry/slot-taken"])
    }

    @Test func `the attributes then decide`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .defer, until: ["10:30"]), .entry("b", .deny)]
            $0.chain[1].when = condition(["user.sleeping": true])
        }
        town.send(.enter("store"), at: "10:00")
        town.send(.user(["sleeping": true]), at: "10:15")
        #expect(town.wait(until: "10:30") == ["suppressed sale: b"])
    }

    @Test func `it may be deferred again`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30", "11:00"])] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.wait(until: "12:00") == ["deferred sale: a@11:00 until 11:00", "created sale/1"])
        #expect(town.told("a") == ["10:00 refused sale", "10:30 refused sale again", "11:00 created sale again"])
    }

    @Test func `what the request said is kept until then`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"], per: .data("order"))] }
        let request = Signal.Request(campaign: "sale", title: "Yours", message: "Ready", data: ["order": 7])
        town.send(.requested(request), at: "10:00")
        town.wait(until: "10:30")
        #expect(town.decisions.first?.created?.content.title == "Yours")
        #expect(town.decisions.first?.created?.content.message == "Ready")
        #expect(town.decisions.first?.created?.content.data == ["order": 7])
        #expect(town.counters(of: "a") == ["7"])
    }

    @Test(
        arguments: [
            "removed", "unpublished", "without its trigger", "without its region", "on request", "no longer there",
        ])
    func `a campaign that is not what it was is dropped`(change: String) throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"])] }
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure {
            switch change {
            case "removed": $0.campaigns = []
            case "unpublished": $0[campaign: "sale"].published = false
            case "without its trigger": $0[campaign: "sale"].triggers[0].id = "other"
            case "on request": $0[campaign: "sale"].triggers[0].on = .request
            case "no longer there": $0[campaign: "sale"].triggers[0].regions = .some(["station"])
            default: $0.regions.removeFirst(); $0.campaigns[0].triggers[0].regions = .all
            }
        }
        #expect(town.wait(until: "12:00") == [])
        #expect(town.record().timers.isEmpty)
    }

    /// It was created without a region, for a trigger that waits at regions.
    @Test func `a deferred request is dropped when its trigger waits at regions by then`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .defer, until: ["10:30"])]
            $0[campaign: "sale"].triggers[0].on = .request
        }
        town.send(.request("sale"), at: "10:00")
        try town.reconfigure { $0[campaign: "sale"].triggers[0].on = .enter }
        #expect(town.wait(until: "12:00") == [])
    }

    @Test func `it holds on when its trigger waits for more, or for something else in the same region`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"])] }
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure {
            $0[campaign: "sale"].triggers[0].on = .exit
            $0[campaign: "sale"].triggers[0].regions = .all
        }
        #expect(town.wait(until: "12:00") == ["created sale/1"])
    }

    @Test func `disabling drops it`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"])] }
        town.send(.enter("store"), at: "10:00")
        town.send(.disabled, at: "10:10")
        town.send(.enabled, at: "10:20")
        #expect(town.wait(until: "12:00") == [])
    }

    @Test(arguments: [[], ["09:00"], ["10:00"]])
    func `a deferral that names no later instant is a fault`(until: [String]) throws {
        let town = try Town(town + [Backward.self]) {
            $0.chain = [Configuration.Entry(strategy: "backward")]
            $0.chain[0].parameters = until.first.map { ["until": .text($0)] }
        }
        let decisions = town.send(.enter("store"), at: "10:00")
        #expect(decisions.first?.hasPrefix("faulted backward: it deferred ") == true)
        #expect(decisions.last == "suppressed sale: backward/fault")
        #expect(town.record().timers.isEmpty)
    }

    @Test func `an observer's deferral is observed only`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"], control: .observer)] }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1 (observed a@10:30)"])
        #expect(town.record().timers.isEmpty)
    }

    @Test func `observers are reported on a deferral too`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .defer, until: ["10:30"]), .entry("b", .deny, control: .observer)]
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["deferred sale: a@10:30 (observed b) until 10:30"])
    }

    @Test func `an optional deferral counts where no required entry has an opinion`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"], control: .optional)] }
        #expect(town.send(.enter("store"), at: "10:00") == ["deferred sale: a@10:30 until 10:30"])
    }
}
