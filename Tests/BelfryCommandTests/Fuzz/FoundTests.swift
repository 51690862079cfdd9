import BelfryEngine
import BelfryStore
import Foundation
import Testing

/// What fuzzing has found, so that it stays found.
@Suite struct FoundTests {
    /// The parser compares keys by everything in them: 30 lines, and two to the power of 29 comparisons.
    @Test(arguments: ["[*x@, *x@]", "{ ? *x@ : *x@ }", "{*x@: 1, b: *x@}", "{ [*x@, *x@]: 1 }"])
    func `aliases of aliases in keys are refused`(pattern: String) throws {
        let levels = (1..<30).map { "x\($0): &x\($0) " + pattern.replacing("@", with: "\($0 - 1)") }
        let place = try Workplace([
            "belfry.yaml": (["app: shop", "x0: &x0 [a]"] + levels + ["? *x29", ": 1"]).asFile
        ])
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                belfry.yaml
                  found: many aliases, and keys that are aliases, lists or mappings
                  expected: text as key
                  fix: write the keys out

                """)
    }

    @Test func `many aliases that are no keys are no trouble`() throws {
        let campaigns = (1...40).map { "  - { id: c\($0), message: \"Now? Yes\", tags: *tags, with: *with }" }
        let head = [
            "app: shop", "chain: [ { strategy: cooldown } ]", "campaigns:",
            "  - { id: c0, message: Now, tags: &tags [a, b], with: &with { cooldown: { period: 1h } } }",
        ]
        let place = try Workplace(["belfry.yaml": (head + campaigns).asFile])
        let result = try place.belfry("config", "check")
        #expect(result.status == 0, "\(result.errors)")
    }

    /// A sealed record with a count below zero: asking for the notifications from 1 to there was a trap.
    @Test func `a count below zero is damage`() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\ncampaigns: [ { id: offer, message: Now } ]\n"])
        let request =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"offer"}}"#
        _ = try place.belfry("run", "--store", "sqlite:s.db", input: request)
        let store = try StoreLocation.sqlite(path: place.file("s.db").path).open()
        var content = Array(try Seal.record.open(#require(try store.record(for: "ana"))).content)
        // The tally: the campaign after its length, the count as zigzag.
        let one = try #require(content.firstRange(of: [5] + Array("offer".utf8) + [2]))
        content[one.upperBound - 1] = 9
        try store.commit(
            StoreBatch(records: [RecordChange(subject: "ana", bytes: Seal.record.close(content, writer: "0.1"))]))
        store.close()
        let opened =
            #"{"type":"notification.opened","subject":"ana","time":"2026-03-02T09:01:00Z","data":{"notification":"offer/1"}}"#
        let result = try place.belfry("run", "--store", "sqlite:s.db", input: opened)
        #expect(
            result.status == 1 && result.errors.hasPrefix("cannot read the record of subject 'ana'\n"),
            "\(result.errors)")
    }
}
