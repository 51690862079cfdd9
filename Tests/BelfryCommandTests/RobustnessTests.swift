import Foundation
import Testing

/// Attempts to break it.
@Suite struct RobustnessTests {
    private static let configuration = """
        app: shop
        chain: [ { strategy: once } ]
        campaigns: [ { id: offer, message: Now } ]
        """

    private static func request(_ subject: String, at time: String = "2026-03-02T09:00:00Z") -> String {
        #"{"type":"notification.requested","subject":"\#(subject)","time":"\#(time)","data":{"campaign":"offer"}}"#
    }

    @Test func `values nested too deep are refused, and the subject can still be read`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let nested = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        let deep =
            #"{"type":"attributes.set","subject":"ana","time":"2026-03-02T08:00:00Z","data":{"values":{"x":\#(nested)}}}"#
        let first = try place.belfry("run", "--store", "sqlite:s.db", input: deep + "\n" + Self.request("ana") + "\n")
        #expect(first.status == 3 && first.errors.contains("invalid-json") && first.lines.count == 1)
        let second = try place.belfry("run", "--store", "sqlite:s.db", input: Self.request("ana") + "\n")
        #expect(second.status == 0 && second.output.contains("notification.suppressed"), "\(second.errors)")
    }

    @Test func `a configured value nested too deep is an error`() throws {
        let nested = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        let place = try Workplace(["belfry.yaml": "app: a\ncampaigns: [ { id: offer, data: \(nested) } ]\n"])
        let result = try place.belfry("config", "check")
        #expect(result.status == 2 && result.errors.contains("a value nested 200 deep"), "\(result.errors)")
    }

    /// Swift takes the two spellings for one text; a database does not.
    @Test func `two spellings of a subject are two subjects, in one run as over a restart`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let (one, other) = (Self.request("zo\u{E9}"), Self.request("zoe\u{301}"))
        let together = try place.belfry("run", input: one + "\n" + other + "\n").output
        let apart = try [one, other].map {
            try place.belfry("run", "--store", "sqlite:s.db", input: $0 + "\n").output
        }.joined()
        #expect(together.split(separator: "\n").allSatisfy { $0.contains("notification.created") })
        #expect(together.replacing(#""cause":"2""#, with: #""cause":"1""#) == apart)
    }

    @Test func `the least priority comes last, and crashes nothing`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            regions: [ { id: dam, kind: geofence, latitude: 0, longitude: 0 } ]
            campaigns:
              - { id: last, priority: -9223372036854775808, triggers: [ { on: enter } ] }
              - { id: first, priority: 9223372036854775807, triggers: [ { on: enter } ] }
            """
        ])
        let entered =
            #"{"type":"location.updated","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"latitude":0,"longitude":0}}"#
        let result = try place.belfry("run", input: entered + "\n")
        #expect(
            try result.lines.map { try JSON($0)["data"]?.map?["campaign"] } == ["first", "last"], "\(result.errors)")
    }

    @Test func `a segment of many customers is told of in short`() throws {
        let customers = (0..<5000).map { "customer-\($0)" }.joined(separator: ", ")
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain: [ { strategy: segmentation, parameters: { customer: { $in: [\(customers)] } } } ]
            campaigns: [ { id: offer, message: Now } ]
            """
        ])
        let result = try place.belfry("run", input: Self.request("ana") + "\n")
        let reason = try JSON(result.output)["data"]?.map?["reasons"]?.list?.first?.map
        #expect(reason?["code"] == "segmentation", "\(result.output.prefix(500))")
        #expect(reason?["message"]?.text?.hasSuffix("…") == true)
    }

    @Test(arguments: [
        ("cooldown", "{ period: 9999999d }"), ("cooldown", "{ period: 1h }"),
        ("max-per-period", "{ max: 1, period: 1h }"),
        ("max-per-period", "{ max: 1, calendar: day }"),
    ])
    func `what still denies at the end of all that can be written is no fault`(
        strategy: String, parameters: String
    ) throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain: [ { strategy: \(strategy), parameters: \(parameters) } ]
            campaigns: [ { id: offer, message: Now } ]
            """
        ])
        let last = Self.request("ana", at: "9999-12-31T23:59:59.999Z") + "\n"
        let result = try place.belfry("run", input: last + last)
        #expect(
            result.lines.count == 2 && result.lines.last?.contains(#""code":"\#(strategy)""#) == true,
            "\(result.output)")
        #expect(result.lines.last?.contains("until") == false, "\(result.output)")
    }

    @Test func `a request is withdrawn with its own key`() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\ncampaigns: [ { id: offer, message: Now } ]\n"])
        let lines = ["", #","delete":true"#, ""].enumerated().map { minute, rest in
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:0\#(minute):00Z","#
                + #""data":{"campaign":"offer","key":"k"\#(rest)}}"#
        }
        let result = try place.belfry("run", input: lines.joined(separator: "\n") + "\n")
        #expect(
            try result.lines.map { try JSON($0)["type"]?.text } == ["notification.created", "notification.deleted"],
            "\(result.output)")
    }

    @Test func `a folder may have a name that looks like a pattern`() throws {
        let place = try Workplace(["signals.jsonl": Self.request("ana") + "\n"])
        try FileManager.default.createDirectory(at: place.file("p[x]/more"), withIntermediateDirectories: true)
        try place.write(Self.configuration + "\ninclude: ['more/*.yaml']\n", to: "p[x]/belfry.yaml")
        try place.write("campaigns: [ { id: more, message: Now } ]\n", to: "p[x]/more/one.yaml")
        let config = ["--config", "p[x]/belfry.yaml"]
        let made = try place.belfry(
            ["silences", "add", "campaign=offer", "--for", "2h", "--comment", "shut"] + config, input: Data())
        #expect(made.status == 0, "\(made.errors)")
        let listed = try place.belfry(["silences", "list"] + config, input: Data())
        #expect(listed.output.contains("campaign=offer"), "\(listed.output)\(listed.errors)")
        let decided = try place.belfry(["run", "--signals", "signals.jsonl"] + config, input: Data())
        #expect(decided.status == 0 && decided.lines.count == 1, "\(decided.errors)")
    }

    @Test func `what a plugin prints never meets the decisions`() throws {
        let place = try Workplace(["belfry.yaml": "plugins: { directories: [bundled, plugins] }\n" + Self.talkative])
        try PluginFiles.compile([PluginFiles.own("talker")], into: place.file("plugins"))
        let result = try place.belfry("run", input: Self.request("ana") + "\n")
        #expect(result.lines.count == 1 && result.output.hasPrefix("{"))
        #expect(result.errors.contains("la la la"))
    }

    private static let talkative = """
        app: shop
        chain: [ { strategy: talker }, { strategy: once } ]
        campaigns: [ { id: offer, message: Now } ]
        """

    @Test func `a run goes on when nobody reads what it says`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let (shell, input) = (Process(), place.url.appending(path: "signals.jsonl"))
        try place.write(Self.request("ana") + "\nnonsense\n" + Self.request("bo") + "\n", to: "signals.jsonl")
        shell.executableURL = URL(filePath: "/bin/bash")
        shell.arguments = [
            "-c", #"exec 4> >(true); wait $!; "$0" run --signals "$1" --rejects rejects.jsonl --output out.jsonl 2>&4"#,
            Command.folder.appending(path: "belfry").path, input.path,
        ]
        shell.currentDirectoryURL = place.url
        try shell.run()
        shell.end()
        #expect(shell.terminationStatus == 3)
        #expect(try place.text(of: "out.jsonl").split(separator: "\n").count == 2)
    }

    @Test(arguments: ["9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59"])
    func `a time that could not be written again is refused`(time: String) throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let result = try place.belfry("run", input: Self.request("ana", at: time) + "\n")
        #expect(result.status == 3 && result.errors.contains("invalid-attribute"))
    }

    /// The end of a silence stands in each decision that it makes.
    @Test(arguments: ["9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01"])
    func `a silence ends at a time that can be written, or is refused`(end: String) throws {
        let silence = "silences: [ { id: s, matchers: { campaign: offer }, until: '\(end)' } ]"
        let place = try Workplace(["belfry.yaml": "\(Self.configuration)\n\(silence)\n"])
        let result = try place.belfry("run", input: Self.request("ana") + "\n")
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors.contains("expected: an instant, such as 2026-03-02T09:00:00Z"), "\(result.errors)")
    }

    /// Two schedules that never agree defer a candidate to each other, twice a day until the end of time.
    @Test func `a long time passing is worked on in batches`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain:
              - { strategy: schedule, id: morning, parameters: { periods: [ { hours: ["00:00-12:00"] } ], outside: defer } }
              - { strategy: schedule, id: evening, parameters: { periods: [ { hours: ["12:00-24:00"] } ], outside: defer } }
            campaigns: [ { id: offer, message: Now } ]
            """
        ])
        let result = try place.belfry("run", "--until", "2029-03-02T00:00:00Z", input: Self.request("ana") + "\n")
        #expect(result.status == 0 && result.lines.count == 2193, "\(result.lines.count)")
        let ids = result.lines.compactMap { $0.firstMatch(of: /"id":"ana:(\d+)"/)?.1 }.compactMap { Int($0) }
        #expect(ids == Array(1...2193))
    }

    @Test func `a disabled entry needs no plugin`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain: [ { strategy: gone, enabled: false, parameters: { a: 1 } }, { strategy: once } ]
            campaigns: [ { id: offer, message: Now, with: { gone: { b: 2 } } } ]
            """
        ])
        let result = try place.belfry("run", input: Self.request("ana") + "\n")
        #expect(result.status == 0 && result.output.contains("notification.created"), "\(result.errors)")
    }

    @Test func `what is most likely a mistake is warned of before somebody taps`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            campaigns:
              - { id: offer, message: Now, onOpen: { type: urll, value: "https://a.example" }, onFire: { type: url } }
              - { id: door, kind: geotrigger, onOpen: { type: dial } }
            """
        ])
        let result = try place.belfry("config", "check")
        #expect(result.status == 0)
        #expect(
            result.errors == """
                warning: campaign 'offer', onOpen: no plugin provides the action type 'urll'; did you mean 'url'?
                warning: campaign 'offer' is a notification: it never fires, so 'onFire' does nothing
                warning: campaign 'door' is a geotrigger: it is never opened, so 'onOpen' and 'category' do nothing

                """)
    }
}
