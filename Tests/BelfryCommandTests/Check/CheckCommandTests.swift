import BelfryModel
import Foundation
import Testing

@Suite struct CheckCommandTests {
    private let place = Result { try Workplace() }

    /// A good plugin and one that looks at the clock.
    private func compiled() throws -> Workplace {
        let place = try place.get()
        let sources = ["steady", "asks-clock"].map { PluginFiles.misbehaving("Hooks/\($0)") }
        try PluginFiles.compile(sources, into: place.file("plugins"))
        return place
    }

    @Test func `a good plugin passes, a line for each check`() throws {
        let result = try compiled().belfry("plugins", "check", "plugins/steady.so", "--fuzz", "50", "--seed", "7")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines.first == "plugins/steady.so")
        #expect(
            result.lines.contains(
                "  ✓ purity        Checks leave the state alone and give the same answer when they are asked again."))
        #expect(result.lines.contains("  – migration     not applicable: it concerns nothing that this plugin offers"))
        #expect(result.lines.last == "passed: 18 checks, seed 7")
        #expect(result.errors == "")
    }

    @Test func `a sin is told in full, and the status is 1`() throws {
        let result = try compiled().belfry(
            "plugins", "check", "plugins/asks-clock.so", "--only", "determinism", "--seed", "7")
        #expect(result.status == 1)
        #expect(
            result.output == """
                plugins/asks-clock.so
                  ✗ determinism  It asks for no clock, dice or environment, and decides alike in every process.

                determinism: strategy 'steady' asks the system for 'time' in did_create
                  why: replay, simulation and explain ask again later, and must get the same answer
                  fix: take the time from the context ('now'), and leave the rest: a decision rests on parameters, state and context

                failed: 1 of 1 check, seed 7

                """)
    }

    @Test func `several plugins are told as JSON`() throws {
        let result = try compiled().belfry(
            "plugins", "check", "plugins/steady.so", "plugins/asks-clock.so", "--only", "determinism", "--only",
            "migration",
            "--json", "--seed", "7")
        #expect(result.status == 1)
        let report = try JSON(result.output)
        #expect(report["passed"] == false)
        let plugins = report["plugins"]?.list?.compactMap(\.map) ?? []
        #expect(plugins.map { $0["file"] } == ["plugins/steady.so", "plugins/asks-clock.so"])
        #expect(plugins.map { $0["passed"] } == [true, false])
        #expect(plugins.map { $0["seed"] } == ["7", "7"])
        let checks = plugins.last?["checks"]?.list?.compactMap(\.map) ?? []
        #expect(checks.map { $0["status"] } == ["not-applicable", "failed"])
        let finding = checks.last?["findings"]?.list?.first?.map
        #expect(finding?["what"] == "strategy 'steady' asks the system for 'time' in did_create")
        #expect(finding?["fix"]?.text?.hasPrefix("take the time from the context") == true)
    }

    @Test func `what needs a check that fails is not run`() throws {
        let place = try place.get()
        try PluginFiles.compile([PluginFiles.misbehaving("wrong-abi")], into: place.file("plugins"))
        let result = try place.belfry("plugins", "check", "plugins/wrong-abi.so")
        #expect(result.status == 1)
        #expect(result.lines.contains("  – identity      not run: 'root' has to pass first"))
        #expect(result.lines.contains("  – fuzz          not run: 'root' has to pass first"))
        #expect(result.lines.contains("  why: it was built for ABI 2.0; this host speaks ABI 1.0"))
    }

    @Test func `what is no shared object is told as what it is`() throws {
        let place = try place.get()
        try place.makePlugins([])
        try place.write("int main(void) { return 0; }", to: "plugins/text.so")
        try place.write("", to: "plugins/empty.so")
        let result = try place.belfry("plugins", "check", "plugins/text.so", "plugins/empty.so", "plugins")
        #expect(result.status == 1)
        for why in ["it is no shared object", "it is empty", "it is a folder"] {
            #expect(result.lines.contains("  why: \(why)"), "\(result.output)")
        }
        #expect(!result.output.contains("belfry_plugin_entry_v1"))
    }

    @Test func `parameters that the description cannot tell are given`() throws {
        let place = try compiled()
        let result = try place.belfry(
            "plugins", "check", "plugins/steady.so", "--only", "parameters", "--with", #"{"limit":"many"}"#)
        #expect(result.status == 1)
        #expect(result.output.contains("strategy 'steady' accepts no parameters"))
        #expect(
            try place.belfry("plugins", "check", "plugins/steady.so", "--only", "hooks", "--with", #"{"limit":1}"#)
                .status == 0)
    }

    @Test func `parameters may be those of a configuration's chain`() throws {
        let place = try place.get()
        try PluginFiles.compile([PluginFiles.misbehaving("Hooks/picky")], into: place.file("plugins"))
        let check = ["plugins", "check", "plugins/picky.so", "--only", "hooks"]
        let alone = try place.belfry(check, input: Data())
        #expect(alone.status == 1)
        #expect(alone.output.contains("strategy 'steady' accepts no parameters"), "\(alone.output)")
        try place.write("app: shop\nchain: [{ strategy: steady, parameters: { limit: 7777 } }]\n", to: "belfry.yaml")
        #expect(try place.belfry(check + ["--config", "belfry.yaml"], input: Data()).status == 0)
    }

    @Test(arguments: [
        (
            ["nowhere.so"],
            "cannot check 'nowhere.so'\n  why: there is no such file\n  fix: name a plugin that was built\n"
        ),
        ([], "name at least one plugin, or ask for --list"),
        (["a.so", "--list"], "--list checks nothing; leave the plugins out"),
        (["a.so", "--fuzz", "0"], "--fuzz is 0; expected 1 or more cases"),
        (["a.so", "--only", "purty"], "there is no check 'purty'; did you mean 'purity'?"),
        (["a.so", "--with", "{"], "--with is no JSON"),
        (["a.so", "--with", "{}", "--config", "a.yaml"], "parameters come from --with or from --config"),
        (["/dev/null", "--config", "a.yaml"], "a.yaml"),
    ])
    func `wrong use ends with status 2`(arguments: [String], message: String) throws {
        let result = try place.get().belfry(["plugins", "check"] + arguments, input: Data())
        #expect(result.status == 2)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.output == "")
    }

    @Test func `a file that is no plugin fails the first check`() throws {
        let place = try place.get()
        try place.write("text", to: "notes.txt")
        let result = try place.belfry("plugins", "check", "notes.txt")
        #expect(result.status == 1)
        #expect(result.lines.contains("file: belfry refuses it"))
    }

    @Test func `the checks are listed with a sentence each`() throws {
        let result = try place.get().belfry("plugins", "check", "--list")
        #expect(result.status == 0)
        #expect(result.lines.count == 21)
        #expect(result.lines.first?.hasPrefix("CHECK") == true)
        #expect(
            result.lines[1]
                == "file          It is a shared object of this ABI and machine, and the system's loader takes it.")
        let list = try JSON(place.get().belfry("plugins", "check", "--list", "--json").output)
        #expect(list.value.list?.count == 20)
    }

    @Test func `the same seed makes the same case fail`() throws {
        let place = try place.get()
        try PluginFiles.compile([PluginFiles.misbehaving("Hooks/crash-on-long-title")], into: place.file("plugins"))
        let runs = try (0..<2).map { _ in
            try place.belfry("plugins", "check", "plugins/crash-on-long-title.so", "--only", "fuzz", "--seed", "42")
                .output
        }
        #expect(runs[0].contains("of seed 42"))
        #expect(runs[0] == runs[1])
    }
}
