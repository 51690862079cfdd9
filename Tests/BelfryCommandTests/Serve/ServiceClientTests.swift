import Foundation
import Testing

/// Commands that ask a service that runs.
@Suite struct ServiceClientTests {
    private static let configuration = """
        app: shop
        store: sqlite:belfry.db
        campaigns:
          - { id: hello, message: Hello, triggers: [ { on: request } ] }
        """

    private static func request(_ number: Int) -> String {
        #"{"id":"s-\#(number)","type":"notification.requested","subject":"u \#(number)","#
            + #""time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
    }

    @Test func `decisions of a service are those of its journal, to the byte`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let service = try LiveService(in: place)
        let lines = (0..<1200).map(Self.request).joined(separator: "\n")
        _ = try await service.post(lines, as: "application/x-ndjson")
        let there = ["--url", service.api, "--token", service.token]
        let questions = [
            ["list"], ["list", "--limit", "1100"], ["list", "--subject", "u 7"], ["tail", "--lines", "3"],
        ]
        for arguments in questions {
            let served = try place.belfry(["decisions"] + arguments + there)
            #expect(served.status == 0, "\(served.errors)")
            #expect(served.output == (try place.belfry(["decisions"] + arguments).output))
        }
        let shown = try place.belfry(["decisions", "show", "u 7:1"] + there)
        #expect(shown.output == (try place.belfry("decisions", "show", "u 7:1").output))
        #expect(shown.output.contains(#""subject":"u 7""#))
    }

    @Test func `over a unix socket its own user needs no token`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let socket = place.file("api.sock").path
        let service = try LiveService(in: place, "--listen", "unix:\(socket)")
        #expect(service.api == "unix:\(socket)")
        let list = try place.belfry("silences", "list", "--url", service.api)
        #expect(list.status == 0, "\(list.errors)")
        #expect(list.output == "there are no silences\n")
        // One that is shown counts, also there.
        let refused = try place.belfry("silences", "list", "--url", service.api, "--token", "nonsense")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("a token that is not known"))
    }

    @Test func `a service that is not there, or refuses, is named`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let service = try LiveService(in: place)
        let refused = try place.belfry("decisions", "list", "--url", service.api, "--token", "nonsense")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("fix: name a token that the service knows with --token or BELFRY_TOKEN"))
        let none = try place.belfry("decisions", "list", "--url", service.api)
        #expect(none.errors.contains("fix: name a token with --token or BELFRY_TOKEN"))
        let silence = try place.belfry(
            "silences", "expire", "nothing", "--url", service.api, "--token", service.token)
        #expect(
            silence.errors == """
                the service refuses
                  why: there is no such silence: nothing
                  fix: check what is named, and that 'belfry serve' runs at '\(service.api)'

                """)
        let missing = try place.belfry(
            "decisions", "show", "nobody:1", "--url", service.api, "--token", service.token)
        #expect(missing.errors.hasPrefix("the service refuses\n  why: there is no such decision: 'nobody:1'\n  fix: "))
        let gone = try place.belfry("silences", "list", "--url", "unix:nowhere.sock")
        #expect(gone.status == 1)
        #expect(gone.errors.hasPrefix("cannot ask the service\n  why: 'unix:nowhere.sock' does not answer: "))
    }

    @Test func `silences are made and ended beside a configuration`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        #expect(try place.belfry("silences", "list").output == "there are no silences\n")
        let made = try place.belfry(
            "silences", "add", "campaign=~hel.*", "--for", "2h", "--comment", "The tills are down", "--by", "mia")
        let id = try #require(made.lines.first)
        let list = try place.belfry("silences")
        #expect(list.output.contains("active"))
        #expect(list.output.contains("campaign=~hel.*"))
        let soon = ISO8601DateFormatter().string(from: Date() + 60)
        let silenced = try place.belfry(
            "run", input: Self.request(1).replacing("2026-03-02T09:00:00Z", with: soon))
        #expect(silenced.output.contains("The tills are down"))
        #expect(try place.belfry("silences", "end", id).status == 0)
        #expect(try place.belfry("silences", "list").output.contains("expired"))
        let unknown = try place.belfry("silences", "expire", "nothing")
        #expect(unknown.status == 1 && unknown.errors.hasPrefix("there is no silence 'nothing'"))
        let senseless = try place.belfry("silences", "add", "nonsense", "--for", "2h", "--comment", "x")
        #expect(senseless.status == 2 && senseless.errors.hasPrefix("the silence makes no sense\n  why: "))
    }

    @Test(arguments: [
        ("python", "python3 client", ["decided", "u0:1", "u2:1", "go on with after=d3"]),
        ("bash", "sh client", [#""status":"decided""#, #""generation":"#]),
    ])
    func `the clients of the documentation work`(language: String, command: String, expected: [String]) async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let page = try String(
            contentsOf: PluginFiles.repository.appending(path: "docs/service.md"), encoding: .utf8)
        let sample = try #require(page.split(separator: "```\(language)\n").last?.split(separator: "\n```").first)
        try place.write(String(sample), to: "client")
        let service = try LiveService(in: place)
        let client = Process()
        client.executableURL = URL(filePath: "/bin/sh")
        client.arguments = ["-c", "\(command) > output 2>&1"]
        client.currentDirectoryURL = place.url
        client.environment = ProcessInfo.processInfo.environment.merging([
            "BELFRY_URL": service.api, "BELFRY_TOKEN": service.token,
        ]) { $1 }
        try client.run()
        client.end()
        let output = try place.text(of: "output")
        for text in expected { #expect(output.contains(text), "\(output)") }
    }

    @Test func `silences are made and ended in a service`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let service = try LiveService(in: place)
        let there = ["--url", service.api, "--token", service.token]
        let made = try place.belfry(
            ["silences", "add", "campaign=hello", "--for", "2h", "--comment", "closed", "--by", "mia"] + there)
        let id = try #require(made.lines.first)
        #expect(try place.belfry(["silences", "list"] + there).output.contains("campaign=hello"))
        let answer = try await service.post(
            Self.request(1).replacing(#""time":"2026-03-02T09:00:00Z","#, with: ""), as: "application/x-ndjson")
        #expect(answer.text.contains(#""silence":"\#(id)""#))
        #expect(try place.belfry(["silences", "expire", id] + there).status == 0)
        #expect(try place.belfry(["silences", "list"] + there).output.contains("expired"))
    }
}

extension Workplace {
    fileprivate func belfry(_ arguments: [String]) throws -> Command.Result { try belfry(arguments, input: Data()) }
}
