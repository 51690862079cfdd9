import Foundation
import Testing

/// What commands other than `run` make of a plugin that ends the process.
@Suite struct FaultyCommandTests {
    private static func configuration(_ strategy: String, _ settings: String = "") -> String {
        """
        app: shop
        plugins: { directories: [plugins, bundled] }
        store: sqlite:belfry.db
        \(settings)
        chain: [ { strategy: \(strategy), control: optional } ]
        campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

        """
    }

    private static func workplace(_ plugin: String, _ settings: String = "", _ definitions: String...) throws
        -> Workplace
    {
        let place = try Workplace(["belfry.yaml": configuration(plugin, settings)])
        try PluginFiles.compile(
            [PluginFiles.own(plugin)], into: place.file("plugins"), defining: definitions[0], definitions.last!)
        return place
    }

    private static let request = Story.signal("09:00:00", "request sale") + "\n"

    // MARK: create

    @Test(arguments: [(0, "ended"), (1, "crashed with signal SIGSEGV"), (2, "ended")])
    func `one that ends the process where it is set up is a wrong configuration`(sin: Int, what: String) throws {
        let place = try Self.workplace("spoiler", "", "SIN=\(sin)")
        for command in [
            ["config", "check"], ["run"], ["run", "--isolation", "thread"],
            ["explain", "--subject", "ana", "--campaign", "sale"],
        ] {
            let result = try place.belfry(command, input: Data(Self.request.utf8))
            #expect(result.status == 2 && result.output.isEmpty, "\(command): \(result.status)")
            #expect(
                result.errors.contains("plugin 'test.spoiler' \(what)")
                    && result.errors.contains(": entry 'spoiler', hook create\n"), "\(command): \(result.errors)")
        }
    }

    @Test func `the gate of a watch refuses it, and the run goes on`() throws {
        let place = try Self.workplace("keeper", "", "SPOILED=0")
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        try PluginFiles.compile([PluginFiles.own("spoiler")], into: place.file("plugins"), defining: "SIN=0")
        try place.write(Self.configuration("spoiler"), to: "belfry.yaml")
        try run.hear("the former configuration stays in force")
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 created sale/1"])
        #expect(try run.end() == 0)
    }

    @Test func `one that does not return where it is set up is a wrong configuration`() throws {
        let place = try Self.workplace("spoiler", "", "SIN=3")
        for isolation in ["thread", "process"] {
            let result = try place.belfry("run", "--isolation", isolation, input: Self.request)
            #expect(result.status == 2 && result.output.isEmpty, "\(isolation): \(result.status)")
            #expect(
                result.errors.contains(
                    "plugin 'test.spoiler' did not return within 20s: entry 'spoiler', hook create\n"),
                "\(isolation): \(result.errors)")
        }
    }

    @Test(arguments: [7, 8])
    func `one that stops its process, or lets no signal end it, where it is set up is named, too`(sin: Int) throws {
        let place = try Self.workplace("spoiler", "", "SIN=\(sin)")
        let began = ContinuousClock.now
        let result = try place.belfry("run", "--isolation", "process", input: Self.request)
        #expect(result.status == 2 && result.output.isEmpty, "\(result.status)")
        #expect(
            result.errors.contains("plugin 'test.spoiler' did not return within 20s: entry 'spoiler', hook create\n"),
            "\(result.errors)")
        #expect(ContinuousClock.now - began < .seconds(50), "it is not waited for as long as all plugins together")
    }

    @Test func `a signal that is no crash has a name, too`() throws {
        let result = try Self.workplace("spoiler", "", "SIN=6").belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors.contains(
                "why: the process that checked it crashed with signal SIGUSR1, most likely in a plugin"),
            "\(result.errors)")
    }

    @Test func `a kill while it is set up is not its doing`() throws {
        let place = try Self.workplace("spoiler", "", "SIN=3")
        let run = try LiveRun(in: place, "--isolation", "process")
        try run.hear("the plugin is set up")
        run.kill()
        #expect(run.unheard() == "")
    }

    @Test(arguments: [(4, "ended the process"), (5, "crashed with signal SIGSEGV")])
    func `one that ends the process where it is let go is named, with the hook`(sin: Int, what: String) throws {
        let place = try Self.workplace("spoiler", "", "SIN=\(sin)")
        let sentence = """
            plugin 'test.spoiler' \(what): entry 'spoiler', hook destroy
              fix: go on without it ('belfry strategies disable spoiler'), or contain it ('--isolation process')
            """
        for command in [["run", "--isolation", "thread"], ["config", "check"]] {
            let result = try place.belfry(command, input: Data(Self.request.utf8))
            #expect(result.status == 1 && result.errors.contains(sentence), "\(command): \(result.errors)")
        }
        let contained = try place.belfry("run", "--store", "memory:", input: Self.request)
        #expect(contained.status == 0 && !contained.errors.contains("plugin"), "\(contained.errors)")
    }

    // MARK: Questions

    @Test(arguments: [
        (FaultyPlugin.Sin.crash, "it crashed with signal SIGSEGV"), (.exit, "it ended the process with status 0"),
        (.hang, "it did not return within 60ms"), (.stop, "it did not return within 60ms"),
    ])
    func `explain tells it as a fault`(sin: FaultyPlugin.Sin, why: String) throws {
        let place = try Self.workplace("faulty", "limits: { call: \(sin.limit) }", "RATE=1", "KIND=\(sin.rawValue)")
        _ = try place.belfry("run", input: Self.request)
        let result = try place.belfry("explain", "--subject", "ana", "--campaign", "sale", "--json")
        #expect(result.status == 0, "\(result.errors)")
        let entry = try JSON(result.output)["entries"]?.list?.first?.map
        #expect(entry?["verdict"] == "fault")
        #expect(entry?["message"] == .text(why))
        #expect(try place.belfry("state", "loaded", "ana").status == 0)
        #expect(try place.belfry("strategies").status == 0)
    }

    @Test func `a pointer into nowhere that a hook leaves in its state is told as a fault of that hook`() throws {
        let place = try Self.workplace("stray", "", "SIN=0")
        let result = try place.belfry("run", "--isolation", "process", input: Self.request)
        #expect(result.status == 0, "\(result.errors)")
        let decisions = try result.output.split(separator: "\n").map { try JSON(String($0)) }
        #expect(decisions.map { $0["type"] } == ["notification.created", "strategy.faulted"])
        #expect(decisions.last?["data"]?.map?["hook"] == "did_create")
        let other = try place.belfry("run", "--isolation", "thread", "--store", "memory:", input: Self.request)
        #expect(other.status == 1)
        #expect(
            other.errors.hasPrefix(
                "plugin 'test.stray' crashed with signal SIGSEGV: entry 'stray', hook did_create, subject 'ana'"),
            "\(other.errors)")
    }

    @Test(arguments: [
        (1, "'list' in its state as a list of more than 2^20 elements"),
        (2, "'list' in its state as a list without an address"),
        (3, "'text' in its state as a text of more than 2^20 bytes"),
        (4, "'text' in its state as a text that is no UTF-8"),
    ])
    func `a text or list that makes no sense in a state is told by its field`(sin: Int, what: String) throws {
        let place = try Self.workplace("stray", "", "SIN=\(sin)")
        let result = try place.belfry("run", input: Self.request)
        #expect(result.status == 0, "\(result.errors)")
        let fault = try JSON(try #require(result.lines.last))["data"]?.map
        #expect(fault?["hook"] == "did_create" && fault?["cause"] == "nonsense")
        #expect(fault?["message"] == .text("it left \(what)"))
    }

    @Test func `explain ends with a sentence where plugins run in its thread`() throws {
        let place = try Self.workplace("faulty", "isolation: thread", "RATE=1", "KIND=0")
        _ = try place.belfry("run", "--isolation", "process", input: Self.request)
        let result = try place.belfry("explain", "--subject", "ana", "--campaign", "sale")
        #expect(result.status == 1)
        #expect(
            result.errors.hasPrefix(
                "plugin 'test.faulty' crashed with signal SIGSEGV: entry 'faulty', hook should_create, subject 'ana'"))
    }

    @Test(arguments: [
        (FaultyPlugin.Sin.crash, "crashed with signal SIGSEGV"), (.exit, "ended the process"),
        (.hang, "did not return within 60ms"),
    ])
    func `simulate ends with a sentence where plugins run in its thread`(
        sin: FaultyPlugin.Sin, what: String
    ) throws {
        let place = try Self.workplace(
            "faulty", "isolation: thread\nlimits: { call: \(sin.limit) }", "RATE=1", "KIND=\(sin.rawValue)")
        try place.write(Self.request, to: "signals.jsonl")
        let result = try place.belfry("simulate", "--signals", "signals.jsonl", "--against", "belfry.yaml")
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(
            result.errors.contains(
                "plugin 'test.faulty' \(what): entry 'faulty', hook should_create, subject 'ana', signal '1'"),
            "\(result.errors)")
    }

    private static let sins: [FaultyPlugin.Sin] = [.crash, .exit, .hang, .stop, .memory, .close, .kill, .lowExit]

    @Test(
        arguments: sins.map { ($0, false, 0) } + [(.crash, true, 0), (.kill, true, 0), (.lowExit, false, 114)])
    func `simulate goes on without the call`(sin: FaultyPlugin.Sin, isPiped: Bool, status: Int) throws {
        let reports = try [sin, nil].map { sin in
            let place = try FaultyPlugin.workplace(
                sin, limit: sin?.cause == "timeout" ? "300ms" : nil, status: status)
            let other = try place.text(of: "belfry.yaml").replacing("  - { strategy: faulty }\n", with: "")
            try place.write(other, to: "other.yaml")
            let arguments = ["simulate", "--against", "other.yaml", "--json", "--first", "1000"]
            let signals = try place.text(of: "signals.jsonl")
            let result =
                isPiped
                ? try place.belfry(arguments, input: Data(signals.utf8))
                : try place.belfry(arguments + ["--signals", "signals.jsonl"], input: Data())
            // Some lines of the day are rejected.
            #expect(result.status == 3, "\(result.errors)")
            return try #require(try FaultyPlugin.comparable(result.output).first).replacing(
                /"fingerprint":"[^"]*"/, with: "")
        }
        #expect(reports[0] == reports[1])
        #expect(reports[0].contains(#""code":"fault""#))
    }
}
