import BelfryModel
import Foundation
import Testing

/// The service besides its signals, over a real socket.
@Suite struct ServiceTests {
    static let configuration = """
        app: shop
        store: sqlite:belfry.db
        chain:
          - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
        campaigns:
          - { id: hello, message: Hello, triggers: [ { on: request } ] }
        """

    static func signals(_ numbers: Range<Int>) -> String {
        numbers.map { number in
            #"{"id":"s-\#(number)","type":"notification.requested","subject":"u\#(number)","#
                + #""time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
        }.joined(separator: "\n")
    }

    static func started(_ configuration: String = configuration) throws -> (Workplace, LiveService) {
        let place = try Workplace(["belfry.yaml": configuration])
        return (place, try LiveService(in: place))
    }

    @Test func `health, readiness and metrics need no token`() async throws {
        let (place, service) = try Self.started()
        _ = try await service.post(Self.signals(0..<3) + "\nnonsense", as: "application/x-ndjson")
        #expect(try await service.manage("GET", "/livez").status == 200)
        let ready = try await service.manage("GET", "/readyz?verbose")
        #expect(ready.status == 200)
        #expect(ready.text.hasPrefix("ready\n"))
        let metrics = try await service.manage("GET", "/metrics").text
        #expect(metrics.contains(#"belfry_signals_total{type="notification.requested",result="decided"} 3"#))
        #expect(metrics.contains(#"belfry_signals_rejected_total{code="invalid-json"} 1"#))
        #expect(metrics.contains(#"belfry_batch_signals_bucket{le="+Inf"} "#))
        #expect(metrics.contains(#"belfry_config_last_reload_successful 1"#))
        #expect(
            metrics.contains(
                #"http_server_request_duration_seconds_bucket{http_request_method="POST",http_route="/v1/signals","#))
        #expect(metrics.contains(#"belfry_decisions_total{type="notification.created"} 3"#))
        _ = place
    }

    @Test func `pages of decisions skip nothing, and a cursor survives a kill`() async throws {
        let (place, service) = try Self.started()
        _ = try await service.post(Self.signals(0..<25), as: "application/x-ndjson")
        let first = try await service.get("/v1/decisions?limit=10")
        let cursor = try #require(first.fields["next"] as? String)
        service.kill()
        let next = try LiveService(in: place)
        var ids = Self.ids(in: first)
        let rest = try await next.get("/v1/decisions?after=\(cursor)")
        ids += Self.ids(in: rest)
        #expect(ids == (0..<25).map { "u\($0):1" })
        #expect(try await next.get("/v1/decisions?after=nonsense").status == 400)
        let one = try await next.get("/v1/decisions/u7:1")
        #expect((one.fields["decision"] as? [String: Any])?["subject"] as? String == "u7")
        #expect(try await next.get("/v1/decisions/nobody:1").status == 404)
    }

    @Test(arguments: ["thread", "process"])
    func `a decision says which configuration and which plugins decided it`(isolation: String) async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let service = try LiveService(in: place, "--isolation", isolation)
        _ = try await service.post(Self.signals(0..<1), as: "application/x-ndjson")
        try place.write(Self.configuration.replacing("period: 1h", with: "period: 2h"), to: "belfry.yaml")
        let reloaded = try await service.manage("POST", "/-/reload").fields["generation"] as? String
        _ = try await service.post(Self.signals(1..<2), as: "application/x-ndjson")
        service.kill()
        let next = try LiveService(in: place, "--isolation", isolation)
        let (first, second) = (try await next.get("/v1/decisions/u0:1"), try await next.get("/v1/decisions/u1:1"))
        #expect(second.fields["generation"] as? String == reloaded)
        #expect(try await next.get("/v1/config").headers["etag"] == reloaded.map { "\"\($0)\"" })
        let former = try #require(first.fields["generation"] as? String)
        #expect(former != reloaded)
        let plugins = try #require(first.fields["plugins"] as? [String: String])
        #expect(plugins["cooldown"]?.wholeMatch(of: /sha256:[0-9a-f]{64}/) != nil)
        #expect(Set(plugins.keys).isSuperset(of: ["cooldown", "actions"]))
        let shown = try place.belfry("decisions", "show", "u0:1")
        #expect(shown.output.contains(#""generation":"\#(former)""#))
    }

    static func ids(in page: LiveService.Answer) -> [String] {
        (page.fields["decisions"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    @Test func `a long poll is answered as soon as there is a decision`() async throws {
        let (place, service) = try Self.started()
        async let page = service.get("/v1/decisions?wait=30s")
        _ = try await service.post(Self.signals(0..<1), as: "application/x-ndjson")
        #expect(try await Self.ids(in: page) == ["u0:1"])
        _ = place
    }

    @Test func `subjects are shown as they are committed`() async throws {
        let (place, service) = try Self.started()
        _ = try await service.post(Self.signals(0..<3), as: "application/x-ndjson")
        #expect(try await service.get("/v1/subjects").fields["subjects"] as? [String] == ["u0", "u1", "u2"])
        let history = try await service.get("/v1/subjects/u1/history")
        #expect((history.fields["notifications"] as? [[String: Any]])?.count == 1)
        #expect(try await service.get("/v1/subjects/nobody").status == 404)
        let why = try await service.post(
            #"{"subject":"u1","campaign":"hello"}"#, as: "application/json", to: "/v1/explain")
        #expect(why.text.contains("cooldown"))
        _ = place
    }

    @Test(arguments: ["thread", "process"])
    func `whoever is erased is gone, while the others are decided`(isolation: String) async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let service = try LiveService(in: place, "--isolation", isolation)
        _ = try await service.post(Self.signals(0..<3), as: "application/x-ndjson")
        let erased = try await service.send("DELETE", service.api + "/v1/subjects/u1", [:])
        #expect(erased.status == 200)
        #expect(try await service.send("DELETE", service.api + "/v1/subjects/u1", [:]).status == 404)
        #expect(try await service.get("/v1/subjects").fields["subjects"] as? [String] == ["u0", "u2"])
        #expect(Self.ids(in: try await service.get("/v1/decisions")) == ["u0:1", "u2:1"])
        // It is decided anew, and no id comes twice.
        let again = try await service.post(Self.signals(0..<2), as: "application/x-ndjson").text
        #expect(again.contains(#""id":"s-0","status":"duplicate","decisions":[{"specversion":"1.0","id":"u0:1""#))
        #expect(again.contains(#""id":"s-1","status":"decided","decisions":[{"specversion":"1.0","id":"u1:2""#))
        #expect(service.stop() == 0)
        #expect(try place.belfry("state", "verify", "--store", "sqlite:belfry.db").status == 0)
    }

    @Test func `two spellings of a name are two subjects`() async throws {
        let (place, service) = try Self.started()
        let names = ["re\u{301}", "r\u{E9}"]
        func signal(_ name: String) -> String {
            #"{"id":"s","type":"notification.requested","subject":"\#(name)","time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
        }
        for name in names {
            let answer = try await service.post(signal(name), as: "application/x-ndjson")
            #expect(answer.text.contains("\"decided\"") && answer.text.utf8.contains("\(name):1".utf8))
        }
        for name in names {
            let again = try await service.post(signal(name), as: "application/x-ndjson").text
            #expect(again.contains("\"duplicate\"") && again.utf8.contains("\(name):1".utf8))
            let path =
                "/v1/decisions?subject="
                + name.utf8.map { $0 < 128 ? String(UnicodeScalar($0)) : "%" + String($0, radix: 16) }.joined()
            #expect((try await service.get(path).fields["decisions"] as? [Any])?.count == 1)
        }
        _ = place
    }

    @Test func `a body that is no HTTP is the fault of its sender`() async throws {
        let (place, service) = try Self.started()
        let client = try service.client()
        let head = [
            "POST /v1/signals HTTP/1.1", "Host: localhost", "Authorization: Bearer \(service.token)",
            "Content-Type: application/cloudevents+json", "Transfer-Encoding: chunked",
        ]
        try client.send(head.joined(separator: "\r\n") + "\r\n\r\nzz\r\n")
        let answer = try client.answer()
        #expect(answer.status == 400 && answer.text.contains(#""code":"malformed-body""#), "\(answer)")
        let shorter = try service.client()
        let length = head.dropLast() + ["Content-Length: 100"]
        try shorter.send(length.joined(separator: "\r\n") + "\r\n\r\n{", isLast: true)
        #expect(try shorter.answer().text.contains(#""code":"malformed-body""#))
        let other = try service.client()
        try other.send("NONSENSE\r\n\r\n")
        #expect(try other.answer().text.contains(#""code":"malformed-head""#))
        _ = place
    }

    @Test func `a decision has one id`() async throws {
        let (place, service) = try Self.started()
        _ = try await service.post(Self.signals(0..<1), as: "application/x-ndjson")
        for (id, status) in [("u0:1", 200), ("u0:01", 404), ("u0:%2B1", 404), ("u0:2", 404)] {
            #expect(try await service.get("/v1/decisions/\(id)").status == status, "\(id)")
        }
        _ = place
    }

    @Test func `an answer to HEAD has no body`() async throws {
        let (place, service) = try Self.started()
        let (client, management) = (try service.client(), try service.client(of: service.management))
        for (path, status) in [("/v1/subjects", 200), ("/v1/decisions/stream", 200), ("/nowhere", 404)] {
            let answer = try client.ask("HEAD", path)
            #expect(answer.status == status && answer.headers["content-length"] != nil)
            #expect(answer.headers["date"]?.hasSuffix(" GMT") == true)
        }
        // What a body would have had comes in front of the next answer.
        #expect(try client.ask("GET", "/v1/subjects").text == #"{"subjects":[]}"#)
        #expect(try management.ask("HEAD", "/livez").headers["content-length"] == "6")
        #expect(try management.ask("GET", "/livez").text == "alive\n")
        _ = place
    }

    @Test func `a question that names no time is asked now, however fast others' clocks are`() async throws {
        let (place, service) = try Self.started()
        for (subject, ahead) in [(0, 0.0), (1, 240)] {
            let time = (Date.now + ahead).formatted(.iso8601)
            let signal = Self.signals(subject..<subject + 1).replacing("2026-03-02T09:00:00Z", with: time)
            #expect(try await service.post(signal, as: "application/x-ndjson").text.contains("decided"))
        }
        let before = Date.now
        let why = try await service.post(
            #"{"subject":"u0","campaign":"hello"}"#, as: "application/json", to: "/v1/explain")
        let time = try #require((why.fields["time"] as? String).flatMap(Instant.init(rfc3339:)), "\(why.text)")
        let seconds = Double(time.milliseconds) / 1000
        #expect((before.timeIntervalSince1970 - 1...Date.now.timeIntervalSince1970 + 1).contains(seconds))
        _ = place
    }

    @Test func `an edit of the chain that cannot be used is taken back`() async throws {
        let place = try Workplace([
            "belfry.yaml": Self.configuration.replacing(
                "chain:\n", with: "chain:\n  - { strategy: nosuch, id: later, enabled: false }\n")
        ])
        let before = try place.text(of: "belfry.yaml")
        let service = try LiveService(in: place)
        let answer = try await service.send(
            "PATCH", service.api + "/v1/strategies", ["If-Match": "*", "Content-Type": "application/json"],
            Data(#"{"enable":"later"}"#.utf8))
        #expect(answer.status == 422, "\(answer.text)")
        #expect(try place.text(of: "belfry.yaml") == before)
        _ = place
    }

    @Test func `a token that calls too often is told so`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration + "\nserve: { limits: { rate: 2 } }\n"])
        let service = try LiveService(in: place)
        let first = try await service.get("/v1/subjects")
        #expect(first.status == 200 && first.headers["ratelimit-limit"] == "2")
        // All over one connection: on a busy machine a request of its own for each would be slow enough.
        let answers = try pipelined(50, "/v1/subjects", to: service)
        #expect(answers.contains("HTTP/1.1 429 ") && answers.lowercased().contains("\r\nretry-after: "), "\(answers)")
        #expect(try await service.manage("GET", "/livez").status == 200)
    }

    /// Asks so often without waiting for answers, and gives all of them.
    private func pipelined(_ count: Int, _ path: String, to service: LiveService) throws -> String {
        let (shell, output) = (Process(), Pipe())
        shell.executableURL = URL(filePath: "/bin/bash")
        let script = #"""
            exec 3<>"/dev/tcp/127.0.0.1/$1"
            ask() { printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\n%s\r\n' "$3" "$1" "$2" "$5"; }
            for ((i = 1; i < $4; i++)); do ask "$1" "$2" "$3" "$4" ""; done >&3
            ask "$1" "$2" "$3" "$4" $'Connection: close\r\n' >&3
            cat <&3
            """#
        let port = service.api.split(separator: ":").last.map(String.init) ?? ""
        shell.arguments = ["-c", script, "bash", port, service.token, path, "\(count)"]
        shell.standardOutput = output
        try shell.run()
        defer { shell.end() }
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    @Test func `a caller without a token, or with the wrong role, gets nothing`() async throws {
        let place = try Workplace([
            "belfry.yaml": Self.configuration + "\nserve: { tokens: tokens.yaml }\n"
        ])
        let made = try place.belfry("tokens", "new", "backend", "--role", "submit")
        #expect(made.status == 0)
        let secret = try #require(made.lines.first)
        #expect(try !place.text(of: "tokens.yaml").contains(secret))
        let service = try LiveService(in: place, token: secret)
        #expect(try await service.post(Self.signals(0..<1), as: "application/x-ndjson").status == 200)
        #expect(try await service.get("/v1/decisions").status == 403)
        let unknown = try await service.send("GET", service.api + "/v1/decisions", ["Authorization": "Bearer nonsense"])
        #expect(unknown.status == 401)
        #expect(unknown.headers["www-authenticate"] == "Bearer")
        let foreign = try await service.get("/v1/decisions", headers: ["Sec-Fetch-Site": "cross-site"])
        #expect(foreign.status == 403)
    }

    @Test(arguments: [
        ("Transfer-Encoding: gzip, chunked\r\n\r\n0", 501, "transfer-coding"),
        ("Transfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0", 401, "unauthorized"),
        ("Host: elsewhere", 400, "second-host"),
        ("Expect: the-best", 417, "expectation"),
    ])
    func `a message that would be read as another one is refused`(rest: String, status: Int, says: String) throws {
        let (_, service) = try Self.started()
        let client = try service.client()
        try client.send(
            "POST /v1/signals HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/cloudevents-batch+json\r\n\(rest)\r\n\r\n"
        )
        let answer = try client.answer()
        #expect(answer.status == status && answer.text.contains("\"\(says)\""), "\(answer)")
    }

    @Test func `an edit of the chain needs to know what it edits`() async throws {
        let (place, service) = try Self.started()
        let chain = try await service.get("/v1/strategies")
        let tag = try #require(chain.headers["etag"])
        func edit(_ headers: [String: String]) async throws -> LiveService.Answer {
            try await service.send(
                "PATCH", service.api + "/v1/strategies", headers, Data(#"{"disable":"cooldown"}"#.utf8))
        }
        #expect(try await edit([:]).status == 428)
        #expect(try await edit(["If-Match": "\"other\""]).status == 412)
        let edited = try await edit(["If-Match": tag])
        #expect(edited.status == 200)
        #expect(try #require(edited.headers["etag"]) != tag)
        #expect(try place.text(of: "belfry.yaml").contains("enabled: false"))
    }

    @Test func `a plus in a query is a blank`() async throws {
        let (place, service) = try Self.started()
        _ = try await service.post(
            Self.signals(0..<1).replacing(#""u0""#, with: #""Ana + Maria""#), as: "application/x-ndjson")
        for query in ["Ana+%2B+Maria", "Ana%20%2B%20Maria"] {
            #expect(try await service.get("/v1/decisions?subject=\(query)").text.contains(#""subject":"Ana + Maria""#))
        }
        _ = place
    }

    @Test func `the page and the description of the service are for anybody`() async throws {
        let (place, service) = try Self.started()
        let page = try await service.send("GET", service.api + "/", ["Authorization": ""])
        #expect(page.status == 200)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["content-security-policy"]?.contains("script-src 'sha256-") == true)
        #expect(try await service.get("/openapi.yaml").text.hasPrefix("openapi: 3.1"))
        _ = place
    }

    @Test func `a path has its methods, and no others`() async throws {
        let (place, service) = try Self.started()
        let answer = try await service.send("DELETE", service.api + "/v1/signals", [:])
        #expect(answer.status == 405)
        #expect(answer.headers["allow"] == "POST")
        #expect(try await service.get("/v1/nothing").status == 404)
        _ = place
    }

    @Test func `changes of the configuration come one after the other, and what is refused is not in force`()
        async throws
    {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let service = try LiveService(in: place)
        let seen = try await service.get("/v1/strategies").headers["etag"] ?? ""
        let bodies = [#"{"disable":"cooldown"}"#, #"{"enable":"cooldown"}"#, #"{"disable":"cooldown"}"#]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for body in bodies {
                group.addTask {
                    try await service.send(
                        "PATCH", service.api + "/v1/strategies",
                        ["If-Match": seen, "Content-Type": "application/json"], Data(body.utf8)
                    ).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.sorted().first == 200 && statuses.filter { $0 == 412 }.count >= 1, "\(statuses)")
        let tag = try await service.get("/v1/config").headers["etag"]
        let sinks = Self.configuration + "\nsinks: [ { id: f, type: file, path: nowhere/x.jsonl } ]\n"
        try place.write(sinks, to: "belfry.yaml")
        #expect(try await service.manage("POST", "/-/reload").status == 422)
        #expect(try await service.get("/v1/config").headers["etag"] == tag)
        #expect(service.stop() == 0)
    }

    @Test func `a signal is found by its place, whatever its id`() async throws {
        let (place, service) = try Self.started()
        let signals = ["a", "b"].map {
            #"{"id":"x","source":"/\#($0)","type":"notification.requested","subject":"q","time":"2026-03-02T09:00:00Z","#
                + #""data":{"campaign":"\#($0 == "b" ? "hello" : "none")"}}"#
        }
        let nameless =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
        let body = (signals + [nameless]).joined(separator: "\n")
        #expect(try await service.post(body, as: "application/x-ndjson").status == 200)
        let list = Self.ids(in: try await service.get("/v1/decisions"))
        for id in list where id.hasPrefix("ana") {
            #expect(
                try await service.get("/v1/decisions/\(id)").text.contains(
                    #""signal":{"type":"notification.requested""#))
        }
        let last = try #require(list.last { $0.hasPrefix("q") })
        #expect(try await service.get("/v1/decisions/\(last)").text.contains(#""source":"/b""#))
        _ = place
    }

    @Test func `a stream that was closed gives its place to another`() async throws {
        let place = try Workplace([
            "belfry.yaml": Self.configuration + "\nserve: { limits: { streams: 1 } }\n"
        ])
        let service = try LiveService(in: place)
        let first = try service.client()
        try first.send(
            "GET /v1/decisions/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(service.token)\r\n\r\n")
        try await service.wait(for: "the stream") {
            try await service.manage("GET", "/metrics").text.contains("belfry_streams 1")
        }
        #expect(try await service.get("/v1/decisions?wait=1ms&limit=1").status == 503)
        first.hangUp()
        try await service.wait(for: "its place") {
            try await service.get("/v1/decisions?wait=1ms&limit=1").status == 200
        }
    }
}
