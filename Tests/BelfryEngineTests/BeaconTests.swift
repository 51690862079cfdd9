import BelfryEngine
import BelfryModel
import Testing

/// Presence in beacon regions (docs/signals.md).
@Suite struct BeaconTests {
    @Test(arguments: [0, 1, 2, 65_535])
    func `a region is entered with the first sighting of any of its beacons`(minor: Int) throws {
        let town = try beaconTown()
        #expect(town.send(.sight(7, minor), at: "10:00") == ["created in/1"])
        #expect(town.decisions.map(\.origin) == ["in/t1 in shop"])
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:00")])
    }

    @Test(arguments: [someUUID, someUUID.lowercased()], [someUUID, someUUID.lowercased()])
    func `the case of a uuid means nothing`(configured: String, sighted: String) throws {
        let town = try beaconTown { $0.regions[0] = .beacons("shop", uuid: configured, major: 7) }
        #expect(town.send(.sight(7, 1, uuid: sighted), at: "10:00") == ["created in/1"])
    }

    @Test(arguments: [
        Signal.Event.sight(8, 1), .sight(8, 2, at: 0.1), .sight(7, 1, uuid: "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA7"),
    ])
    func `a beacon that no region covers is ignored and counted`(sighting: Signal.Event) throws {
        let town = try beaconTown { $0.campaigns.append(.campaign("close", on: .near(inside: 1, outside: 1), .all)) }
        #expect(town.send(sighting, at: "10:00") == [])
        #expect(town.ignored[.unknownBeacon] == 1)
        #expect(town.record().presence.isEmpty && town.record().timers.isEmpty)
        town.send(.sight(7, 1), at: "10:01")
        #expect(town.ignored[.unknownBeacon] == 1)
    }

    @Test func `no trigger waits for a beacon that no region covers`() throws {
        let town = try beaconTown { $0.campaigns = [.campaign("seen", on: .signal("beacon.ranged"))] }
        #expect(town.send(.sight(8, 1), at: "10:00") == [])
        #expect(town.send(.sight(7, 1), at: "10:01") == ["created seen/1"])
    }

    @Test func `a minor makes a region of one beacon`() throws {
        let town = try beaconTown { $0[campaign: "in"].triggers[0].regions = .some(["shelf"]) }
        #expect(town.send(.sight(7, 3), at: "10:00") == [])
        #expect(town.send(.sight(7, 2), at: "10:00:01") == ["created in/1"])
        #expect(town.decisions.map(\.origin) == ["in/t1 in shelf"])
    }

    @Test func `a beacon of several regions is in all of them, each left for itself`() throws {
        let town = try beaconTown {
            for index in 0...1 { $0.campaigns[index].triggers[0].regions = .all }
        }
        town.send(.sight(7, 2), at: "10:00")
        #expect(town.decisions.map(\.origin) == ["in/t1 in shop", "in/t1 in shelf"])
        #expect(town.send(.sight(7, 1), at: "10:00:20") == [])
        town.send(.custom, at: "10:00:49")
        #expect(town.decisions.map(\.origin) == ["out/t1 in shelf"])
        town.send(.custom, at: "10:00:50")
        #expect(town.decisions.map(\.origin) == ["out/t1 in shop"])
    }

    @Test func `moving among the beacons of a region neither enters nor leaves it`() throws {
        let town = try beaconTown()
        town.send(.sight(7, 1), at: "10:00")
        #expect(town.send(.sight(7, 3), at: "10:00:25") == [])
        #expect(town.send(.sight(7, 1), at: "10:00:50") == [])
        #expect(town.send(.sight(9, 1), at: "10:01:19.999") == [], "the bar is another region")
        #expect(town.wait(until: "10:01:20") == ["created out/1"])
    }

    @Test(arguments: [(Duration.seconds(30), "10:00:30"), (.minutes(5), "10:05"), (.milliseconds(1), "10:00:00.001")])
    func `a region is left when exitDelay has passed without a sighting`(delay: Duration, left: String) throws {
        let town = try beaconTown { $0.beacons.exitDelay = delay }
        town.send(.sight(7, 1), at: "10:00", id: "s-1")
        #expect(town.send(.custom, at: "13:00") == ["created out/1"], "though nothing was heard of the subject then")
        #expect(town.decisions.map(\.time) == [Instant(clock: left)])
        #expect(town.decisions.map(\.cause) == ["s-1"])
        #expect(town.wait(until: "+1 10:00") == [])
    }

    @Test(arguments: [("10:00:29.999", []), ("10:00:30", ["created out/1", "created in/2"])])
    func `a sighting exactly at exitDelay comes after the exit`(time: String, decided: [String]) throws {
        let town = try beaconTown()
        town.send(.sight(7, 1), at: "10:00")
        #expect(town.send(.sight(7, 1), at: time) == decided)
    }

    @Test func `a late sighting counts from the time at which it is processed`() throws {
        let town = try beaconTown()
        town.send(.custom, at: "10:01")
        town.send(.sight(7, 1), at: "10:00")
        #expect(town.late == 1)
        #expect(town.wait(until: "10:01:29.999") == [])
        #expect(town.wait(until: "10:01:30") == ["created out/1"])
    }

    @Test func `the exit comes after a restart with another configuration too, by the delay it was armed with`() throws
    {
        let town = try beaconTown()
        town.send(.sight(7, 1), at: "10:00")
        try town.reconfigure { $0.beacons.exitDelay = .hours(1) }
        #expect(town.wait(until: "10:00:30") == ["created out/1"])
    }

    @Test func `leaving deletes what entering created, before anything else`() throws {
        let town = try beaconTown {
            $0[campaign: "in"].deleteOn = .exit
            $0.currentLimit = 1
        }
        town.send(.sight(7, 1), at: "10:00")
        #expect(town.wait(until: "10:00:30") == ["deleted in/1", "created out/1"])
    }

    @Test func `sightings keep a stay alive, and their want ends it`() throws {
        let town = try beaconTown { $0.campaigns = [.campaign("stay", on: .dwell(.minutes(5)), .some(["shop"]))] }
        for time in ["10:00", "10:00:29", "10:00:50"] { town.send(.sight(7, 1), at: time) }
        #expect(town.wait(until: "10:30") == [])
        try town.reconfigure { $0.beacons.exitDelay = .minutes(3) }
        for time in ["11:00", "11:02", "11:04"] { town.send(.sight(7, 1), at: time) }
        #expect(town.send(.sight(7, 1), at: "11:05") == ["created stay/1"])
    }

    @Test func `a position says nothing of beacons`() throws {
        let town = try beaconTown { $0.regions.append(.geofence("store", latitude: 52)) }
        town.send(.sight(7, 1), at: "10:00")
        #expect(town.send(.position(53), at: "10:00:10") == [])
        #expect(town.record().presence.map(\.isInside) == [true])
    }
}

/// Crossings that the device's own platform reports (docs/signals.md).
@Suite struct ReportedBeaconTests {
    @Test func `what the device reports needs no sightings, and is for the device to end`() throws {
        let town = try beaconTown()
        #expect(town.send(.enter("shop"), at: "10:00") == ["created in/1"])
        #expect(town.wait(until: "11:00") == [])
        #expect(town.send(.sight(7, 1), at: "11:00") == [])
        #expect(town.wait(until: "12:00") == [])
        #expect(town.send(.exit("shop"), at: "12:00") == ["created out/1"])
    }

    @Test func `after a reported exit a sighting enters again, and its want leaves`() throws {
        let town = try beaconTown()
        town.send(.enter("shop"), at: "10:00")
        town.send(.exit("shop"), at: "10:01")
        #expect(town.send(.sight(7, 1), at: "10:02") == ["created in/2"])
        #expect(town.wait(until: "10:02:30") == ["created out/2"])
    }

    @Test func `a reported exit ends what sightings began, once`() throws {
        let town = try beaconTown()
        town.send(.sight(7, 1), at: "10:00")
        #expect(town.send(.exit("shop"), at: "10:00:10") == ["created out/1"])
        #expect(town.wait(until: "11:00") == [])
    }

    @Test func `a device that reports an entry during sightings answers for the exit from then on`() throws {
        let town = try beaconTown()
        town.send(.sight(7, 1), at: "10:00")
        #expect(town.send(.enter("shop"), at: "10:00:10") == [], "it was inside")
        #expect(town.wait(until: "11:00") == [])
        #expect(town.send(.exit("shop"), at: "11:00") == ["created out/1"])
    }

    @Test func `an exit is one while nothing is known, whatever positions there were`() throws {
        let town = try beaconTown { $0.regions.append(.geofence("store", latitude: 52)) }
        town.send(.position(53), at: "10:00")
        #expect(town.send(.exit("shop"), at: "10:01") == ["created out/1"])
        #expect(town.send(.exit("shop"), at: "10:02") == [])
    }
}

/// The remembered switch.
@Suite struct DisabledBeaconTests {
    @Test func `disabling forgets presence and the exit to come`() throws {
        let town = try beaconTown()
        town.send(.sight(7, 1), at: "10:00")
        town.send(.disabled, at: "10:00:10")
        #expect(town.wait(until: "10:10") == [])
        town.send(.enabled, at: "10:10")
        #expect(town.send(.sight(7, 1), at: "10:11") == ["created in/2"])
    }

    @Test func `what is sighted while disabled is suppressed, and forgotten when enabled`() throws {
        let town = try beaconTown()
        town.send(.disabled, at: "10:00")
        #expect(town.send(.sight(7, 1), at: "10:01") == ["suppressed in: belfry/disabled"])
        town.send(.enabled, at: "10:01:10")
        #expect(town.wait(until: "10:02") == [])
        #expect(town.send(.sight(7, 1), at: "10:03") == ["created in/1"])
    }
}
