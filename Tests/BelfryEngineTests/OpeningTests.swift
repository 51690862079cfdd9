import BelfryEngine
import BelfryModel
import Testing

/// What follows when a notification is opened (docs/decisions.md).
@Suite struct OpeningTests {
    /// A created `sale/1` with a web address and buttons.
    private func opened(change: (inout Configuration.Campaign) -> Void = { _ in }) throws -> Town {
        let town = try Town {
            $0.chain = [.entry("a")]
            var accept = Configuration.Button(id: "Accept", title: "Accept")
            accept.action = .init(type: "dial", value: "112")
            $0.categories = [.init(id: "offer", buttons: [accept, .init(id: "Reject", title: "Reject")])]
            $0[campaign: "sale"].data = "https://shop.example/sale"
            $0[campaign: "sale"].category = "offer"
            change(&$0[campaign: "sale"])
        }
        town.send(.enter("store"), at: "10:00")
        return town
    }

    @Test func `first the opening, then its action, then the event`() throws {
        let town = try opened()
        #expect(
            town.send(.open("sale/1"), at: "10:01") == [
                "opened sale/1, first at 10:01", "invoked url https://shop.example/sale",
                "recorded simpleNotification urlClicked",
            ])
        #expect(town.decisions.last?.attributes == ["notification": "sale/1", "value": "https://shop.example/sale"])
    }

    @Test func `the first opening is remembered, every one is told`() throws {
        let town = try opened()
        town.send(.open("sale/1"), at: "10:01")
        #expect(town.send(.open("sale/1"), at: "10:05").first == "opened sale/1, first at 10:01")
        #expect(town.record().notifications.first?.openedAt == Instant(clock: "10:01"))
        #expect(town.told("a") == ["10:00 created sale", "10:01 opened sale/1", "10:05 opened sale/1"])
    }

    @Test func `a strategy that remembers nothing is told, too, and leaves nothing in the record`() throws {
        let town = try Town([Heedful.self]) { $0.chain = [Configuration.Entry(strategy: "heedful", id: "a")] }
        town.send(.enter("store"), at: "10:00")
        town.send(.open("sale/1"), at: "10:01")
        // The subject, and its twin who was read back.
        #expect(town.instancesMade == 2)
        #expect(town.states().isEmpty)
    }

    @Test func `a button runs its own action`() throws {
        let town = try opened { $0.onOpen = .init(type: "openApp") }
        #expect(
            town.send(.open("sale/1", button: "Accept"), at: "10:01") == [
                "opened sale/1 by Accept, first at 10:01", "invoked dial 112",
                "recorded simpleNotification phoneNumberClicked",
            ])
    }

    @Test(arguments: ["Reject", "Unknown"])
    func `a button without an action, or an unknown one, runs nothing and never falls back`(button: String) throws {
        let town = try opened { $0.onOpen = .init(type: "openApp") }
        #expect(
            town.send(.open("sale/1", button: button), at: "10:01") == ["opened sale/1 by \(button), first at 10:01"])
    }

    @Test func `onOpen goes before the handler`() throws {
        let town = try opened { $0.onOpen = .init(type: "openApp", value: "cart") }
        #expect(
            town.send(.open("sale/1"), at: "10:01").dropFirst() == [
                "invoked openApp cart", "recorded simpleNotification appOpened",
            ])
    }

    @Test(
        arguments: [
            (Configuration.Handler.url, "x", ["invoked url x", "recorded simpleNotification urlClicked"]),
            (.applink, "x", ["invoked applink x"]), (.landingPage, "x", ["invoked landingPage x"]), (.none, "x", []),
            (.url, nil, []),
            (
                .action, ["type": "dial", "value": "112"],
                ["invoked dial 112", "recorded simpleNotification phoneNumberClicked"]
            ),
        ] as [(Configuration.Handler, Value?, [String])])
    func `else the handler acts, with the data as value`(
        handler: Configuration.Handler, data: Value?, outcome: [String]
    ) throws {
        let town = try opened {
            $0.handler = handler
            $0.data = data
        }
        #expect(Array(town.send(.open("sale/1"), at: "10:01").dropFirst()) == outcome)
    }

    @Test(
        arguments: [
            ("https://a.example", "url"), ("HTTP://a.example", "url"), ("ftp://a.example", "none"),
            (["https://a.example"], "none"), (nil, "none"),
        ] as [(Value?, String)])
    func `the default handler is url for web addresses`(data: Value?, handler: String) throws {
        let town = try opened { $0.data = data }
        #expect(town.decisions.first?.created?.content.handler == handler)
    }

    @Test func `a landing page ignores onOpen`() throws {
        let town = try opened {
            $0.handler = .landingPage
            $0.onOpen = .init(type: "openApp")
        }
        #expect(
            town.send(.open("sale/1"), at: "10:01").dropFirst() == ["invoked landingPage https://shop.example/sale"])
    }

    @Test func `an action type that nobody provides is warned about, and gives no event`() throws {
        let town = try opened { $0.onOpen = .init(type: "confetti") }
        #expect(town.send(.open("sale/1"), at: "10:01").dropFirst() == ["invoked confetti -"])
        #expect(town.warnings == ["no plugin provides the action type 'confetti'"])
    }

    @Test func `a channel that shows no buttons gets none, and its button taps are ignored`() throws {
        let town = try opened()
        #expect(town.decisions.first?.created?.content.buttons?.list?.count == 2)
        town.send(.deviceRegistered(["supportsButtons": false]), at: "10:01", channel: "watch")
        town.send(.request("sale"), at: "10:02", channel: "watch")
        #expect(town.decisions.first?.created?.content.buttons == nil)
        #expect(
            town.send(.open("sale/2", button: "Accept"), at: "10:03", channel: "watch").prefix(2)
                == ["opened sale/2, first at 10:03", "invoked url https://shop.example/sale"])
    }

    @Test func `one of a campaign that left the configuration still counts, with what the history kept`() throws {
        let town = try opened()
        try town.reconfigure { $0.campaigns = [] }
        #expect(
            town.send(.open("sale/1"), at: "10:01") == [
                "opened sale/1, first at 10:01", "invoked url https://shop.example/sale",
                "recorded simpleNotification urlClicked",
            ])
        #expect(town.told("a")?.last == "10:01 opened sale/1")
    }

    @Test func `for one that is forgotten the configuration stands in, with its buttons`() throws {
        let town = try opened()
        try town.reconfigure { $0.historyLimit = 1 }
        town.send(.exit("store"), at: "10:01")
        town.send(.request("sale"), at: "10:02")
        #expect(town.history == ["sale/2"] && town.current == ["sale/2"])
        town.send(.open("sale/1"), at: "10:03")
        let payload = town.decisions.compactMap(\.invocation).first?.payload
        #expect(payload?["title"] == "sale")
        #expect(payload?["buttons"]?.list?.count == 2)
    }

    @Test func `one of a campaign that is a geotrigger now can be opened, and what that fires cannot`() throws {
        let town = try opened()
        try town.reconfigure { $0[campaign: "sale"].kind = .geotrigger }
        town.send(.request("sale"), at: "10:01")
        #expect(town.fault(.open("sale/2"), at: "10:02")?.code == .unknownNotification)
        #expect(town.send(.open("sale/1"), at: "10:02").first == "opened sale/1, first at 10:02")
        try town.reconfigure { $0[campaign: "sale"].kind = .notification }
        #expect(town.fault(.open("sale/2"), at: "10:03")?.code == .unknownNotification)
        #expect(town.fault(.dismissed(notification: "sale/2"), at: "10:03")?.code == .unknownNotification)
        town.send(.request("sale"), at: "10:03")
        #expect(town.send(.open("sale/3"), at: "10:04").first == "opened sale/3, first at 10:04")
    }

    @Test func `what a request said is what its opening runs`() throws {
        let town = try opened()
        town.send(.requested(Signal.Request(campaign: "sale", data: "https://shop.example/yours")), at: "10:01")
        #expect(town.send(.open("sale/2"), at: "10:02")[1] == "invoked url https://shop.example/yours")
    }

    @Test func `the handler gets the notification as it was created`() throws {
        let town = try opened()
        town.send(.open("sale/1"), at: "10:01")
        let payload = town.decisions.compactMap(\.invocation).first?.payload
        #expect(payload?["notification"] == "sale/1")
        #expect(payload?["region"] == "store")
        #expect(payload?["title"] == "sale")
    }
}

/// Campaigns that show nothing and fire an action (docs/decisions.md).
@Suite struct GeotriggerTests {
    private func town(change: (inout Configuration.Campaign) -> Void = { _ in }) throws -> Town {
        try Town {
            $0.chain = [.entry("a", .deny, until: ["10:00"])]
            $0.campaigns = [
                .campaign("view") {
                    $0.kind = .geotrigger; $0.data = "shelf 7"; change(&$0)
                }
            ]
        }
    }

    @Test func `it fires, and is handled where there is nothing to handle`() throws {
        let town = try town()
        #expect(town.send(.enter("store"), at: "10:00") == ["fired view, handled"])
        #expect(town.told("a") == ["10:00 created view"])
        #expect(town.history == [])
        #expect(town.record().geotriggers.map(\.openedAt) == [Instant(clock: "10:00")])
    }

    @Test func `its onFire runs, with the event that follows on opening too`() throws {
        let town = try town { $0.onFire = .init(type: "url", value: "https://shop.example") }
        #expect(
            town.send(.enter("store"), at: "10:00") == [
                "fired view, to be handled", "invoked url https://shop.example",
                "recorded simpleNotification urlClicked",
            ])
        #expect(town.decisions[1].invocation?.campaign == "view")
        #expect(town.decisions[1].invocation?.notification == nil)
        #expect(town.decisions[2].attributes == ["campaign": "view", "value": "https://shop.example"])
    }

    @Test func `an action that nobody provides leaves it unhandled`() throws {
        let town = try town { $0.onFire = .init(type: "viewProduct") }
        #expect(town.send(.enter("store"), at: "10:00") == ["fired view, unhandled", "invoked viewProduct -"])
        #expect(town.record().geotriggers.map(\.openedAt) == [nil])
    }

    @Test func `of two that fired at one instant, the one that its handler did not take is not handled`() throws {
        let town = try town { $0.onFire = .init(type: "url", value: "https://shop.example") }
        town.send(.request("view"), at: "10:00")
        town.send(.request("view"), at: "10:00")
        #expect(town.decisions.compactMap(\.invocation).map(\.number) == [2])
        var record = town.record()
        let time = Instant(clock: "10:00")
        let first = FiredGeotrigger(campaign: "view", number: 1, time: time)
        try town.newEngine().markUnhandled(first, in: &record)
        #expect(record.geotriggers.map(\.openedAt) == [nil, time])
    }

    @Test func `a refused one is a suppressed notification`() throws {
        #expect(try town().send(.enter("store"), at: "09:00") == ["suppressed view: a@10:00 until 10:00"])
    }

    @Test func `it neither needs nor takes a slot`() throws {
        let town = try Town {
            $0.currentLimit = 1
            $0.campaigns.append(.campaign("view") { $0.kind = .geotrigger })
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1", "fired view, handled"])
        #expect(town.current == ["sale/1"])
    }

    @Test func `it has a history of its own, with the same limit`() throws {
        let town = try Town {
            $0.historyLimit = 2
            $0.campaigns = [.campaign("view", on: .request) { $0.kind = .geotrigger }]
        }
        for minute in 0...2 { town.send(.request("view"), at: "10:0\(minute)") }
        #expect(town.record().geotriggers.map(\.sentAt.clock) == ["10:01", "10:02"])
    }
}
