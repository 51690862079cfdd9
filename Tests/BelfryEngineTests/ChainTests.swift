import BelfryEngine
import BelfryModel
import BelfryPlugin
import Testing

/// How verdicts come to an outcome (docs/chain.md).
@Suite struct ChainTests {
    @Test(arguments: [
        // One word per entry, in order: required, then sufficient, optional and observer after a letter.
        ("abstain", "created sale/1"),
        ("allow", "created sale/1"),
        ("deny", "suppressed sale: a"),
        ("fault", "suppressed sale: a/fault"),
        ("abstain deny allow", "suppressed sale: b"),
        ("sufficient:allow deny", "created sale/1"),
        ("deny sufficient:allow", "suppressed sale: a"),
        ("sufficient:deny", "created sale/1 (observed a)"),
        ("sufficient:deny deny", "suppressed sale: b (observed a)"),
        ("sufficient:abstain deny", "suppressed sale: b"),
        ("optional:deny", "suppressed sale: a"),
        ("optional:deny abstain", "suppressed sale: a"),
        ("optional:deny allow", "created sale/1"),
        ("allow optional:deny", "created sale/1"),
        ("optional:deny deny", "suppressed sale: b"),
        ("optional:deny sufficient:deny", "suppressed sale: a (observed b)"),
        ("optional:deny observer:allow", "suppressed sale: a"),
        ("observer:deny", "created sale/1 (observed a)"),
        ("observer:deny deny", "suppressed sale: b (observed a)"),
        ("observer:allow deny", "suppressed sale: b"),
    ])
    func `an entry counts as its control says`(chain: String, outcome: String) throws {
        let town = try Town { $0.chain = .entries(chain) }
        #expect(town.send(.enter("store"), at: "10:00").last == outcome)
    }

    @Test(arguments: ["optional", "sufficient", "observer"])
    func `a fault is an abstention where the entry is not required`(control: String) throws {
        let town = try Town { $0.chain = .entries("\(control):fault") }
        #expect(town.send(.enter("store"), at: "10:00") == ["faulted a: it broke", "created sale/1"])
    }

    @Test func `a fault of a required entry is a denial, and is told first`() throws {
        let town = try Town { $0.chain = .entries("fault deny") }
        #expect(town.send(.enter("store"), at: "10:00") == ["faulted a: it broke", "suppressed sale: a/fault, b"])
        #expect(town.decisions.last?.reasons.first?.message == "it broke")
    }

    @Test func `everybody is asked, and all reasons are there in order`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .deny, code: "late"), .entry("b"), .entry("c", .deny), .entry("d", .deny)]
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: a/late, c, d"])
    }

    @Test(arguments: [
        (["10:05"], "suppressed sale: a@10:05 until 10:05"),
        (["10:05", "10:30", "10:10"], "suppressed sale: a@10:05, b@10:30, c@10:10 until 10:30"),
        (["10:05", "", "10:10"], "suppressed sale: a@10:05, b, c@10:10"),
    ])
    func `until is the largest, and only there when every counting denial has one`(untils: [String], outcome: String)
        throws
    {
        let town = try Town {
            $0.chain = zip(["a", "b", "c"], untils).map { .entry($0, .deny, until: $1.isEmpty ? [] : [$1]) }
        }
        #expect(town.send(.enter("store"), at: "10:00") == [outcome])
    }

    @Test func `until of a denial that does not count has no say`() throws {
        let town = try Town {
            $0.chain = [
                .entry("a", .deny, until: ["10:05"]), .entry("b", .deny, control: .observer),
                .entry("c", .deny, control: .optional),
            ]
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: a@10:05 (observed b) until 10:05"])
    }

    /// It was cut to the last instant that can be written, where a denial said that it would allow at once.
    @Test(arguments: [
        ("+2912382 22:00", "+2912383 00:00", "suppressed sale: a"),
        ("+2912382 23:59:59.999", "+2912383 00:00", "suppressed sale: a"),
        (
            "+2912382 22:00", "+2912382 23:59:59.999",
            "suppressed sale: a@+2912382 23:59:59.999 until +2912382 23:59:59.999"
        ),
    ])
    func `an until beyond the year 9999 is left out`(now: String, until: String, outcome: String) throws {
        let town = try Town { $0.chain = [.entry("a", .deny, until: [until])] }
        #expect(town.send(.enter("store"), at: now) == [outcome])
    }

    @Test func `the message is the strategy's sentence`() throws {
        let town = try Town { $0.chain = [.entry("a", .deny)] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.decisions.first?.reasons.map(\.message) == ["it says so"])
    }
}

/// Who is told, and what.
@Suite struct ChainTellingTests {
    @Test func `everybody who was asked is told the outcome`() throws {
        let town = try Town { $0.chain = .entries("abstain optional:allow observer:deny sufficient:deny") }
        town.send(.enter("store"), at: "10:00")
        for entry in ["a", "b", "c", "d"] { #expect(town.told(entry) == ["10:00 created sale"]) }
    }

    @Test func `a refusal is told to all, to those who were for it too`() throws {
        let town = try Town { $0.chain = .entries("allow deny observer:allow") }
        town.send(.enter("store"), at: "10:00")
        for entry in ["a", "b", "c"] { #expect(town.told(entry) == ["10:00 refused sale"]) }
    }

    @Test func `a fault is told, for it was asked`() throws {
        let town = try Town { $0.chain = .entries("fault") }
        town.send(.enter("store"), at: "10:00")
        #expect(town.told("a") == ["10:00 refused sale"])
    }

    @Test func `an allow that suffices ends the asking, and who comes later hears nothing`() throws {
        let town = try Town { $0.chain = .entries("abstain sufficient:allow deny") }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1"])
        #expect(town.told("a") == ["10:00 created sale"])
        #expect(town.told("b") == ["10:00 created sale"])
        #expect(town.told("c") == nil)
    }

    @Test(arguments: ["disabled", "off", "when", "without parameters"])
    func `an entry that does not apply says nothing, is told nothing and keeps no state`(why: String) throws {
        let town = try Town {
            $0.chain = [.entry("a", .deny), .entry("b")]
            switch why {
            case "disabled": $0.chain[0].enabled = false
            case "off": $0[campaign: "sale"].with["a"] = .off
            case "when": $0.chain[0].when = condition(["region.id": "station"])
            default: $0.chain[0] = .echo()
            }
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1"])
        #expect(town.states().map(\.entry) == ["b"])
    }

    /// A condition in another spelling than the region's never held.
    @Test(arguments: [("shopName", "Alpha"), ("SHOPNAME", "Alpha"), ("shopname", "Beta"), ("floor", "Alpha")])
    func `names of region fields are the same in any case`(field: String, value: String) throws {
        let town = try Town {
            $0.fields = ["ShopName"]
            $0.regions[0].fields = ["ShopName": "Alpha"]
            $0.chain = [.entry("a", .deny)]
            $0.chain[0].when = condition(.map(Fields([("region.fields.\(field)", .text(value))])))
        }
        let isMet = field != "floor" && value == "Alpha"
        #expect(town.send(.enter("store"), at: "10:00") == [isMet ? "suppressed sale: a" : "created sale/1"])
    }

    @Test func `without a region, a condition on a region field is one on nothing`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .deny)]
            $0.chain[0].when = condition(["region.fields.shopName": ["$exists": false]])
        }
        #expect(town.send(.request("sale"), at: "10:00") == ["suppressed sale: a"])
    }

    @Test func `when is asked of the candidate at hand`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .deny)]
            $0.chain[0].when = condition(["trigger.id": "t2", "user.tier": "gold"])
            $0[campaign: "sale"].triggers.append(Configuration.Trigger(id: "t2", on: .exit))
        }
        town.send(.user(["tier": "gold"]), at: "09:00")
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1"])
        #expect(town.send(.exit("store"), at: "11:00").last == "suppressed sale: a")
        town.send(.attributesDeleted(.user, ["tier"]), at: "11:30")
        #expect(town.send(.exit("station"), at: "12:00") == ["created sale/2"])
    }

    @Test func `a candidate hears of what the one before it changed`() throws {
        let town = try Town {
            $0.campaigns.append(.campaign("again"))
            $0.currentLimit = 1
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1", "suppressed again: belfry/slot-taken"])
    }
}

/// What the host itself has to say.
@Suite struct HostReasonTests {
    @Test func `a taken slot comes last, after everybody was asked`() throws {
        let town = try Town {
            $0.currentLimit = 1
            $0.chain = [.entry("a"), .entry("b", .deny, until: ["09:00", "11:00"])]
        }
        #expect(town.send(.request("sale"), at: "12:00") == ["created sale/1"])
        #expect(town.send(.request("sale"), at: "12:01") == ["suppressed sale: belfry/slot-taken"])
        #expect(town.decisions.last?.reasons.last?.message == "'sale/1' is current and not deleted yet")
        #expect(town.told("a") == ["12:00 created sale", "12:01 refused sale"])
    }

    @Test func `the reasons of the chain are collected beside a taken slot, which has no end in sight`() throws {
        let town = try Town {
            $0.currentLimit = 1
            $0.chain = [.entry("a", .deny, until: ["11:00"])]
            $0[campaign: "sale"].with["a"] = .off
            $0.campaigns.append(.campaign("other"))
        }
        town.send(.request("sale"), at: "10:00")
        #expect(town.send(.request("other"), at: "10:01") == ["suppressed other: a@11:00, belfry/slot-taken"])
    }

    @Test func `a disabled subject has one reason, and the chain is not asked`() throws {
        let town = try Town { $0.chain = [.entry("a", .deny)] }
        town.send(.disabled, at: "09:00")
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: belfry/disabled"])
        #expect(town.told("a") == nil)
    }

    @Test func `an unpublished campaign makes no candidate`() throws {
        let town = try Town {
            $0[campaign: "sale"].published = false
            $0[campaign: "sale"].triggers.append(Configuration.Trigger(id: "t2", on: .signal("custom")))
        }
        #expect(town.send(.enter("store"), at: "10:00") == [])
        #expect(town.send(.custom, at: "10:01") == [])
        #expect(town.send(.request("sale"), at: "10:02") == [])
    }
}

extension [Configuration.Entry] {
    /// `deny observer:allow`: entries `a`, `b`, … with what they say.
    fileprivate static func entries(_ text: String) -> [Configuration.Entry] {
        zip("abcdef", text.split(separator: " ")).map { id, words in
            let words = words.split(separator: ":")
            let control = words.count == 2 ? Configuration.Control(rawValue: String(words[0]))! : .required
            return .entry(String(id), Scripted.Word(rawValue: String(words.last!)), control: control)
        }
    }
}
