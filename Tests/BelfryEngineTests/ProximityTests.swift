import BelfryEngine
import BelfryModel
import Testing

/// How near a beacon is (docs/configuration.md): in at `in` or less, out beyond `out`.
@Suite struct ProximityTests {
    /// `close` and `gone` when a beacon of the shop comes near and goes away.
    private func town(
        inside: Double = 2.5, outside: Double = 40, change: (inout Configuration) -> Void = { _ in }
    ) throws -> Town {
        try beaconTown {
            $0.campaigns = [
                .campaign("close", on: .near(inside: inside, outside: outside), .some(["shop"])),
                .campaign("gone", on: .away(inside: inside, outside: outside), .some(["shop"])),
            ]
            for index in 0...1 { $0.campaigns[index].deleteOn = .never }
            change(&$0)
        }
    }

    /// Sightings at these distances, a second apart; a letter says what came of each: `c` close, `g` gone, `.` nothing.
    private func timeline(_ town: Town, _ distances: [Double]) -> String {
        distances.enumerated().map { second, distance in
            town.send(.sight(7, 2, at: distance), at: "10:00:\(second < 10 ? "0" : "")\(second)")
            return town.decisions.isEmpty
                ? "." : town.decisions.compactMap(\.created?.origin.campaign.first).map(String.init).joined()
        }.joined()
    }

    @Test(
        arguments: [
            // In at or below, out above: both sides of both thresholds.
            ([2.5], "c"), ([2.51], "."), ([0], "c"), ([2.51, 2.5, 2.4], ".c."),
            ([2.5, 40], "c."), ([2.5, 40.01], "cg"), ([2.5, 40.01, 41], "cg."),
            // Between them nothing changes, either way.
            ([2.5, 2.51, 39, 2.5], "c..."), ([2.5, 41, 39, 2.51, 2.5], "cg..c"), ([41, 39, 3], "..."),
        ] as [([Double], String)])
    func `a beacon is near at in or less, and away beyond out`(distances: [Double], outcome: String) throws {
        #expect(timeline(try town(), distances) == outcome)
    }

    @Test func `with one threshold for both there is nothing between`() throws {
        #expect(timeline(try town(inside: 10, outside: 10), [10, 10.01, 10, 9, 11]) == "cgc.g")
    }

    @Test(arguments: [("immediate", 0.25), ("near", 2.5), ("far", 40)])
    func `the classes are Insiteo's unless configured`(name: String, metres: Double) throws {
        let classes = Configuration.Beacons().distances
        let distance = try #require(classes.first { $0.name == name }).meters
        #expect(timeline(try town(inside: distance, outside: distance), [metres + 0.001, metres]) == ".c")
    }

    @Test func `a sighting without a distance leaves it as it is`() throws {
        let town = try town()
        #expect(town.send(.sight(7, 2), at: "10:00") == [])
        town.send(.sight(7, 2, at: 1), at: "10:00:01")
        #expect(town.send(.sight(7, 2), at: "10:00:02") == [])
        #expect(town.send(.sight(7, 2, at: 1), at: "10:00:03") == [])
        #expect(town.send(.sight(7, 2, at: 41), at: "10:00:04") == ["created gone/1"])
    }

    @Test func `each beacon is near for itself`() throws {
        let town = try town()
        #expect(town.send(.sight(7, 1, at: 1), at: "10:00") == ["created close/1"])
        #expect(town.send(.sight(7, 2, at: 41), at: "10:00:01") == [])
        #expect(town.send(.sight(7, 2, at: 1), at: "10:00:02") == ["created close/2"])
        #expect(town.send(.sight(7, 1, at: 41), at: "10:00:03") == ["created gone/1"])
        #expect(town.send(.sight(7, 2, at: 1), at: "10:00:04") == [])
    }

    @Test func `triggers have thresholds of their own`() throws {
        let town = try town {
            $0[campaign: "close"].triggers.append(.init(id: "t2", on: .near(inside: 10, outside: 10)))
        }
        town.send(.sight(7, 1, at: 9), at: "10:00")
        #expect(town.decisions.map(\.origin) == ["close/t2 in shop"])
        town.send(.sight(7, 1, at: 2), at: "10:00:01")
        #expect(town.decisions.map(\.origin) == ["close/t1 in shop"])
    }

    @Test func `a trigger hears of the beacons of its own regions only`() throws {
        let town = try town { $0[campaign: "close"].triggers[0].regions = .some(["shelf"]) }
        #expect(town.send(.sight(7, 1, at: 1), at: "10:00") == [])
        #expect(town.send(.sight(7, 2, at: 1), at: "10:00:01") == ["created close/1"])
    }
}

/// What leaving a region does to proximity, and what goes first.
@Suite struct ProximityOrderTests {
    private func town(change: (inout Configuration) -> Void = { _ in }) throws -> Town {
        try beaconTown {
            $0.campaigns = [
                .campaign("close", on: .near(inside: 2.5, outside: 40), .some(["shop"])) { $0.deleteOn = .never },
                .campaign("gone", on: .away(inside: 2.5, outside: 40), .some(["shop"])) { $0.deleteOn = .never },
            ]
            change(&$0)
        }
    }

    @Test func `leaving the region takes every near beacon away`() throws {
        let town = try town()
        town.send(.sight(7, 1, at: 1), at: "10:00")
        town.send(.sight(7, 2, at: 1), at: "10:00:10")
        town.send(.sight(7, 3, at: 5), at: "10:00:20")
        #expect(town.wait(until: "10:00:50") == ["created gone/1", "created gone/2"])
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:00:50"), Instant(clock: "10:00:50")])
        #expect(town.send(.sight(7, 1, at: 1), at: "10:01") == ["created close/3"])
    }

    @Test func `a reported exit does so too`() throws {
        let town = try town()
        town.send(.enter("shop"), at: "10:00")
        town.send(.sight(7, 1, at: 1), at: "10:00:10")
        #expect(town.send(.exit("shop"), at: "10:05") == ["created gone/1"])
    }

    @Test func `who never was near does not go away`() throws {
        let town = try town()
        town.send(.sight(7, 1, at: 2.51), at: "10:00")
        #expect(town.wait(until: "10:30") == [])
    }

    @Test func `disabling forgets what is near`() throws {
        let town = try town()
        town.send(.sight(7, 1, at: 1), at: "10:00")
        town.send(.disabled, at: "10:00:01")
        town.send(.enabled, at: "10:00:02")
        #expect(town.send(.sight(7, 1, at: 1), at: "10:00:03") == ["created close/2"])
    }

    @Test(arguments: [(0, ["close/1", "hello/1"]), (1, ["hello/1", "close/1"])] as [(Int64, [String])])
    func `entering and coming near at once go by priority, then in file order`(priority: Int64, created: [String])
        throws
    {
        let town = try town { $0.campaigns.append(.campaign("hello", .some(["shop"])) { $0.priority = priority }) }
        #expect(town.send(.sight(7, 1, at: 1), at: "10:00") == created.map { "created \($0)" })
    }

    /// One sighting of a beacon of two regions: too far for the shop's trigger, and it enters the shelf again.
    @Test func `going away comes before entering and coming near, whatever their priority`() throws {
        let town = try town {
            $0.campaigns[0] = .campaign("close", on: .near(inside: 50, outside: 50), .some(["shelf"])) {
                $0.priority = 9
            }
            $0.campaigns.append(.campaign("hello", .some(["shelf"])) { $0.priority = 9 })
        }
        town.send(.sight(7, 2, at: 1), at: "10:00")
        town.send(.exit("shelf"), at: "10:00:01")
        #expect(
            town.send(.sight(7, 2, at: 41), at: "10:00:02") == ["created gone/1", "created close/2", "created hello/2"])
    }

    @Test func `on leaving, deletions come before exits and beacons going away`() throws {
        let town = try town {
            $0[campaign: "close"].deleteOn = .exit
            $0.campaigns.insert(.campaign("out", on: .exit, .some(["shop"])), at: 0)
        }
        town.send(.sight(7, 1, at: 1), at: "10:00")
        #expect(town.wait(until: "10:01") == ["deleted close/1", "created out/1", "created gone/1"])
    }

    @Test func `what a near beacon created is deleted on leaving its region, not on going away`() throws {
        let town = try town { $0[campaign: "close"].deleteOn = .exit }
        town.send(.sight(7, 1, at: 1), at: "10:00")
        #expect(town.send(.sight(7, 1, at: 41), at: "10:00:10") == ["created gone/1"])
        #expect(town.current == ["close/1", "gone/1"])
        #expect(town.wait(until: "10:00:40") == ["deleted close/1"])
    }
}
