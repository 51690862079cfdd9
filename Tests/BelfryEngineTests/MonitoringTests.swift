import BelfryEngine
import BelfryModel
import BelfryPlugin
import Testing

/// Which regions became watched, for those who want to know (AdTag's start of monitoring).
@Suite struct MonitoringTests {
    private func town(change: (inout Configuration) -> Void = { _ in }) throws -> Town {
        try Town(watchers) {
            $0.chain = [.init(strategy: "watchful")]
            change(&$0)
        }
    }

    @Test func `with a subject's first signal every region is, before anything is decided`() throws {
        let town = try town()
        town.send(.enter("store"), at: "10:00")
        town.send(.request("sale"), at: "10:01")
        #expect(
            town.told("watchful") == [
                "10:00 watches store", "10:00 watches kiosk", "10:00 watches station", "10:00 created sale",
                "10:01 created sale",
            ])
    }

    @Test func `each subject's are told for itself`() throws {
        let town = try town()
        town.send(.custom, at: "10:00")
        town.send(.custom, at: "10:01", as: "bob")
        #expect(town.told("watchful", as: "bob")?.first == "10:01 watches store")
    }

    @Test func `one that a new configuration brings is told with the next signal`() throws {
        let town = try town()
        town.send(.custom, at: "10:00")
        try town.reconfigure(watchers) { $0.regions.append(.beacons("bar", major: 9)) }
        town.send(.custom, at: "10:01")
        town.send(.custom, at: "10:02")
        #expect(town.told("watchful")?.dropFirst(3) == ["10:01 watches bar"])
    }

    @Test func `one that comes back is told again`() throws {
        let town = try town()
        let region = Configuration.Region.beacons("bar", major: 9)
        for (minute, isThere) in [true, false, true].enumerated() {
            try town.reconfigure(watchers) {
                $0.regions.removeAll { $0.id == region.id }
                if isThere { $0.regions.append(region) }
            }
            town.send(.custom, at: "10:0\(minute)")
        }
        #expect(town.told("watchful")?.filter { $0.hasSuffix("bar") } == ["10:00 watches bar", "10:02 watches bar"])
    }

    @Test func `a fresh install is told again`() throws {
        let town = try town()
        town.send(.custom, at: "10:00")
        town.send(.reset, at: "10:01")
        town.send(.custom, at: "10:02")
        #expect(town.told("watchful") == ["store", "kiosk", "station"].map { "10:02 watches \($0)" })
    }

    @Test func `every counter with something to remember is told`() throws {
        let town = try town {
            $0.chain[0].per = .campaign
            $0.campaigns.append(.campaign("other", on: .request))
        }
        town.send(.request("sale"), at: "10:00")
        town.send(.request("other"), at: "10:01")
        try town.reconfigure(watchers) { $0.regions.append(.beacons("bar", major: 9)) }
        town.send(.custom, at: "10:02")
        for (campaign, time) in [("sale", "10:00"), ("other", "10:01")] {
            #expect(
                town.told("watchful", counter: campaign) == ["\(time) created \(campaign)", "10:02 watches bar"])
        }
    }

    /// `regionLimit`: five of seven fences in a row, beside a beacon region.
    private func budgetTown() throws -> Town {
        try town {
            $0.regionLimit = 5
            $0.regions = (0..<7).map { .geofence("r\($0)", latitude: 52 + Double($0) / 100) }
            $0.regions.append(.beacons("bar", major: 9))
            $0.accuracyLimit = 100
        }
    }

    @Test func `of fences under a budget only the nearest are, and none before a position`() throws {
        let town = try budgetTown()
        town.send(.custom, at: "10:00")
        #expect(town.told("watchful") == ["10:00 watches bar"])
        town.send(.position(52, accuracy: 101), at: "10:01")
        #expect(town.told("watchful")?.count == 1, "it is ignored")
        town.send(.position(52), at: "10:02")
        #expect(
            town.told("watchful")?.dropFirst() == ["r0", "r1", "r2", "r3", "r4"].map { "10:02 watches \($0)" }[...])
        #expect(town.record().watched.map(\.text).sorted() == ["bar", "r0", "r1", "r2", "r3", "r4"])
    }

    @Test func `one that left the budget is told again when it is back, and only that one`() throws {
        let town = try budgetTown()
        town.send(.position(52), at: "10:00")
        town.send(.position(52.06), at: "10:01")
        #expect(town.told("watchful")?.suffix(2) == ["10:01 watches r5", "10:01 watches r6"])
        town.send(.position(52.06), at: "10:02")
        town.send(.position(52), at: "10:03")
        #expect(town.told("watchful")?.suffix(3) == ["10:01 watches r6", "10:03 watches r0", "10:03 watches r1"])
    }

    @Test func `where nobody wants to know, nothing is kept`() throws {
        for change in [{ $0.chain = [.entry("a")] }, { $0.chain[0].enabled = false }] as [(inout Configuration) -> Void]
        {
            let town = try town(change: change)
            town.send(.position(52), at: "10:00")
            #expect(town.record().watched.isEmpty)
        }
    }

    @Test func `only a strategy that asks for it has the hook`() {
        #expect(strategyTable(Watchful.self).pointee.on_start_monitoring != nil)
        for strategy in BelfryEngineTests.town {
            #expect(strategyTable(strategy).pointee.on_start_monitoring == nil, "\(strategy.name)")
        }
    }
}

private let watchers: [any Strategy.Type] = town + [Watchful.self]

/// Keeps a log of the regions that are watched, and of what was created.
private struct Watchful: RegionMonitoring {
    static let name = "watchful"
    static let summary = "notes which regions are watched"

    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: Log, context: Context) -> Verdict { .abstain }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout Log, context: Context) {
        if created { state.add("created \(candidate.campaign)", context) }
    }
    func onStartMonitoring(region: String, state: inout Log, context: Context) {
        state.add("watches \(region)", context)
    }
}
