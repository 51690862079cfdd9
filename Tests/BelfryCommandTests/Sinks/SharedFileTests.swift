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

    @Test func `standard output is no file of another part, either`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration, "signals": "", "crm.jsonl": "{}\n"])
        #expect(try place.shell("belfry run --signals signals 2>errors >>./crm.jsonl").status == 2)
        #expect(
            try place.text(of: "errors") == """
                standard output is the file of sink 'crm', './crm.jsonl'
                  why: it would be spoilt by what is written
                  fix: send it to another file

                """)
        #expect(try place.text(of: "crm.jsonl") == "{}\n")
    }

    @Test func `the configured store is kept also where another is named`() throws {
        let experiments =
            "experiments: [ { id: e, seed: s, variants: [ { name: x, weight: 1 }, { name: y, weight: 1 } ] } ]\n"
        let place = try Workplace(["belfry.yaml": Self.configuration + experiments, "signals": ""])
        for store in [[], ["--store", "sqlite:other.db"]] {
            #expect(try place.belfry(["run", "--signals", "signals"] + store, input: Data()).status == 0)
        }
        for arguments in [["run", "--signals", "signals", "--output"], ["experiments", "report", "--page"]] {
            let result = try place.belfry(arguments + ["s.db", "--store", "sqlite:other.db"], input: Data())
            #expect(result.status == 2 && result.errors.contains(" names the store, 's.db'\n"), "\(result.errors)")
        }
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
