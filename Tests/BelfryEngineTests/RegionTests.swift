import BelfryEngine
import BelfryModel
import Testing

/// Entries and exits of geofences (docs/signals.md).
@Suite struct RegionTests {
    /// `in` on entering the store, `out` on leaving it.
    private func town(change: (inout Configuration) -> Void = { _ in }) throws -> Town {
        try Town {
            $0.campaigns = [.campaign("in"), .campaign("out", on: .exit)]
            $0[campaign: "in"].deleteOn = .never
            change(&$0)
        }
    }

    @Test(arguments: [
        // What is reported, and what comes of the last report.
        ("enter", "created in/1"), ("enter enter", ""), ("enter exit", "created out/1"), ("exit", "created out/1"),
        ("exit exit", ""), ("enter exit exit", ""), ("exit enter", "created in/1"),
        ("enter exit enter", "created in/2"),
    ])
    func `a crossing counts when it changes something, or when nothing was known`(reports: String, outcome: String)
        throws
    {
        let town = try town()
        for report in reports.split(separator: " ") {
            town.send(report == "enter" ? .enter("store") : .exit("store"), at: "10:00")
        }
        #expect(town.decisions.brief.joined() == outcome)
    }

    @Test(arguments: [
        ([52.0], "created in/1"), ([53.0], ""), ([52.0, 52.0001], ""), ([53.0, 52.0], "created in/1"),
        ([52.0, 53.0], "created out/1"),
        ([52.0, 53.0, 53.0], ""), ([52.0, 53.0, 52.0], "created in/2"),
    ])
    func `a position counts when it is on the other side than the last`(latitudes: [Double], outcome: String) throws {
        let town = try town()
        for latitude in latitudes { town.send(.position(latitude), at: "10:00") }
        #expect(town.decisions.brief.joined() == outcome)
    }

    @Test func `after a position elsewhere, a reported exit is nothing`() throws {
        let town = try town()
        town.send(.position(53), at: "10:00")
        #expect(town.send(.exit("store"), at: "10:01") == [])
    }

    @Test func `a position ends what was reported`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        #expect(town.send(.position(52), at: "10:01") == [])
        #expect(town.send(.position(53), at: "10:02") == ["created out/1"])
    }

    @Test func `exits come before entries, and deletions before what leaving triggers`() throws {
        let town = try town {
            $0.campaigns.insert(.campaign("there", .some(["station"])), at: 0)
            $0[campaign: "in"].deleteOn = .exit
            $0.currentLimit = 1
        }
        town.send(.position(52), at: "10:00")
        #expect(
            town.send(.position(53), at: "11:00")
                == ["deleted in/1", "created out/1", "suppressed there: belfry/slot-taken"])
    }

    @Test func `several regions are entered and left at once, in file order`() throws {
        let town = try Town {
            $0.campaigns = [.campaign("in", .all), .campaign("out", on: .exit, .all)]
        }
        town.send(.position(52), at: "10:00")
        #expect(town.decisions.map(\.origin) == ["in/t1 in store", "in/t1 in kiosk"])
        town.send(.position(53), at: "11:00")
        #expect(
            town.decisions.brief == [
                "deleted in/1", "deleted in/2", "created out/1", "created out/2", "created in/3",
            ])
        #expect(town.decisions.compactMap(\.origin) == ["out/t1 in store", "out/t1 in kiosk", "in/t1 in station"])
    }

    @Test func `larger priority goes first, then campaigns, triggers and regions in file order`() throws {
        let town = try Town {
            $0.campaigns = [
                .campaign("a", .all) {
                    $0.triggers.append(.init(id: "t2", on: .enter, regions: .some(["kiosk", "store"])))
                },
                .campaign("b", .some(["kiosk"])) { $0.priority = 1 },
                .campaign("c") { $0.priority = -1 },
                .campaign("d", .some(["kiosk"])),
            ]
        }
        town.send(.position(52), at: "10:00")
        #expect(
            town.decisions.map(\.origin) == [
                "b/t1 in kiosk", "a/t1 in store", "a/t1 in kiosk", "a/t2 in store", "a/t2 in kiosk", "d/t1 in kiosk",
                "c/t1 in store",
            ])
    }

    @Test func `priority goes first among what a custom signal triggers, too`() throws {
        let town = try Town {
            $0.campaigns = [
                .campaign("a", on: .signal("order.paid")),
                .campaign("b", on: .signal("order.paid")) { $0.priority = 1 },
                .campaign("c", on: .signal("order.sent")),
            ]
        }
        #expect(town.send(.custom, at: "10:00", type: "order.paid") == ["created b/1", "created a/1"])
    }

    @Test(
        arguments: [(nil, 100.0, 1), (100.0, 100.0, 1), (100.0, 100.5, 0), (100.0, nil, 1)] as [(Double?, Double?, Int)]
    )
    func `a position worse than the limit is ignored and counted`(limit: Double?, accuracy: Double?, created: Int)
        throws
    {
        let town = try town { $0.accuracyLimit = limit }
        #expect(town.send(.position(52, accuracy: accuracy), at: "10:00").count == created)
        #expect(town.ignored[.inaccuratePosition, default: 0] == 1 - created)
        #expect((town.record().position != nil) == (created == 1))
    }

    /// The trigger rang for a position that nothing else heard of.
    @Test(arguments: [(100, ["created moved/1"]), (101, [])] as [(Double, [String])])
    func `no trigger waits for a position worse than the limit`(accuracy: Double, decisions: [String]) throws {
        let town = try town {
            $0.accuracyLimit = 100
            $0.campaigns = [.campaign("moved", on: .signal("location.updated"))]
        }
        #expect(town.send(.position(51, accuracy: accuracy), at: "10:00") == decisions)
    }

    @Test func `disabled, crossings are suppressed; enabled again, presence starts afresh`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        town.send(.disabled, at: "10:01")
        #expect(town.send(.enter("store"), at: "10:02") == ["suppressed in: belfry/disabled"])
        town.send(.enabled, at: "10:03")
        #expect(town.send(.position(52), at: "10:04") == ["created in/2"])
    }

    @Test func `enabling who is enabled forgets nothing`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        #expect(town.send(.enabled, at: "10:01") == ["recorded application uiPushEnabled"])
        #expect(town.send(.enter("store"), at: "10:02") == [])
    }
}

/// Regions that leave the configuration, and come back.
@Suite struct ReturningRegionTests {
    @Test func `whoever went away meanwhile enters again, who stayed does not`() throws {
        let region = Configuration.Region.geofence("r", latitude: 52, radius: 2_000)
        let town = try Town {
            $0.regions = [region]
            $0.campaigns = [.campaign("in", .all)]
        }
        for name in ["ana", "bob"] { town.send(.position(52), at: "10:00", as: name) }
        try town.reconfigure { $0.regions = [] }
        #expect(town.send(.position(57), at: "10:01", as: "bob") == [])
        try town.reconfigure { $0.regions = [region] }
        #expect(town.send(.position(52), at: "10:02", as: "bob") == ["created in/2"])
        #expect(town.send(.position(52), at: "10:02", as: "ana") == [])
    }
}

/// `regionLimit` (docs/configuration.md).
@Suite struct RegionLimitTests {
    /// Nested fences around 52, the largest first, of which the five nearest are watched; all are entered together.
    private func town() throws -> Town {
        try Town {
            $0.regionLimit = 5
            $0.regions = (0..<7).map { .geofence("r\($0)", latitude: 52 + Double($0) / 1000, radius: 2_000) }
            $0.campaigns = [.campaign("in", .all), .campaign("out", on: .exit, .all)]
        }
    }

    @Test func `only the nearest are entered`() throws {
        let town = try town()
        town.send(.position(52), at: "10:00")
        #expect(town.decisions.map(\.origin) == (0..<5).map { "in/t1 in r\($0)" })
    }

    @Test func `what the device says of a fence out of the budget is believed`() throws {
        let town = try town()
        town.send(.position(52), at: "10:00")
        town.send(.exit("r6"), at: "10:01")
        #expect(town.decisions.map(\.origin) == ["out/t1 in r6"])
        #expect(town.send(.exit("r6"), at: "10:02") == [])
    }

    @Test func `leaving the budget is no exit, and coming back to it no entry`() throws {
        let town = try town()
        town.send(.position(52), at: "10:00")
        town.send(.position(52.006), at: "10:01")
        #expect(town.decisions.map(\.origin) == ["in/t1 in r5", "in/t1 in r6"])
        #expect(town.send(.position(52), at: "10:02") == [])
    }

    @Test func `an exit while out of the budget shows when it is back`() throws {
        let town = try town()
        town.send(.position(52), at: "10:00")
        // North of all, r0 and r1 are not watched; south of all they are.
        town.send(.position(52.5), at: "10:01")
        #expect(town.decisions.compactMap(\.origin) == (2..<5).map { "out/t1 in r\($0)" })
        town.send(.position(51.9), at: "10:02")
        #expect(town.decisions.compactMap(\.origin) == (0..<2).map { "out/t1 in r\($0)" })
    }
}

/// Staying for a while (docs/signals.md, docs/configuration.md).
@Suite struct DwellTests {
    private func town(change: (inout Configuration) -> Void = { _ in }) throws -> Town {
        try Town {
            $0.campaigns = [
                .campaign("stay", on: .dwell(.minutes(10)), .some(["store", "station"])) { $0.deleteOn = .never }
            ]
            change(&$0)
        }
    }

    @Test func `who stays long enough is noticed at the due time, once`() throws {
        let town = try town()
        #expect(town.send(.enter("store"), at: "10:00", id: "s-1") == [])
        #expect(town.wait(until: "10:09:59.999") == [])
        #expect(town.send(.custom, at: "13:00") == ["created stay/1"])
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:10")])
        #expect(town.decisions.map(\.cause) == ["s-1"])
        #expect(town.decisions.map(\.origin) == ["stay/t1 in store"])
        #expect(town.wait(until: "+1 10:00") == [])
    }

    @Test func `exactly at the end of the time it is due`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        #expect(town.send(.exit("store"), at: "10:10") == ["created stay/1"])
    }

    @Test func `leaving before that cancels it`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        town.send(.exit("store"), at: "10:09:59")
        #expect(town.wait(until: "12:00") == [])
    }

    @Test func `entering again while inside does not start it again`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        town.send(.enter("store"), at: "10:05")
        #expect(town.wait(until: "10:10") == ["created stay/1"])
        #expect(town.wait(until: "10:15") == [])
    }

    @Test func `the next stay counts from its own beginning`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        town.send(.exit("store"), at: "10:08")
        town.send(.enter("store"), at: "10:09")
        #expect(town.wait(until: "10:18") == [])
        #expect(town.wait(until: "10:19") == ["created stay/1"])
    }

    @Test func `regions are waited for apart, and timers fire in order of due time`() throws {
        let town = try town {
            $0.campaigns.append(.campaign("short", on: .dwell(.minutes(5)), .all))
        }
        town.send(.enter("store"), at: "10:00")
        town.send(.enter("station"), at: "10:03")
        town.wait(until: "11:00")
        #expect(
            town.decisions.map(\.origin) == [
                "short/t1 in store", "short/t1 in station", "stay/t1 in store", "stay/t1 in station",
            ])
    }

    @Test func `of those due at once, the one armed first is first`() throws {
        let town = try town { $0.campaigns.append(.campaign("also", on: .dwell(.minutes(10))) { $0.priority = 5 }) }
        town.send(.enter("store"), at: "10:00")
        #expect(town.wait(until: "10:10") == ["created stay/1", "created also/1"])
    }

    /// The decision had the time +010000-01-01T00:00:00Z.
    @Test func `a stay that lasts beyond the year 9999 is not waited for`() throws {
        let town = try town()
        town.send(.enter("store"), at: "+2912382 23:49:59.999")
        town.send(.enter("station"), at: "+2912382 23:50")
        #expect(town.record().timers.count == 1)
        #expect(town.wait(until: "+2912383 12:00") == ["created stay/1"])
        #expect(town.decisions.map(\.time.description) == ["9999-12-31T23:59:59.999Z"])
    }

    @Test func `the configuration then decides`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure { $0.campaigns[0].published = false }
        #expect(town.wait(until: "12:00") == [])
    }

    /// A trigger without an id goes by its position: with a trigger put before it, the timer of the former one fired for the new one.
    @Test(arguments: [.request, .exit, .enter, .signal("order")] as [Configuration.Event])
    func `it is dropped when its trigger waits for something else by then`(event: Configuration.Event) throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure { $0.campaigns[0].triggers[0].on = event }
        #expect(town.wait(until: "12:00") == [])
        #expect(town.record().timers.isEmpty)
    }

    @Test func `it is dropped when its trigger waits elsewhere by then`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        town.send(.enter("station"), at: "10:01")
        try town.reconfigure { $0.campaigns[0].triggers[0].regions = .some(["station"]) }
        town.wait(until: "12:00")
        #expect(town.decisions.map(\.origin) == ["stay/t1 in station"])
    }

    @Test func `it is due when it was armed for, whatever the trigger says by then`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        try town.reconfigure { $0.campaigns[0].triggers[0].on = .dwell(.hours(1)) }
        #expect(town.wait(until: "10:10") == ["created stay/1"])
    }

    @Test func `disabling clears it, and nobody disabled dwells`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        town.send(.disabled, at: "10:05")
        town.send(.enter("station"), at: "10:06")
        town.send(.enabled, at: "10:07")
        #expect(town.wait(until: "12:00") == [])
    }
}
