import BelfryEngine
import BelfryModel
import Testing

/// Event time, lateness and duplicates (docs/signals.md).
@Suite struct TimeTests {
    @Test func `a late signal is processed at the subject's latest time, and counted`() throws {
        let town = try Town()
        town.send(.custom, at: "10:00")
        #expect(town.send(.enter("store"), at: "09:00") == ["created sale/1"])
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:00")])
        #expect(town.late == 1)
    }

    @Test func `a signal at the latest time is not late`() throws {
        let town = try Town()
        town.send(.custom, at: "10:00")
        town.send(.enter("store"), at: "10:00")
        #expect(town.late == 0)
    }

    @Test func `another subject's time makes nobody late`() throws {
        let town = try Town()
        town.send(.custom, at: "12:00", as: "bob")
        town.send(.enter("store"), at: "10:00")
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:00")])
        #expect(town.late == 0)
    }

    @Test func `a timer moves the subject's time too`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["11:00"])] }
        town.send(.enter("store"), at: "10:00")
        town.wait(until: "12:00")
        town.send(.request("sale"), at: "10:30")
        #expect(town.decisions.map(\.time) == [Instant(clock: "11:00")])
        #expect(town.late == 1)
    }

    @Test(arguments: [Signal.Event.sessionStarted, .sessionEnded])
    func `a late session keeps its own time beside the one it is processed at`(event: Signal.Event) throws {
        let town = try Town()
        town.send(event, at: "10:00")
        #expect(town.decisions.first?.attributes == [:])
        town.send(event, at: "09:00")
        #expect(town.decisions.first?.time == Instant(clock: "10:00"))
        #expect(town.decisions.first?.attributes == ["originalTime": "2026-03-02T09:00:00Z"])
    }

    @Test func `a clock that ran ahead is freed by a reset`() throws {
        let town = try Town()
        town.send(.custom, at: "+9 10:00")
        town.send(.reset, at: "10:00")
        town.send(.enter("store"), at: "10:01")
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:01")])
    }

    @Test func `what waits for the reset is decided at the time of the reset`() throws {
        let town = try Town { $0.campaigns = [.campaign("back", on: .signal("subject.reset"))] }
        town.send(.custom, at: "+9 10:00")
        town.send(.reset, at: "10:00", type: "subject.reset")
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:00")])
    }

    @Test func `a signal that was processed is a duplicate, by source and id`() throws {
        let town = try Town()
        #expect(town.send(.request("sale"), at: "10:00", id: "s-1", source: "app") == ["created sale/1"])
        #expect(town.send(.request("sale"), at: "10:01", id: "s-1", source: "app") == [])
        #expect(town.duplicates == 1)
        #expect(town.send(.request("sale"), at: "10:02", id: "s-1", source: "server") == ["created sale/2"])
        #expect(town.send(.request("sale"), at: "10:03", id: "s-2", source: "app") == ["created sale/3"])
        #expect(town.send(.request("sale"), at: "10:04", id: "s-1", source: "app", as: "bob") == ["created sale/1"])
        #expect(town.duplicates == 1)
    }

    @Test func `source and id are not run together`() throws {
        let town = try Town()
        town.send(.request("sale"), at: "10:00", id: "bc", source: "a")
        #expect(town.send(.request("sale"), at: "10:00", id: "c", source: "ab") == ["created sale/2"])
    }

    @Test func `without an id nothing is a duplicate`() throws {
        let town = try Town()
        town.send(.request("sale"), at: "10:00")
        #expect(town.send(.request("sale"), at: "10:00") == ["created sale/2"])
    }

    @Test func `a restart and a new configuration remember what was processed`() throws {
        let town = try Town()
        town.send(.request("sale"), at: "10:00", id: "s-1")
        try town.reconfigure { $0.historyLimit = 3 }
        town.send(.request("sale"), at: "10:00", id: "s-1")
        #expect(town.duplicates == 1)
    }

    @Test func `a reset forgets the ids, except its own`() throws {
        let town = try Town()
        town.send(.request("sale"), at: "10:00", id: "s-1")
        town.send(.reset, at: "10:01", id: "s-2")
        town.send(.reset, at: "10:02", id: "s-2")
        #expect(town.duplicates == 1)
        #expect(town.send(.request("sale"), at: "10:03", id: "s-1") == ["created sale/1"])
    }

    @Test func `a request with the same key is a duplicate, for that subject and campaign`() throws {
        let town = try Town { $0.campaigns.append(.campaign("other", on: .request)) }
        #expect(town.send(.request("sale", key: "k"), at: "10:00") == ["created sale/1"])
        #expect(town.send(.request("sale", key: "k"), at: "10:01") == [])
        #expect(town.duplicates == 1)
        #expect(town.send(.request("other", key: "k"), at: "10:02") == ["created other/1"])
        #expect(town.send(.request("sale", key: "l"), at: "10:03") == ["created sale/2"])
        #expect(town.send(.request("sale"), at: "10:04") == ["created sale/3"])
    }
}

/// What is rejected before anything changes (docs/signals.md).
@Suite struct SignalCheckTests {
    @Test(
        arguments: [
            (.enter("stor"), .unknownRegion, "the configuration has no region 'stor'; did you mean 'store'?"),
            (.exit("moon"), .unknownRegion, "the configuration has no region 'moon'"),
            (.request("sales"), .unknownCampaign, "the configuration has no campaign 'sales'; did you mean 'sale'?"),
            (.delete("sales"), .unknownCampaign, "the configuration has no campaign 'sales'; did you mean 'sale'?"),
            (
                .open("sale/1"), .unknownNotification,
                "'ana' never had a notification 'sale/1'; its id is in `notification` of notification.created"
            ),
            (
                .dismissed(notification: "sale"), .unknownNotification,
                "'ana' never had a notification 'sale'; its id is in `notification` of notification.created"
            ),
            (
                .deviceRegistered(["timeZone": "Mars"]), .unknownZone,
                "there is no time zone 'Mars'; use an IANA name such as Europe/Amsterdam"
            ),
            (
                .user(["timeZone": "Mars"]), .unknownZone,
                "there is no time zone 'Mars'; use an IANA name such as Europe/Amsterdam"
            ),
        ] as [(Signal.Event, SignalFault.Code, String)])
    func `what names something unknown is rejected with a reason`(
        event: Signal.Event, code: SignalFault.Code, message: String
    ) throws {
        let town = try Town()
        let fault = town.fault(event, at: "10:00")
        #expect(fault?.code == code)
        #expect(fault?.message == message)
        #expect(town.record().latest == .distantPast)
    }

    @Test(arguments: ["sale/0", "sale/2", "sale/-1", "sale/01", "sale/+1", "/1", "sale/", "sale/1/1"])
    func `only the ids of notifications that were created are known`(id: String) throws {
        let town = try Town()
        town.send(.enter("store"), at: "10:00")
        #expect(town.fault(.open("sale/1"), at: "10:01") == nil)
        #expect(town.fault(.open(id), at: "10:01")?.code == .unknownNotification)
        #expect(town.fault(.open("sale/1"), at: "10:01", as: "bob")?.code == .unknownNotification)
    }

    @Test func `a notification stays known after its deletion and beyond the history`() throws {
        let town = try Town { $0.historyLimit = 1 }
        town.send(.enter("store"), at: "10:00")
        town.send(.exit("store"), at: "10:01")
        town.send(.enter("store"), at: "10:02")
        #expect(town.fault(.open("sale/1"), at: "10:03") == nil)
    }

    @Test func `one that a due timer creates first may be opened`() throws {
        let town = try Town { $0.chain = [.entry("a", .defer, until: ["10:30"])] }
        town.send(.enter("store"), at: "10:00")
        #expect(town.fault(.open("sale/1"), at: "10:29")?.code == .unknownNotification)
        #expect(town.fault(.open("sale/2"), at: "10:31")?.code == .unknownNotification)
        #expect(town.record().timers.count == 1)
        #expect(town.send(.open("sale/1"), at: "10:31") == ["created sale/1", "opened sale/1, first at 10:31"])
    }

    @Test func `a campaign that left the configuration can still be deleted and opened`() throws {
        let town = try Town()
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure { $0.campaigns = [] }
        #expect(town.fault(.delete("sale"), at: "10:01") == nil)
        #expect(town.fault(.open("sale/1"), at: "10:01") == nil)
        #expect(town.fault(.request("sale"), at: "10:01")?.code == .unknownCampaign)
    }

    @Test(arguments: ["Europe/Amsterdam", "UTC"])
    func `a zone that exists is accepted`(zone: String) throws {
        #expect(try Town().fault(.user(["timeZone": .text(zone)]), at: "10:00") == nil)
    }
}
