import BelfryEngine
import BelfryModel
import Testing

/// What the host makes of `collect` and `withhold` (docs/strategies.md).
@Suite struct CollectionTests {
    @Test func `the chain is asked again at the close, and one is created`() throws {
        let town = try Town { $0.chain = [.entry("a", .collect, until: ["10:30"], per: .campaign), .entry("b")] }
        #expect(town.send(.enter("store"), at: "10:00") == ["collected sale by a[sale], 1 until 10:30"])
        #expect(town.told("b") == ["10:00 refused sale"])
        #expect(town.wait(until: "10:30") == ["created sale/1"])
        #expect(town.decisions.first?.created?.digest?.count == 1)
        #expect(town.told("b") == ["10:00 refused sale", "10:30 created sale again"])
        #expect(town.record().timers.isEmpty)
    }

    @Test func `a digest that is collected again is a fault, and goes for good`() throws {
        let town = try Town { $0.chain = [.entry("a", .collect, until: ["10:30", "11:00"])] }
        town.send(.enter("store"), at: "10:00")
        #expect(
            town.wait(until: "12:00") == [
                "faulted a: it collected a digest that has closed", "suppressed sale: a/fault",
            ])
        #expect(town.record().timers.isEmpty)
    }

    @Test func `a collection without an end, or with one that is over, is a fault`() throws {
        let town = try Town { $0.chain = [.entry("a", .collect)] }
        #expect(
            town.send(.enter("store"), at: "10:00").first == "faulted a: it collected without saying until when")
    }

    @Test func `the first that collects takes it, and a denial goes before`() throws {
        let town = try Town {
            $0.chain = [.entry("a", .collect, until: ["10:30"]), .entry("b", .collect, until: ["10:20"])]
        }
        #expect(town.send(.enter("store"), at: "10:00") == ["collected sale by a, 1 until 10:30"])
        let denied = try Town { $0.chain = [.entry("a", .collect, until: ["10:30"]), .entry("b", .deny)] }
        #expect(denied.send(.enter("store"), at: "10:00") == ["suppressed sale: b"])
        let deferred = try Town {
            $0.chain = [.entry("a", .collect, until: ["10:30"]), .entry("b", .defer, until: ["10:10"])]
        }
        #expect(deferred.send(.enter("store"), at: "10:00") == ["deferred sale: b@10:10 until 10:10"])
    }

    @Test func `an observer's collection is observed only`() throws {
        let town = try Town { $0.chain = [.entry("a", .collect, until: ["10:30"], control: .observer)] }
        #expect(town.send(.enter("store"), at: "10:00") == ["created sale/1 (observed a@10:30)"])
    }

    @Test func `what is withheld is told as created, and leaves no trace`() throws {
        let town = try Town { $0.chain = [.entry("a", .withhold), .entry("b", per: .campaign)] }
        #expect(town.send(.enter("store"), at: "10:00") == ["withheld sale: a"])
        #expect(town.told("b", counter: "sale") == ["10:00 created sale"])
        #expect(town.current == [] && town.history == [] && town.record().tallies == [])
    }

    @Test func `a denial beside it leaves the withholding out`() throws {
        let town = try Town { $0.chain = [.entry("a", .withhold), .entry("b", .deny)] }
        #expect(town.send(.enter("store"), at: "10:00") == ["suppressed sale: b"])
        let taken = try Town {
            $0.currentLimit = 1
            $0.chain = [.entry("a", .withhold)]
            $0.campaigns.append(.campaign("first", on: .request) { $0.with["a"] = .off })
        }
        taken.send(.request("first"), at: "09:00")
        #expect(taken.send(.enter("store"), at: "10:00").last == "suppressed sale: belfry/slot-taken")
    }

    @Test func `a deletion can be neither collected nor withheld`() throws {
        let town = try Town { $0.chain = [.entry("a", deletion: .withhold)] }
        town.send(.enter("store"), at: "10:00")
        #expect(
            town.send(.exit("store"), at: "10:10") == [
                "faulted a: it collected or withheld what was to be deleted", "kept sale/1: a/fault",
            ])
    }
}
