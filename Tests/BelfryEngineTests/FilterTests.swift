import BelfryEngine
import BelfryModel
import Testing

/// What a filter may do (docs/chain.md).
@Suite struct FilterTests {
    @Test func `what it edits is created, kept by the history and shown to those after it`() throws {
        let town = try Town { $0.chain = [.editor("f", ["append": "!"]), .editor("g", ["append": "?"])] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.decisions.first?.created?.content.title == "sale!?")
        #expect(town.record().notifications.first?.content.title == "sale!?")
    }

    @Test func `it sees the filled template`() throws {
        let town = try Town {
            $0.chain = [.editor("f", ["append": "!"])]
            $0[campaign: "sale"].title = "At {region} {{"
        }
        town.send(.enter("store"), at: "10:00")
        #expect(town.decisions.first?.created?.content.title == "At store {!")
    }

    @Test func `it may drop the candidate`() throws {
        let town = try Town { $0.chain = [.editor("f", ["then": "drop"])] }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: f/dropped"])
        #expect(town.decisions.first?.reasons.first?.message == "nobody wants it")
    }

    @Test func `it runs only while nothing has denied`() throws {
        let town = try Town { $0.chain = [.entry("a", .deny), .editor("f", ["then": "drop"])] }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: a"])
    }

    @Test func `after a drop no filter runs, but strategies are asked`() throws {
        let town = try Town {
            $0.chain = [.editor("f", ["then": "drop"]), .editor("g", ["then": "fail"]), .entry("a", .deny)]
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: f/dropped, a"])
    }

    @Test func `what it failed at is a denial, and none of its edits are kept`() throws {
        let town = try Town {
            $0.chain = [.editor("e", ["append": "!"]), .editor("f", ["append": "?", "then": "fail"])]
            $0.chain[1].control = .observer
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["faulted f: out of ink", "created sale/1"])
        #expect(town.decisions.last?.created?.content.title == "sale!")
    }

    @Test func `a required filter that fails refuses`() throws {
        let town = try Town { $0.chain = [.editor("f", ["then": "fail"])] }
        #expect(town.send(.enter("store"), at: "10:00") == ["faulted f: out of ink", "suppressed sale: f/fault"])
    }

    @Test func `a landing page skips filters, nothing else`() throws {
        let town = try Town {
            $0.chain = [.editor("f", ["then": "drop"]), .entry("a")]
            $0[campaign: "sale"].handler = .landingPage
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1"])
        #expect(town.told("a") == ["10:00 created sale"])
    }

    @Test func `another category brings its own buttons`() throws {
        let town = try Town {
            $0.chain = [.editor("f", ["category": "yesno"])]
            $0.categories = [
                .init(id: "plain", buttons: [.init(id: "ok", title: "OK")]),
                .init(id: "yesno", buttons: [.init(id: "yes", title: "Yes")]),
            ]
            $0[campaign: "sale"].category = "plain"
        }
        town.send(.enter("store"), at: "10:00")
        #expect(town.decisions.first?.created?.content.category == "yesno")
        #expect(town.decisions.first?.created?.content.buttons == [["id": "yes", "title": "Yes"]])
    }

    @Test func `edits of a deferred candidate start afresh`() throws {
        let town = try Town { $0.chain = [.editor("f", ["append": "!"]), .entry("a", .defer, until: ["10:30"])] }
        town.send(.enter("store"), at: "10:00")
        town.wait(until: "10:30")
        #expect(town.decisions.first?.created?.content.title == "sale!")
    }

    @Test func `it is not asked about deletions`() throws {
        let town = try Town { $0.chain = [.editor("f", ["append": "!"])] }
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure { $0.chain = [.editor("f", ["then": "drop"])] }
        #expect(town.send(.exit("store"), at: "11:00") == ["deleted sale/1"])
    }
}
