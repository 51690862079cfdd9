import BelfryPlugin
import BelfryTesting
import OnceSource
import Testing

/// The C source itself, compiled for these tests under another entry.
@Suite struct OnceTests {
    private func test(
        per: String? = nil, campaigns: [String] = ["sale"], parameters: Value? = nil
    ) throws -> StrategyTest {
        let extensions = try #require(once_entry(nil)?.pointee.get_extension(BELFRY_EXTENSION_STRATEGY))
        let strategies = extensions.assumingMemoryBound(to: belfry_strategies.self).pointee
        let test = try StrategyTest(
            table: #require(strategies.items[0]), parameters: parameters, per: per, at: "2026-03-02T09:00:00Z",
            campaigns: campaigns)
        test.savesAfterEveryStep = true
        return test
    }

    @Test func `it is created once, and never again`() throws {
        let test = try test()
        #expect(try test.request() == .created)
        try test.advance(by: .days(3650))
        #expect(try test.request().description == "denied (once): it was created once already")
    }

    @Test func `each campaign once, unless per says otherwise`() throws {
        let own = try test(campaigns: ["sale", "welcome"])
        #expect(
            try [own.request("sale"), own.request("welcome"), own.request("sale")].map(\.isCreated) == [
                true, true, false,
            ])
        #expect(
            own.stateLines == [
                "once[sale].createdAt = 2026-03-02T09:00:00Z", "once[welcome].createdAt = 2026-03-02T09:00:00Z",
            ])
        let common = try test(per: "subject", campaigns: ["sale", "welcome"])
        #expect(try [common.request("sale"), common.request("welcome")].map(\.isCreated) == [true, false])
    }

    @Test func `only what was created counts`() throws {
        let test = try StrategyTest(
            table: #require(
                once_entry(nil)?.pointee.get_extension(BELFRY_EXTENSION_STRATEGY)?
                    .assumingMemoryBound(to: belfry_strategies.self).pointee.items[0]),
            campaigns: ["first", "second"]
        ) { $0.currentLimit = 1 }
        #expect(try test.request("first") == .created)
        #expect(try test.request("second").reason?.code == "slot-taken")
        #expect(test.state(counter: "second").isEmpty)
        try test.delete("first")
        #expect(try test.request("second") == .created)
    }

    @Test func `opening, deleting and clearing free nothing, a fresh install does`() throws {
        let test = try test()
        try test.request()
        try test.open()
        try test.delete()
        #expect(try !test.request().isCreated)
        try test.reset()
        #expect(test.state(counter: "sale").isEmpty)
        #expect(try test.request() == .created)
    }

    @Test func `it takes no parameters`() {
        let failure = #expect(throws: StrategyTest.Failure.self) { try test(parameters: ["count": 1]) }
        #expect(failure?.description.contains("takes no parameters") == true, "\(failure?.description ?? "")")
    }

    @Test func `it offers strategies and nothing else`() throws {
        let root = try #require(once_entry(nil)).pointee
        #expect(root.get_extension(BELFRY_EXTENSION_FILTER) == nil)
        #expect(root.get_extension(BELFRY_EXTENSION_ACTIONS) == nil)
    }
}
