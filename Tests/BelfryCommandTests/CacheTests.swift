import Foundation
import Testing

/// However little memory records may take, the same comes out.
@Suite struct CacheTests {
    private static let configuration = """
        app: shop
        store: sqlite:shop.db
        chain: [ { strategy: cooldown, parameters: { period: 90m } } ]
        campaigns: [ { id: sale, triggers: [ { on: request } ] } ]
        """

    /// Five requests of each of 600 people, in turns.
    private static let signals = (0..<3000).map { number in
        """
        {"id":"s\(number)","type":"notification.requested","subject":"u\(number % 600)","time":"2026-03-02T\(
            String(format: "%02d", 8 + number / 600)):00:00Z","data":{"campaign":"sale"}}

        """
    }.joined()

    private func run(_ more: String...) throws -> Command.Result {
        let place = try Workplace(["belfry.yaml": Self.configuration, "signals.jsonl": Self.signals])
        return try place.belfry(["run", "--signals", "signals.jsonl"] + more, input: Data())
    }

    @Test(arguments: ["1", "2"])
    func `with hardly any memory for records the same is decided`(shards: String) throws {
        let roomy = try run("--shards", shards)
        let narrow = try run("--shards", shards, "--cache", "0KiB")
        #expect(roomy.status == 0 && roomy.output.contains("notification.suppressed"))
        #expect(narrow.status == 0)
        #expect(narrow.output == roomy.output)
    }

    @Test func `a size needs a unit`() throws {
        let result = try run("--cache", "256")
        #expect(result.status == 2)
        #expect(
            result.errors.contains("'256' is no size; write a whole number with its unit, for example 256MiB"))
    }

    @Test func `what is in memory only cannot make room`() throws {
        let result = try run("--cache", "256MiB", "--store", "memory:")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                --cache goes with a store on a disk
                  why: 'memory:' has all records in memory, whatever is said
                  fix: name a store, for example --store sqlite:belfry.db, or leave --cache out

                """)
    }
}
