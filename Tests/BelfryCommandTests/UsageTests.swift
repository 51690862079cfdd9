import BelfryModel
import Foundation
import Testing

@Suite struct UsageTests {
    private static let request =
        #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"a"}}"#
    private let place = Result { try Workplace(["belfry.yaml": "app: shop\ncampaigns: [ { id: a, message: A } ]\n"]) }

    private func belfry(_ arguments: String..., input: String = "", output: FileHandle? = nil) throws -> Command.Result
    {
        try place.get().belfry(arguments, input: Data(input.utf8), output: output)
    }

    // MARK: Statuses

    @Test func `0 done, 1 failed, 2 wrong use or configuration, 3 done with rejected input`() throws {
        #expect(try belfry("run", input: Self.request).status == 0)
        #expect(try belfry("run", "--signals", "none.jsonl").status == 1)
        #expect(try belfry("run", "--config", "none.yaml").status == 2)
        #expect(try belfry("run", input: "nope\n" + Self.request).status == 3)
    }

    @Test(arguments: [
        (["--bogus"], "Unknown option '--bogus'"), (["run", "--bogus"], "Unknown option '--bogus'"),
        (["rnu"], "Unexpected argument 'rnu'"), (["run", "extra"], "Unexpected argument 'extra'"),
        (["run", "--until", "tomorrow"], "write for example 2026-03-03T00:00:00Z"),
        (["run", "--until", "2026-04-01"], "'2026-04-01' has no time of day; write for example 2026-04-01T00:00:00Z"),
        (
            ["run", "--until", "2026-04-01T09:00:00"],
            "'2026-04-01T09:00:00' has no time zone; write for example 2026-04-01T09:00:00Z"
        ),
        (["run", "--summary", "xml"], "'text' and 'json'"),
        (
            ["run", "--store", "mysql:shop"],
            "there is no store 'mysql:shop'\n  why: a store is memory:, sqlite:PATH or postgres:URL"
        ),
        (
            ["serve", "--advertise", "unix:/run/belfry.sock"],
            "'unix:/run/belfry.sock' is no address that other replicas reach; write for example 10.0.0.2:8787"
        ),
        (["run", "--signals"], "Missing value for '--signals <file>'"),
        (["state", "show"], "Missing expected argument '<subject>'"),
        (["state", "erase"], "Missing expected argument '<subject>'"),
        (["state", "history", "ana", "--since", "noon"], "write for example 2026-03-03T00:00:00Z"),
        (["strategies", "describe"], "Missing expected argument '<name>'"),
        (["plugins", "new"], "Missing expected argument '<name>'"),
        (["plugins", "new"], "\n  such as: belfry plugins new quiet-sundays\n"),
        (["plugins", "new", "pager", "--kind"], "\n  such as: belfry plugins new quiet-sundays\n"),
        (["rnu", "--shards", "2"], "\n  fix: did you mean 'belfry run --shards 2'?\n"),
        (["plugins", "nwe", "foo"], "\n  fix: did you mean 'belfry plugins new foo'?\n"),
        (["describe", "once"], "\n  fix: did you mean 'belfry strategies describe once'?\n"),
        (["new", "foo"], "\n  fix: did you mean 'belfry plugins new foo' or 'belfry tokens new foo'?\n"),
        (["run", "--config", "none.yaml"], "none.yaml\n  found: no such file"),
    ])
    func `wrong use is told, with status 2 and nothing on standard output`(arguments: [String], says: String) throws {
        let result = try place.get().belfry(arguments, input: Data())
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.contains(says), "\(result.errors)")
    }

    @Test(arguments: [
        (["run", "--config"], "--config"), (["run", "--shadow"], "--shadow"), (["serve", "--shadow"], "--shadow"),
        (["simulate", "--against"], "--against"),
    ])
    func `a configuration that is not there is to be named with the option that named it`(
        arguments: [String], option: String
    ) throws {
        let result = try place.get().belfry(arguments + ["none.yaml"], input: Data())
        #expect(result.status == 2)
        #expect(result.errors.contains("none.yaml\n  found: no such file\n"), "\(result.errors)")
        #expect(result.errors.contains("\n  fix: create it, or name another with \(option)\n"), "\(result.errors)")
    }

    @Test(arguments: [
        ["--signals", "none.jsonl"], ["--signals", "."], ["--output", "none/decisions.jsonl"],
        ["--rejects", "none/rejects.jsonl"],
        ["--store", "sqlite:none/shop.db"],
    ])
    func `a file that cannot be used is named, with why and what to do`(arguments: [String]) throws {
        let result = try place.get().belfry(["run"] + arguments, input: Data())
        #expect(result.status == 1 && result.output == "")
        #expect(result.errors.hasPrefix("cannot "))
        #expect(result.errors.contains(arguments[1].replacing("sqlite:", with: "")))
        #expect(result.errors.contains("\n  why: ") && result.errors.contains("\n  fix: "))
    }

    // MARK: Help

    @Test(arguments: [
        [], ["run"], ["serve"], ["strategies"], ["strategies", "list"], ["strategies", "describe"],
        ["strategies", "move"], ["strategies", "enable"], ["strategies", "disable"], ["plugins"], ["plugins", "list"],
        ["plugins", "check"], ["plugins", "new"], ["plugins", "lock"], ["plugins", "verify"], ["plugins", "manifest"],
        ["plugins", "sign"], ["trust"], ["trust", "add"], ["trust", "list"], ["trust", "remove"], ["config"],
        ["config", "check"], ["config", "schema"], ["bundle"], ["bundle", "create"], ["bundle", "verify"],
        ["bundle", "unpack"], ["explain"], ["simulate"], ["state"], ["state", "list"], ["state", "show"],
        ["state", "history"], ["state", "loaded"], ["state", "export"], ["state", "import"], ["state", "erase"],
        ["state", "promote"], ["state", "verify"], ["decisions"], ["decisions", "list"], ["decisions", "show"],
        ["decisions", "tail"], ["silences"], ["silences", "list"], ["silences", "add"], ["silences", "expire"],
        ["sinks"], ["sinks", "list"], ["sinks", "show"], ["sinks", "pause"], ["sinks", "resume"],
        ["sinks", "skip"], ["sinks", "resend"], ["experiments"], ["experiments", "report"], ["tokens"],
        ["tokens", "new"], ["tokens", "list"], ["tokens", "revoke"],
    ])
    func `help shows examples, each of them on one line`(command: [String]) throws {
        let examples = try Self.examples(of: command, in: place.get())
        #expect(!examples.isEmpty)
        // What is folded goes on without an indent.
        #expect(
            examples.allSatisfy { $0.hasPrefix("  ") && $0.contains("belfry") }, "\(examples.joined(separator: "\n"))")
    }

    /// In one folder, one after the other: a token that is revoked has been made.
    @Test func `the examples of silences and tokens work as they are pasted`() throws {
        let place = try Workplace(["belfry.yaml": "app: a\nserve: { tokens: tokens.yaml }\n"])
        for command in [
            ["silences", "list"], ["silences", "add"], ["silences", "expire"], ["tokens", "new"], ["tokens", "list"],
            ["tokens", "revoke"],
        ] {
            for example in try Self.examples(of: command, in: place) {
                let (status, output) = try place.shell(example)
                #expect(status == 0, "\(example): \(output)")
            }
        }
    }

    /// The lines below "Examples:" in the help of a command.
    private static func examples(of command: [String], in place: Workplace) throws -> [String] {
        let result = try place.belfry(command + ["--help"], input: Data())
        #expect(result.status == 0 && result.errors == "")
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex { $0.hasPrefix("Example") }, "no example in the help of \(command)")
        return lines[(begin + 1)...].prefix { !$0.isEmpty }.map(String.init)
    }

    @Test func `the version is told`() throws {
        let result = try belfry("--version")
        #expect(result.status == 0 && result.output.split(separator: ".").count == 3)
    }

    // MARK: A reader that goes away

    @Test
    func `when the reader of the decisions goes away, the run fails in words, and what was decided is in the store`()
        throws
    {
        let many = (1...5000).map { Self.request.replacing("ana", with: "subject-\($0)") }.asFile
        let result = try belfry("run", "--store", "sqlite:shop.db", input: many, output: try Self.pipeWithoutReader())
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot write to standard output\n  why: Broken pipe\n  fix: "))
        #expect(try belfry("state", "list", "--store", "sqlite:shop.db").lines.contains("subject-1"))
    }

    @Test(arguments: [["plugins"], ["config", "check"], ["config", "schema"], ["strategies"]])
    func `a listing that cannot be written fails in words`(command: [String]) throws {
        let result = try place.get().belfry(command, input: Data(), output: try Self.pipeWithoutReader())
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot write to standard output\n  why: Broken pipe"))
    }

    @Test func `the schema has what parameters of plugins must be`() throws {
        let schema = try JSON(try place.get().belfry("config", "schema").output)
        let strategies = schema["$defs"]?.map?["with"]?.map?["properties"]?.map
        func parameter(_ strategy: String, _ name: String) -> Fields? {
            strategies?[strategy]?.map?["anyOf"]?.list?.first?.map?["properties"]?.map?[name]?.map
        }
        #expect(parameter("cooldown", "period")?["pattern"] == .text(Duration.pattern))
        #expect(parameter("holdout", "seed")?["minLength"] == 1)
        #expect(parameter("digest", "sliding")?["required"] == ["by", "atMost"])
        #expect(parameter("max-per-period", "limits")?["items"]?.map?["required"] == ["max"])
    }

    private static func pipeWithoutReader() throws -> FileHandle {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        return pipe.fileHandleForWriting
    }

    @Test func `the output may not be the input, but both outputs may be one`() throws {
        let place = try Workplace(["belfry.yaml": "app: a\ncampaigns: []\n", "a.jsonl": ""])
        let result = try place.belfry("run", "--signals", "a.jsonl", "--output", "a.jsonl")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("--signals and --output are one file, 'a.jsonl'\n  why: "))
        let both = try place.belfry("run", "--signals", "a.jsonl", "--output", "o.jsonl", "--rejects", "o.jsonl")
        #expect(both.status == 2 && both.errors.contains("--output and --rejects are one file"))
        _ = FileManager.default.createFile(atPath: place.file("log").path, contents: nil)
        let log = try FileHandle(forWritingTo: place.file("log"))
        #expect(try place.belfry("run", "--signals", "a.jsonl", output: log).status == 0)
    }

    @Test(arguments: [
        ["--signals", "none.jsonl"], ["--store", "sqlite:nowhere/at/all.db"], ["--shadow", "none.yaml"],
        ["--trace", "taken"],
    ])
    func `a run that is refused leaves no empty files`(arguments: [String]) throws {
        let place = try Workplace(["belfry.yaml": "app: a\n", "there": "", "taken": "by another"])
        let outputs = ["--output", "o.jsonl", "--rejects", "r.jsonl"]
        #expect(try place.belfry(["run"] + outputs + arguments, input: Data()).status != 0)
        #expect(try place.belfry(["run", "--output", "there"] + arguments, input: Data()).status != 0)
        func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: place.file(name).path) }
        #expect(!exists("o.jsonl") && !exists("r.jsonl"))
        #expect(exists("there") && exists("taken"))
        #expect(try place.belfry(["run"] + outputs, input: Data()).status == 0)
        #expect(exists("o.jsonl") && exists("r.jsonl"))
    }

    @Test func `rejected lines do not go among the decisions`() throws {
        let place = try Workplace(["belfry.yaml": "app: a\n"])
        for command in [["run"], ["simulate", "--against", "belfry.yaml"]] {
            let result = try place.belfry(command + ["--rejects", "-"], input: Data())
            #expect(result.status == 2 && result.output == "")
            #expect(
                result.errors.contains(
                    """
                    --rejects is -
                      why: standard output is for decisions and reports, which would be mixed with rejected lines
                      fix: name a file, or leave it out: rejected lines go to standard error then
                    """), "\(result.errors)")
        }
    }

    @Test func `a report takes the place of nothing that is kept`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: a
            store: sqlite:s.db
            include: [more.yaml]
            experiments: [ { id: e, seed: s, variants: [ { name: x, weight: 1 }, { name: y, weight: 1 } ] } ]
            """, "more.yaml": "campaigns: []\n", "a.jsonl": "",
        ])
        #expect(try place.belfry("run", "--signals", "a.jsonl").status == 0)
        let simulate = ["simulate", "--against", "belfry.yaml", "--signals", "journal:s.db"]
        for (arguments, what) in [
            (simulate + ["--report", "s.db"], "--report names the store, "),
            (simulate + ["--report", "more.yaml"], "--report names a file of the configuration, "),
            (simulate + ["--rejects", "more.yaml"], "--rejects names a file of the configuration, "),
            (["experiments", "report", "--page", "s.db"], "--page names the store, "),
            (["experiments", "report", "--page", "more.yaml"], "--page names a file of the configuration, "),
        ] {
            let result = try place.belfry(arguments, input: Data())
            #expect(result.status == 2 && result.errors.hasPrefix(what), "\(arguments): \(result.errors)")
        }
        #expect(try place.belfry("run", "--signals", "a.jsonl").status == 0)
    }

    @Test func `what is changed at the same time is all kept`() async throws {
        let place = try Workplace(["belfry.yaml": "app: a\nserve: { tokens: tokens.yaml }\n"])
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
            for number in 1...6 {
                group.addTask { try place.belfry("tokens", "new", "t\(number)", "--role", "read").status }
                group.addTask {
                    try place.belfry("silences", "add", "campaign=c\(number)", "--for", "1h", "--comment", "x").status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 0, count: 12))
        #expect(try JSON(place.belfry("tokens", "list", "--json").output).value.list?.count == 6)
        #expect(try JSON(place.belfry("silences", "list", "--json").output).value.list?.count == 6)
    }

    @Test func `tokens are for the eyes of their owner only, and a link to them stays one`() throws {
        let place = try Workplace(["belfry.yaml": "app: a\nserve: { tokens: tokens.yaml }\n"])
        let files = FileManager.default
        try files.createDirectory(at: place.file("kept"), withIntermediateDirectories: true)
        try place.write("tokens: []\n", to: "kept/tokens.yaml")
        try files.createSymbolicLink(
            atPath: place.file("tokens.yaml").path, withDestinationPath: "kept/tokens.yaml")
        #expect(try place.belfry("tokens", "new", "laptop", "--role", "read").status == 0)
        #expect(try files.destinationOfSymbolicLink(atPath: place.file("tokens.yaml").path) == "kept/tokens.yaml")
        #expect(try files.contentsOfDirectory(atPath: place.file("kept").path) == ["tokens.yaml"])
        let attributes = try files.attributesOfItem(atPath: place.file("kept/tokens.yaml").path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try place.belfry("tokens", "list").output.contains("laptop"))
    }

    @Test(arguments: ["", "a\nb", "a\u{80}b", "a\u{85}b", "a\u{FFFE}"])
    func `a token has a name`(_ name: String) throws {
        let place = try Workplace(["belfry.yaml": "app: a\nserve: { tokens: tokens.yaml }\n"])
        let result = try place.belfry("tokens", "new", name, "--role", "read")
        #expect(result.status == 2 && result.errors.contains("why: a token needs a name of printable characters"))
        #expect(!FileManager.default.fileExists(atPath: place.file("tokens.yaml").path))
    }

    @Test func `what is written spoils neither the configuration nor the store nor another output`() throws {
        let place = try Workplace([
            "belfry.yaml": "app: a\nstore: sqlite:s.db\ninclude: [more.yaml]\n", "more.yaml": "campaigns: []\n",
            "a.jsonl": "",
        ])
        #expect(try place.belfry("run", "--signals", "a.jsonl").status == 0)
        for (option, file, what) in [
            ("--output", "belfry.yaml", "a file of the configuration"),
            ("--rejects", "more.yaml", "a file of the configuration"),
            ("--output", "s.db", "the store"),
        ] {
            let result = try place.belfry("run", "--signals", "a.jsonl", option, file)
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("\(option) names \(what), '"), "\(result.errors)")
            #expect(result.errors.contains("fix: name another file with \(option)"))
        }
        let traced = try place.belfry("run", "--signals", "a.jsonl", "--output", "t.jsonl", "--trace", "t.jsonl")
        #expect(traced.status == 2 && traced.errors.contains("--output and --trace are one file"))
        #expect(try place.belfry("run", "--signals", "a.jsonl").status == 0)
    }
}
