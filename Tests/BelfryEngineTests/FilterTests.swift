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
            $0.chain[1].control = .optional
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

    @Test func `another category takes the buttons of the request with it, the same one keeps them`() throws {
        let town = try Town {
            $0.chain = [.editor("f", ["category": "yesno"])]
            $0.categories = [.init(id: "yesno", buttons: [.init(id: "yes", title: "Yes")])]
        }
        let category = Signal.Category(id: "offer", buttons: [["id": "a", "title": "A"]])
        town.send(.requested(Signal.Request(campaign: "sale", category: category)), at: "10:00")
        #expect(town.decisions.first?.created?.content.category == "yesno")
        #expect(town.decisions.first?.created?.content.buttons == [["id": "yes", "title": "Yes"]])
        try town.reconfigure { $0.chain = [.editor("f", ["category": "other"])] }
        town.send(.requested(Signal.Request(campaign: "sale", category: category)), at: "10:01")
        #expect(town.decisions.first?.created?.content.buttons == nil)
        try town.reconfigure { $0.chain = [.editor("f", ["category": "offer"])] }
        town.send(.requested(Signal.Request(campaign: "sale", category: category)), at: "10:02")
        #expect(town.decisions.first?.created?.content.buttons == [["id": "a", "title": "A"]])
    }

    @Test func `edits of a deferred candidate start afresh`() throws {
        let town = try Town { $0.chain = [.editor("f", ["append": "!"]), .entry("a", .defer, until: ["10:30"])] }
        town.send(.enter("store"), at: "10:00")
        town.wait(until: "10:30")
        #expect(town.decisions.first?.created?.content.title == "sale!")
    }

    @Test func `who dwells is filtered when the time is up, not on entering`() throws {
        let town = try Town {
            $0.chain = [.editor("f", ["append": "!"])]
            $0[campaign: "sale"] = .campaign("sale", on: .dwell(.minutes(10)))
        }
        #expect(town.send(.enter("store"), at: "10:00") == [])
        try town.reconfigure { $0.chain = [.editor("f", ["append": "?"])] }
        #expect(town.wait(until: "10:10") == ["created sale/1"])
        #expect(town.decisions.first?.created?.content.title == "sale?")
    }

    @Test func `it is not asked about deletions`() throws {
        let town = try Town { $0.chain = [.editor("f", ["append": "!"])] }
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure { $0.chain = [.editor("f", ["then": "drop"])] }
        #expect(town.send(.exit("store"), at: "11:00") == ["deleted sale/1"])
    }

    @Test func `a filter on trial is heard, and changes nothing`() throws {
        let town = try Town {
            $0.chain = [.editor("f", ["append": "!"]), .editor("g", ["then": "drop"])]
            for index in 0...1 { $0.chain[index].control = .observer }
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1 (observed g/dropped)"])
        #expect(town.decisions.first?.created?.content.title == "sale")
    }

    @Test func `those after it go by what it made, those before it by what there was`() throws {
        let town = try Town {
            $0.chain = [
                .entry("before", per: .data("thread")), .editor("f", ["data": ["thread": "new"]]),
                .entry("after", per: .data("thread")), .entry("when", .deny),
            ]
            $0.chain[3].when = condition(["data.thread": "new"])
            $0[campaign: "sale"].data = ["thread": "old"]
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: when"])
        #expect(town.counters(of: "before") == ["old"])
        #expect(town.counters(of: "after") == ["new"])
    }

    @Test func `what is dropped is not used up`() throws {
        let town = try Town { $0.chain = [.editor("f", ["then": "drop"]), .entry("a")] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.told("a") == ["10:00 refused sale"])
        #expect(town.history == [] && town.record().tallies.isEmpty)
    }

    @Test func `data that it makes an address is opened as one`() throws {
        let town = try Town { $0.chain = [.editor("f", ["data": "https://shop.example"])] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.decisions.first?.created?.content.handler == "url")
        town.send(.opened(notification: "sale/1", button: nil), at: "10:01")
        #expect(town.decisions.brief.contains("invoked url https://shop.example"))
    }

    @Test(
        arguments: [
            (["category": "gone"], "it set the category 'gone', which the configuration does not have"),
            (
                ["buttons": [["id": "a", "title": "A"], ["id": "a", "title": "B"]]],
                "it set two buttons with the id 'a'"
            ),
            (["buttons": ["a": 1]], "it set buttons that are a mapping, not a list"),
            (["data": nested(200)], "it set data with values nested more than 128 deep"),
        ] as [(Value, String)])
    func `edits that make no sense are a fault, and those after it see what was before`(
        edits: Value, sentence: String
    ) throws {
        let town = try Town {
            $0.chain = [.editor("e", ["append": "!"]), .editor("f", edits), .editor("g", ["append": "?"])]
            $0.chain[1].control = .optional
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["faulted f: \(sentence)", "created sale/1"])
        let content = town.decisions.last?.created?.content
        #expect(
            content?.title == "sale!?" && content?.category == nil && content?.buttons == nil && content?.data == nil)
    }

    @Test func `buttons that it sets go before those of the category, and none are none`() throws {
        let button = Configuration.Button(id: "ok", title: "OK")
        func town(_ parameters: Value) throws -> Town {
            let town = try Town {
                $0.chain = [.editor("f", parameters)]
                $0.categories = [.init(id: "plain", buttons: [button])]
                $0.categories[0].buttons[0].action = .init(type: "url", value: "https://shop.example")
                $0[campaign: "sale"].category = "plain"
            }
            town.send(.enter("store"), at: "10:00")
            return town
        }
        let other = try town(["buttons": [["id": "yes", "title": "Yes", "action": ["type": "dial", "value": "112"]]]])
        #expect(
            other.decisions.first?.created?.content.shownButtons == [
                ["id": "yes", "title": "Yes", "action": ["type": "dial", "value": "112"]]
            ])
        #expect(other.send(.opened(notification: "sale/1", button: "yes"), at: "10:01").contains("invoked dial 112"))
        let none = try town(["then": "unbutton"])
        #expect(none.decisions.first?.created?.content.shownButtons == nil)
        #expect(
            none.send(.opened(notification: "sale/1", button: "ok"), at: "10:01") == [
                "opened sale/1 by ok, first at 10:01"
            ])
    }
}

/// A list in a list in a list …
private func nested(_ depth: Int) -> Value {
    (0..<depth).reduce(1) { value, _ in [value] }
}
