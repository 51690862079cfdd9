import Foundation
import Testing

/// Files that only one part of the program may write.
@Suite struct SharedFileTests {
    private static let configuration = """
        app: shop
        store: sqlite:s.db
        serve: { tokens: tokens.yaml }
        campaigns: [ { id: sale, message: Now } ]
        sinks: [ { id: crm, type: file, path: crm.jsonl } ]

        """

    @Test(arguments: [
        ("crm.jsonl", "the file of sink 'crm'"), ("tokens.yaml", "a file of the service"),
        ("belfry.yaml", "a file of the configuration"), ("s.db", "the store"),
    ])
    func `what a run writes is no file of another part`(name: String, what: String) throws {
        let place = try Workplace(["belfry.yaml": Self.configuration, "tokens.yaml": "tokens: []\n", "signals": ""])
        #expect(try place.belfry("run", "--signals", "signals").status == 0)
        let before = try place.shell("cat tokens.yaml belfry.yaml").output
        for arguments in [
            ["run", "--signals", "signals", "--output", name],
            ["simulate", "--signals", "signals", "--against", "belfry.yaml", "--report", name],
        ] {
            let result = try place.belfry(arguments, input: Data())
            #expect(result.status == 2 && result.errors.contains("names \(what), '"), "\(arguments) \(result.errors)")
        }
        #expect(try place.shell("cat tokens.yaml belfry.yaml").output == before)
    }

    @Test func `two sinks with one file are an error, however it is written`() throws {
        let place = try Workplace([
            "belfry.yaml": Self.configuration.replacing(
                "path: crm.jsonl }", with: "path: crm.jsonl }, { id: bi, type: file, path: ./crm.jsonl }")
        ])
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors.contains(
                """
                sinks[1].path
                  found: a second sink with the file './crm.jsonl'
                  expected: a file of its own; the first is in belfry.yaml:5
                """), "\(result.errors)")
    }
}
