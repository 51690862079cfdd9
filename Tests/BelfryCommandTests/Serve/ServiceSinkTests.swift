import Foundation
import Testing

/// Sinks of a service: receipts, what an operator does, reload.
@Suite struct ServiceSinkTests {
    private static func configuration(_ sinks: String...) -> String {
        """
        app: shop
        store: sqlite:belfry.db
        campaigns:
          - { id: hello, message: Hello }
          - { id: thanks, message: It arrived, triggers: [ { on: notification.delivered } ] }
        sinks:
        \(sinks.map { "  - \($0)" }.joined(separator: "\n"))
        """
    }

    private static func request(_ id: String, of subject: String = "ana") -> String {
        #"{"id":"\#(id)","type":"notification.requested","subject":"\#(subject)","data":{"campaign":"hello"}}"#
    }

    private func post(_ id: String, to service: LiveService) async throws {
        #expect(try await service.post(Self.request(id), as: "application/x-ndjson").status == 200)
    }

    @Test func `what was delivered comes back as a signal, and campaigns may be made of it`() async throws {
        let server = try EventServer()
        let sink =
            "{ id: crm, type: webhook, url: '\(server.url)', when: { campaign.id: hello }, receipts: all, allow: [127.0.0.1] }"
        let place = try Workplace(["belfry.yaml": Self.configuration(sink)])
        let service = try LiveService(in: place)
        try await post("s-1", to: service)
        let page = try await service.wait("/v1/decisions?campaign=thanks", for: "notification.created")
        #expect(page.contains(#""cause":"ana:1/crm/notification.delivered""#), "\(page)")
        #expect(server.accepted.count == 1)
        #expect(service.stop() == 0)
    }

    @Test func `a browser that has unsubscribed is a signal, and a campaign may be made of it`() async throws {
        let server = try EventServer(then: .status(410))
        let sink =
            "{ id: browser, type: web-push, subscription: '{data.data}', vapid: { subject: 'mailto:a@shop.example', "
            + "key: q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94 }, when: { campaign.id: hello }, allow: [127.0.0.1] }"
        let place = try Workplace([
            "belfry.yaml": Self.configuration(sink).replacing("notification.delivered", with: "channel.invalidated")
        ])
        let service = try LiveService(in: place)
        let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        let subscription =
            #"{"endpoint":"\#(server.url)","keys":{"p256dh":"\#(key)","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#
        let request =
            #"{"type":"notification.requested","subject":"ana","data":{"campaign":"hello","data":\#(subscription)}}"#
        #expect(try await service.post(request, as: "application/x-ndjson").status == 200)
        let page = try await service.wait("/v1/decisions?campaign=thanks", for: "notification.created")
        #expect(page.contains(#""cause":"ana:1/browser/channel.invalidated""#), "\(page)")
        let status = try await service.get("/v1/sinks/browser").text
        #expect(status.contains(#""state":"ready""#) && status.contains(#""dropped":1"#), "\(status)")
    }

    @Test func `an operator pauses, looks, resumes; metrics and readiness tell`() async throws {
        let server = try EventServer()
        let sink = "{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.1] }"
        let place = try Workplace(["belfry.yaml": Self.configuration(sink)])
        let service = try LiveService(in: place)
        #expect(try await service.post("", as: nil, to: "/v1/sinks/crm/pause").status == 200)
        try await post("s-1", to: service)
        let paused = try await service.get("/v1/sinks").text
        #expect(paused.contains(#"{"id":"crm","type":"webhook","state":"paused","waiting":1,"#), "\(paused)")
        #expect(try await service.manage("GET", "/metrics").text.contains(#"belfry_sink_waiting{sink="crm"} 1"#))
        #expect(server.posts.isEmpty)
        #expect(try await service.post("", as: nil, to: "/v1/sinks/crm/resume").status == 200)
        #expect(server.wait(for: 1))
        try await service.wait("/v1/sinks/crm", for: #""delivered":1"#)
        let options = ["--url", service.api, "--token", service.token]
        let list = try place.belfry(["sinks", "list"] + options, input: Data())
        #expect(list.output.contains("crm   webhook  ready  0        1"), "\(list.output)\(list.errors)")
        #expect(try place.belfry(["sinks", "pause", "crm"] + options, input: Data()).status == 0)
        let shown = try place.belfry(["sinks", "show", "crm"] + options, input: Data())
        #expect(shown.output.contains(#""state":"paused""#), "\(shown.output)\(shown.errors)")
        let unknown = try place.belfry(["sinks", "pause", "nope"] + options, input: Data())
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("why: there is no such sink: 'nope'"), "\(unknown.errors)")
        #expect(try await service.post("", as: nil, to: "/v1/sinks/nope/pause").status == 404)
        #expect(try await service.post("", as: nil, to: "/v1/sinks/crm/dance").status == 404)
    }

    @Test func `410 degrades the service until somebody resumes the sink`() async throws {
        let server = try EventServer([.status(410)])
        let sink = "{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.1] }"
        let place = try Workplace(["belfry.yaml": Self.configuration(sink)])
        let service = try LiveService(in: place)
        try await post("s-1", to: service)
        try await service.wait("/v1/sinks/crm", for: #""state":"stopped""#)
        let ready = try await service.manage("GET", "/readyz?verbose")
        #expect(ready.status == 200 && ready.text.hasPrefix("degraded\n"))
        #expect(ready.text.contains("[-] sink crm: stopped: answers 410 Gone\n"), "\(ready.text)")
        _ = try await service.post("", as: nil, to: "/v1/sinks/crm/resume")
        try await service.wait("/v1/sinks/crm", for: #""delivered":1"#)
        #expect(try await service.manage("GET", "/readyz").text == "ready\n")
    }

    @Test func `a reload takes other sinks, and one that cannot be used is refused`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration("{ id: a, type: file, path: a.jsonl }")])
        let service = try LiveService(in: place)
        try await post("s-1", to: service)
        try await service.wait("/v1/sinks/a", for: #""delivered":1"#)
        try place.write(
            Self.configuration("{ id: a, type: file, path: a.jsonl }", "{ id: b, type: file, path: b.jsonl }"),
            to: "belfry.yaml")
        #expect(try await service.manage("POST", "/-/reload").status == 200)
        try await post("s-2", to: service)
        try await service.wait("/v1/sinks/b", for: #""delivered":1"#)
        try place.write(
            Self.configuration("{ id: b, type: ntfy, url: 'https://ntfy.example/x', token: '${NOWHERE_SET}' }"),
            to: "belfry.yaml")
        let refused = try await service.manage("POST", "/-/reload")
        #expect(refused.status == 422 && refused.text.contains("NOWHERE_SET"), "\(refused.text)")
        try place.write(Self.configuration("{ id: b, type: file, path: nowhere/b.jsonl }"), to: "belfry.yaml")
        let unusable = try await service.manage("POST", "/-/reload")
        #expect(unusable.status == 422)
        #expect((unusable.fields["found"] as? String)?.hasPrefix("the sink 'b' cannot be used\n  why: '") == true)
        try await post("s-3", to: service)
        try await service.wait("/v1/sinks/b", for: #""delivered":2"#)
        #expect(service.stop() == 0)
        let lines = try place.text(of: "a.jsonl").split(separator: "\n")
        let others = try place.text(of: "b.jsonl").split(separator: "\n")
        #expect(lines.count == 3 && others == lines.suffix(2))
    }

    @Test func `a file that is moved or removed is opened anew`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration("{ id: a, type: file, path: a.jsonl }")])
        let service = try LiveService(in: place)
        try await post("s-1", to: service)
        try await service.wait("/v1/sinks/a", for: #""delivered":1"#)
        try FileManager.default.moveItem(at: place.file("a.jsonl"), to: place.file("a.jsonl.1"))
        try await post("s-2", to: service)
        try await service.wait("/v1/sinks/a", for: #""delivered":2"#)
        #expect(try place.text(of: "a.jsonl.1").contains(#""id":"ana:1""#))
        #expect(try place.text(of: "a.jsonl").hasPrefix(#"{"specversion":"1.0","id":"ana:2""#))
        try FileManager.default.removeItem(at: place.file("a.jsonl"))
        try await post("s-3", to: service)
        try await service.wait("/v1/sinks/a", for: #""delivered":3"#)
        #expect(try place.text(of: "a.jsonl").hasPrefix(#"{"specversion":"1.0","id":"ana:3""#))
        #expect(service.stop() == 0)
    }

    @Test func `a file whose folder is gone keeps no service from its start`() async throws {
        let sinks = ["lost", "out"].map { "{ id: \($0), type: file, path: \($0)/all.jsonl }" }
        let place = try Workplace(["belfry.yaml": Self.configuration(sinks[0], sinks[1])])
        let service = try LiveService(in: place)
        try FileManager.default.createDirectory(at: place.file("out"), withIntermediateDirectories: false)
        try await post("s-1", to: service)
        try await service.wait("/v1/sinks/lost", for: #""state":"failing""#)
        try await service.wait("/v1/sinks/out", for: #""delivered":1"#)
        #expect(try place.text(of: "out/all.jsonl").contains(#""id":"ana:1""#))
        #expect(service.stop() == 0)
    }

    @Test func `the end does not wait for what a program has left behind`() async throws {
        let sink = "{ id: shell, type: exec, command: [/bin/sh, send.sh], timeout: 10m }"
        // In a session of its own, which no signal to the program reaches, and with the program's output. Beside all other tests what is awaited
        // here may take many minutes to come back.
        let script = "read -r line; setsid sh -c 'echo $$ > left; exec sleep 36000' & wait\n"
        let place = try Workplace(["belfry.yaml": Self.configuration(sink), "send.sh": script])
        let service = try LiveService(in: place)
        try await post("s-1", to: service)
        for _ in 0..<6_000 where (try? place.text(of: "left"))?.hasSuffix("\n") != true {
            try await Task.sleep(for: .milliseconds(5))
        }
        let left = try #require(Int32(try place.text(of: "left").dropLast()))
        defer { kill(left, SIGKILL) }
        let begin = ContinuousClock.now
        #expect(service.stop() == 0)
        #expect(ContinuousClock.now - begin < .seconds(60))
        #expect(kill(left, 0) == 0, "it held nothing open")
    }

    @Test func `what a killed service had not delivered is delivered by the next`() async throws {
        let server = try EventServer(then: .status(503))
        let sink = "{ id: crm, type: webhook, url: '\(server.url)', allow: [127.0.0.1] }"
        let place = try Workplace(["belfry.yaml": Self.configuration(sink)])
        let first = try LiveService(in: place)
        for number in 1...5 { try await post("s-\(number)", to: first) }
        #expect(server.wait(for: 1))
        first.kill()
        server.recover()
        let second = try LiveService(in: place)
        try await second.wait("/v1/sinks/crm", for: #""waiting":0"#)
        #expect(server.accepted.map { $0.headers["webhook-id"]! } == (1...5).map { "ana:\($0)" })
    }

    @Test func `a service forwards, too`() async throws {
        let server = try EventServer()
        let forward =
            "forward: { url: '\(server.url)', immediate: true }\n"
        let place = try Workplace(["belfry.yaml": forward + Self.configuration("{ id: a, type: file, path: a.jsonl }")])
        let service = try LiveService(in: place)
        let purchase = #"{"id":"p-1","type":"purchase","subject":"ana","data":{"sku":"a1"}}"#
        #expect(try await service.post(purchase, as: "application/x-ndjson").status == 200)
        #expect(server.wait(for: 1))
        #expect(server.posts[0].body.contains(#""name":"purchase""#), "\(server.posts[0].body)")
    }

    @Test func `a glance has the sinks, and the configuration none of their secrets`() async throws {
        let sink =
            "{ id: crm, type: webhook, url: 'http://127.0.0.1:9/x?key=hush', secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, headers: { X-Key: hush }, "
            + "body: { text: '*{data.title}*', count: 3, key: hush, list: [ '{id}', hush ] } }"
        let ntfy = "{ id: n, type: ntfy, url: 'https://ntfy.example/hush' }"
        let shell = "{ id: shell, type: exec, command: [/bin/true, --password, hush] }"
        let push =
            "{ id: p, type: web-push, subscription: '{data.data}', vapid: { subject: 'https://shop.example', key: "
            + "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94 } }"
        let place = try Workplace(["belfry.yaml": Self.configuration(sink, ntfy, shell, push)])
        let service = try LiveService(in: place)
        let configuration = try await service.get("/v1/config").text
        for shown in [
            #""url":"http://127.0.0.1:9/…""#, #""url":"https://ntfy.example/…""#, "/bin/true",
            #""body":{"text":"*{data.title}*","count":3,"key":"…","list":["{id}","…"]}"#,
        ] {
            #expect(configuration.contains(shown), "\(configuration)")
        }
        #expect(
            !configuration.contains("hush") && !configuration.contains("whsec") && !configuration.contains("q1dX"),
            "\(configuration)")
        let status = try await service.get("/v1/status").text
        #expect(status.contains(#""sinks":[{"id":"crm","type":"webhook","state":"ready","#), "\(status)")
    }
}
