import Foundation
import Testing

/// Sinks whose type is a plugin's: the built command, the real shared object, processes that crash and hang.
@Suite struct PluginSinkTests {
    private static func workplace(
        _ settings: String = "parameters: { file: rung.txt, tone: '${TONE}' }", more: String = ""
    ) throws -> Workplace {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:s.db
            plugins: { directories: [plugins] }
            campaigns:
              - { id: sale, title: Sale }
            sinks:
              - { id: tower, type: bells, types: [notification.created], \(settings) }
              - { id: copy, type: file, path: copy.jsonl }
            \(more)
            """
        ])
        try PluginFiles.compile([PluginFiles.own("bells")], into: place.file("plugins"))
        return place
    }

    private static func requests(_ numbers: Range<Int>, subjects: Int = 1) -> String {
        numbers.map { number in
            #"{"id":"s-\#(number)","type":"notification.requested","subject":"p\#(number % subjects)","#
                + #""time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
        }.asFile
    }

    private static let tone = ["TONE": "deep"]

    @discardableResult private func run(_ place: Workplace, _ numbers: Range<Int>, subjects: Int = 1) throws
        -> Command.Result
    {
        try place.belfry("run", input: Self.requests(numbers, subjects: subjects), environment: Self.tone)
    }

    private func status(_ place: Workplace) throws -> JSON {
        try JSON(try place.belfry("sinks", "show", "tower").output)
    }

    @Test func `a plugin delivers, with its parameters, in a process that ends in peace`() throws {
        let place = try Self.workplace("timeout: 4s, parameters: { file: rung.txt, tone: '${TONE}', strokes: 3 }")
        let result = try run(place, 0..<2)
        #expect(result.status == 0, "\(result.errors)")
        let rung = try place.text(of: "rung.txt").split(separator: "\n").map(String.init)
        try #require(result.lines.count == 2)
        #expect(
            rung == [
                "p0:1 p0 notification.created Sale deep 4000 1", result.lines[0],
                "p0:2 p0 notification.created Sale deep 4000 1", result.lines[1], "let go",
            ])
        // What it prints goes where errors go.
        #expect(result.errors.contains("ding\n"))
        #expect(try place.text(of: "copy.jsonl") == result.output)
        #expect(try place.belfry("sinks", "list").output.contains("tower  bells  ready  0        2"))
        #expect(try place.belfry("plugins").output.contains("bells (sink)"))
        #expect(
            try place.belfry("strategies", "describe", "bells").output == """
                bells  (sink of plugin test.bells 1.0.0)
                Rings the bells of a tower.

                PARAMETER  TYPE              DEFAULT   WHAT IT IS
                file       text              required  where it rings
                tone       text              -         how it sounds
                strokes    integer ≥ 1 ≤ 12  1         how often

                """)
    }

    @Test func `what it says of a decision is what becomes of it`() throws {
        let place = try Self.workplace()
        try place.write("later", to: "mood")
        let later = try run(place, 0..<2)
        #expect(
            later.errors.contains(
                """
                warning: sink 'tower' fails: plugin 'test.bells' says: the ringer  is asleep
                  effect: its decisions wait, in order for each subject, and are tried again
                """), "\(later.errors)")
        try place.write("fail", to: "mood")
        try run(place, 2..<2)
        #expect(try status(place)["why"] == "says: the rope is torn")
        try place.write("nonsense", to: "mood")
        try run(place, 2..<2)
        #expect(try status(place)["why"] == "says: its 'deliver' answered 77, which means nothing")
        try place.write("never", to: "mood")
        let never = try run(place, 2..<2)
        #expect(never.errors.contains("plugin 'test.bells' says: nobody lives there"), "\(never.errors)")
        #expect(try status(place)["dropped"] == 2)
        try place.write("stop", to: "mood")
        let stopped = try run(place, 2..<3)
        #expect(
            stopped.errors.contains(
                """
                warning: sink 'tower' is stopped: plugin 'test.bells' says: the tower is sold
                  fix: 'belfry sinks resume tower' when it wants decisions again
                """), "\(stopped.errors)")
        try FileManager.default.removeItem(at: place.file("mood"))
        #expect(try place.belfry("sinks", "resume", "tower", environment: Self.tone).status == 0)
        #expect(try place.belfry("sinks", "resend", "tower", environment: Self.tone).status == 0)
        try run(place, 3..<3)
        let ids = try place.text(of: "rung.txt").split(separator: "\n").filter { $0.hasPrefix("p0:") }.map {
            $0.prefix(4)
        }
        #expect(ids == ["p0:1", "p0:2", "p0:3"])
    }

    @Test(arguments: [
        ("crash", "crashed with signal SIGABRT"), ("exit", "ended its process with status 0, before it had answered"),
        ("hang", "does not answer within 300ms"),
    ])
    func `a plugin that does not answer costs its attempt, and nobody else`(mood: String, why: String) throws {
        // So short only where that is what it fails by: a busy machine takes its time to start a process.
        let timeout = mood == "hang" ? "300ms" : "30s"
        let place = try Self.workplace("timeout: \(timeout), parameters: { file: rung.txt }")
        try place.write(mood, to: "mood")
        let result = try run(place, 0..<3)
        #expect(result.status == 0)
        #expect(
            result.errors.contains("warning: sink 'tower' fails: plugin 'test.bells' \(why)\n"), "\(result.errors)")
        #expect(try place.text(of: "copy.jsonl") == result.output && result.lines.count == 3)
        #expect(try status(place)["waiting"] == 3)
        // Healed, it gets everything, in order, and all the time that a busy machine takes.
        try FileManager.default.removeItem(at: place.file("mood"))
        try place.write(try place.text(of: "belfry.yaml").replacing("300ms", with: "30s"), to: "belfry.yaml")
        let healed = try run(place, 3..<4)
        #expect(!healed.errors.contains("warning"), "\(healed.errors)")
        let rung = try place.text(of: "rung.txt").split(separator: "\n").map { $0.prefix(4) }
        #expect(rung.filter { $0.hasPrefix("p0:") } == ["p0:1", "p0:2", "p0:3", "p0:4"])
    }

    @Test func `one that cannot begin says why`() throws {
        let place = try Self.workplace("parameters: { file: rung.txt, tone: none }")
        let result = try run(place, 0..<1)
        #expect(
            result.errors.contains(
                "warning: sink 'tower' fails: plugin 'test.bells' cannot begin: a bell without a tone is none\n"),
            "\(result.errors)")
    }

    @Test func `its process ends with the host, whatever it is doing`() throws {
        let place = try Self.workplace("parameters: { file: rung.txt }")
        try place.write("hang", to: "mood")
        var sinks: [pid_t] = []
        let input = Data(Self.requests(0..<1).utf8)
        _ = try place.belfry(["run"], input: input) { process in
            try process.wait { FileManager.default.fileExists(atPath: place.file("hangs").path) }
            sinks = Self.sinks(in: place)
            kill(process.processIdentifier, SIGKILL)
        }
        try #require(sinks.count == 1)
        let deadline = Date.now + 30
        while Date.now < deadline, !Self.sinks(in: place).isEmpty { usleep(1000) }
        #expect(Self.sinks(in: place).isEmpty)
    }

    /// The processes of sinks that work there.
    private static func sinks(in place: Workplace) -> [pid_t] {
        let folder = place.url.resolvingSymlinksInPath().path
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        return numbers.filter { process in
            let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
            let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
            return name == "belfry sink\n" && place == folder
        }
    }

    // MARK: A service

    private func post(_ number: Int, to service: LiveService) async throws {
        let line = #"{"id":"s-\#(number)","type":"notification.requested","subject":"p0","data":{"campaign":"sale"}}"#
        #expect(try await service.post(line, as: "application/x-ndjson").status == 200)
    }

    @Test func `a plugin that crashes is healed while the service goes on`() async throws {
        let place = try Self.workplace("parameters: { file: rung.txt }")
        try place.write("crash", to: "mood")
        let service = try LiveService(in: place)
        try await post(1, to: service)
        try await service.wait("/v1/sinks/tower", for: "crashed with signal SIGABRT")
        try await post(2, to: service)
        try await service.wait("/v1/sinks/copy", for: #""delivered":2"#)
        try FileManager.default.removeItem(at: place.file("mood"))
        _ = try await service.post("", as: nil, to: "/v1/sinks/tower/resume")
        try await service.wait("/v1/sinks/tower", for: #""delivered":2"#)
        #expect(service.stop() == 0)
        #expect(try place.text(of: "rung.txt").hasSuffix("let go\n"))
    }

    @Test func `a reload takes another version of the plugin, and one that is wrong is refused`() async throws {
        let place = try Self.workplace("parameters: { file: rung.txt }")
        try PluginFiles.compile(
            [PluginFiles.own("bells")], into: place.file("other"), defining: "MOOD=\"later\"")
        func take(_ file: String) throws {
            try #require(rename(place.file(file).path, place.file("plugins/bells.so").path) == 0)
        }
        try FileManager.default.copyItem(at: place.file("plugins/bells.so"), to: place.file("first.so"))
        try take("other/bells.so")
        let service = try LiveService(in: place)
        try await post(1, to: service)
        try await service.wait("/v1/sinks/tower", for: "says: the ringer  is asleep")
        try take("first.so")
        #expect(try await service.manage("POST", "/-/reload").status == 200)
        try await service.wait("/v1/sinks/tower", for: #""delivered":1"#)
        try place.write(
            try place.text(of: "belfry.yaml").replacing("file: rung.txt", with: "files: rung.txt"), to: "belfry.yaml")
        let refused = try await service.manage("POST", "/-/reload")
        #expect(refused.status == 422 && refused.text.contains("the unknown parameter 'files'"), "\(refused.text)")
        try await post(2, to: service)
        try await service.wait("/v1/sinks/tower", for: #""delivered":2"#)
        #expect(service.stop() == 0)
    }

    // MARK: Mistakes

    @Test func `parameters are checked as those of a strategy, with their line`() throws {
        let place = try Self.workplace(
            "parameters: { file: 7, strokes: 13, tones: deep }", more: "  - { id: mute, type: bells }")
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                belfry.yaml:7: sinks[0].parameters.file
                  found: 7
                  expected: text

                belfry.yaml:7: sinks[0].parameters.strokes
                  found: 13
                  expected: a whole number, 1 to 12

                belfry.yaml:7: sinks[0].parameters.tones
                  found: the unknown parameter 'tones'
                  expected: one of file, tone, strokes
                  fix: did you mean 'tone'?

                belfry.yaml:9: sinks[2].parameters
                  found: no 'file'
                  expected: file: where it rings
                  fix: give 'file' text

                """)
        for isolation in ["thread", "process"] {
            #expect(try place.belfry("run", "--isolation", isolation).errors == result.errors)
        }
    }

    @Test func `a type that is nowhere is refused with what there is`() throws {
        let place = try Self.workplace(
            "parameters: { file: rung.txt }",
            more: "  - { id: c, type: bell }\n  - { id: d, type: webhok, url: x }\n")
        let result = try place.belfry("config", "check")
        let expected =
            "one of webhook, exec, file, ntfy, desktop, web-push, or one that a plugin has: the plugins in './plugins' offer bells"
        #expect(
            result.errors == """
                belfry.yaml:9: sinks[2].type
                  found: the unknown type 'bell'
                  expected: \(expected)
                  fix: did you mean 'bells'?

                belfry.yaml:10: sinks[3].type
                  found: the unknown type 'webhok'
                  expected: \(expected)
                  fix: did you mean 'webhook'?

                """)
    }

    @Test func `a variable that is not set is a mistake before anything runs`() throws {
        let result = try Self.workplace().belfry("run", input: Self.requests(0..<1))
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(
            result.errors.hasPrefix(
                "belfry.yaml:7: sinks[0].parameters.tone\n  found: the variable 'TONE', which is not set\n"),
            "\(result.errors)")
    }

    @Test func `a file that the lock does not list delivers nothing`() throws {
        let place = try Self.workplace()
        #expect(try place.belfry("plugins", "lock").status == 0)
        #expect(try run(place, 0..<1).status == 0)
        let handle = try FileHandle(forWritingTo: place.file("plugins/bells.so"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("x".utf8))
        try handle.close()
        let result = try run(place, 1..<2)
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(
            result.errors.hasPrefix(
                "cannot load plugin 'bells.so'\n  why: './plugins/bells.so' has the digest sha256:"),
            "\(result.errors)")
        #expect(result.errors.contains("belfry.yaml:7: sinks[0].type\n  found: the unknown type 'bells'\n"))
        #expect(try place.text(of: "rung.txt").contains("p0:1") && !place.text(of: "rung.txt").contains("p0:2"))
    }

    @Test func `the schema of the configuration knows it`() throws {
        let schema = try JSON(try Self.workplace().belfry("config", "schema").output)
        let sinks = schema["$defs"]?.map?["sink"]?.map?["oneOf"]?.list ?? []
        #expect(sinks.count == 7)
        #expect(
            sinks.last?.map?["properties"]?.map?["parameters"]?.map?["properties"]?.map?["file"] == [
                "type": "string", "description": "where it rings",
            ])
    }
}
