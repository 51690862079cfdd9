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
}
