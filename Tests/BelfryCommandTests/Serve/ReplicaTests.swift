import BelfryModel
import Foundation
import PostgresServer
import Testing

/// Several services over one database: one decides, the others pass on to it.
@Suite struct ReplicaTests {
    private let server: PostgresServer
    private let store: String
    private let scene: KillScene

    init() throws {
        server = try PostgresServer.shared.get()
        store = try server.store()
        scene = try KillScene(store: store, replicas: 3)
    }

    /// Sends a signal until it is answered.
    private func post(_ id: String, minute: Int, to replica: LiveService) async throws -> [String] {
        while true {
            let answer = try? await replica.post(KillScene.signal(id, minute: minute), as: "application/x-ndjson")
            if let answer, answer.status == 200 {
                return (Value(json: Array(answer.text.utf8)[...])?.map?["decisions"]?.list ?? []).map(\.json)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private func readiness(_ replica: LiveService) async throws -> String {
        try await replica.manage("GET", "/readyz?verbose").text
    }

    @Test func `what is sent to any of them is decided by one, and by the next when that one is killed`() async throws {
        let first = try scene.start(0)
        let (second, third) = (try scene.start(1), try scene.start(2))
        let made = try await post("m-1", minute: 0, to: second)
        #expect(made.count == 1 && made[0].contains(#""id":"ana:1""#) && made[0].contains("notification.created"))
        #expect(try await post("m-1", minute: 0, to: third) == made, "a repeated signal gets what it got")
        #expect(
            try await readiness(third) == """
                ready
                [+] engine: standby: passes on to 127.0.0.1:\(scene.ports[0]), which decides
                [+] listener: open

                """)
        first.kill()
        #expect(try await post("m-2", minute: 1, to: second)[0].contains(#""id":"ana:2""#))
        #expect(try await post("m-1", minute: 0, to: third) == made, "also by the next one")
        #expect(try await post("m-3", minute: 61, to: third)[0].contains(#""id":"ana:3""#))
    }

    @Test func `a replica is reached where it says so, whatever it shares with the others`() async throws {
        let first = try LiveService(
            in: scene.place, "--listen", "127.0.0.1:\(scene.ports[0])", "--advertise", "localhost:\(scene.ports[0])",
            token: scene.token)
        let second = try scene.start(1)
        #expect(try await post("m-1", minute: 0, to: second)[0].contains(#""id":"ana:1""#))
        #expect(try await readiness(second).contains("standby: passes on to localhost:\(scene.ports[0])"))
        #expect(first.stop() == 0)
    }

    @Test func `one that cannot pass on says where the one that decides is reached`() async throws {
        let shared = "localhost:\(scene.ports[0])"
        let first = try LiveService(
            in: scene.place, "--listen", "127.0.0.1:\(scene.ports[0])", "--advertise", shared, token: scene.token)
        let second = try LiveService(
            in: scene.place, "--listen", "127.0.0.1:\(scene.ports[1])", "--advertise", shared, token: scene.token)
        try await first.wait(for: "the first to decide") { try await readiness(first).contains("engine: ready") }
        let obstacle = """
            [-] engine: standby: the one that decides says that it is reached at '\(shared)', as this one does: give each replica an \
            --advertise of its own

            """
        try await second.wait(for: "the second to say why") { try await readiness(second).contains(obstacle) }
        #expect(try await readiness(second).hasPrefix("starting\n"))
        #expect(first.stop() == 0)
    }

    @Test func `one that ends hands over at once, and loses nobody's answer`() async throws {
        let first = try scene.start(0)
        let second = try scene.start(1)
        _ = try await post("m-1", minute: 0, to: second)
        #expect(first.stop() == 0)
        #expect(try await post("m-2", minute: 1, to: second)[0].contains(#""id":"ana:2""#))
        #expect(second.stop() == 0)
        #expect(try scene.place.decisions(after: nil).count == 2)
    }

    @Test func `one that stood still decides nothing any more, and passes on`() async throws {
        let first = try scene.start(0)
        let second = try scene.start(1)
        _ = try await post("m-1", minute: 0, to: first)
        let kept = try second.client()
        #expect(try kept.ask("GET", "/v1/subjects").status == 200)
        first.pause()
        // The second passes on to the first, which does not answer, until the lease of that one is over.
        try await becomesDecider(second)
        #expect(try await post("m-2", minute: 1, to: second)[0].contains(#""id":"ana:2""#))
        let began = ContinuousClock.now
        _ = try? kept.ask("GET", "/v1/subjects")
        #expect(try kept.ask("GET", "/v1/subjects").status == 200)
        #expect(ContinuousClock.now - began < .seconds(20), "what was passed on to the first is closed")
        first.resume()
        #expect(try await post("m-3", minute: 2, to: first)[0].contains(#""id":"ana:3""#))
        #expect(try await readiness(first).contains("standby: passes on to 127.0.0.1:\(scene.ports[1])"))
    }

    /// Asks again while there is no replica that decides.
    private func whenDecided(_ ask: () async throws -> LiveService.Answer) async throws -> Int {
        for _ in 0..<600 {
            let status = try await ask().status
            if status < 500 { return status }
            try await Task.sleep(for: .milliseconds(50))
        }
        return 503
    }

    private func becomesDecider(_ replica: LiveService) async throws {
        for _ in 0..<600 {
            if try await readiness(replica).contains("[+] engine: ready") { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it never decides: \(try await readiness(replica))")
    }

    @Test func `a silence that was made while another one decided holds for the next, which has files of its own`()
        async throws
    {
        let other = try Workplace(["belfry.yaml": KillScene.configuration(store: store)])
        try FileManager.default.copyItem(at: scene.place.file("tokens.yaml"), to: other.file("tokens.yaml"))
        let first = try scene.start(0)
        let second = try LiveService(in: other, "--listen", "127.0.0.1:\(scene.ports[1])", token: scene.token)
        let silence = #"""
            {"matchers": [{"name": "campaign", "value": "hello", "isRegex": false, "isEqual": true}], "createdBy": "ops",
             "comment": "quiet", "startsAt": "2026-01-01T00:00:00Z", "endsAt": "2099-01-01T00:00:00Z"}
            """#
        let made = try await whenDecided {
            try await second.post(silence, as: "application/json", to: "/api/v2/silences")
        }
        #expect(made == 200)
        first.kill()
        #expect(try await post("m-1", minute: 0, to: second)[0].contains(#""code":"silenced""#))
    }

    @Test func `silences that a command changes while none decides are kept, and shared`() async throws {
        #expect(try scene.start(0).stop() == 0)
        let add = try scene.place.belfry("silences", "add", "campaign=hello", "--for", "2h", "--comment", "quiet")
        let id = try #require(add.lines.first)
        #expect(try await state(of: id) == "active")
        #expect(try scene.place.belfry("silences", "expire", id).status == 0)
        #expect(try await state(of: id) == "expired")
        // In another database there is none yet.
        _ = try server.query("DELETE FROM belfry_lines", in: store)
        #expect(try await state(of: id) == "expired")
        // Another one has files of its own.
        let files = try FileManager.default.contentsOfDirectory(at: scene.place.url, includingPropertiesForKeys: nil)
        for file in files where file.lastPathComponent.hasPrefix("belfry.silences.") {
            try FileManager.default.removeItem(at: file)
        }
        #expect(try await state(of: id) == "expired")
    }

    @Test func `silences that were shared in one database are kept where the configuration goes to another`()
        async throws
    {
        let add = ["silences", "add", "campaign=hello", "--for", "2h", "--comment", "quiet"]
        let own = try #require(try scene.place.belfry(add, input: Data()).lines.first)
        #expect(try await state(of: own) == "active")
        let second = try server.store()
        let other = try KillScene(store: second)
        let theirs = try #require(try other.place.belfry(add, input: Data()).lines.first)
        #expect(try await state(of: theirs, in: other) == "active")
        try scene.place.write(KillScene.configuration(store: second), to: "belfry.yaml")
        #expect(try await state(of: own) == "active")
        #expect(try await state(of: theirs) == "active")
        #expect(try await state(of: own, in: other) == "active")
    }

    /// In a service that is started for it.
    private func state(of silence: String, in scene: KillScene? = nil) async throws -> String {
        let service = try (scene ?? self.scene).start()
        defer { #expect(service.stop() == 0) }
        try await becomesDecider(service)
        let answer = try await service.get("/api/v2/silence/\(silence)")
        return Value(json: Array(answer.text.utf8)[...])?.map?["status"]?.map?["state"]?.text ?? answer.text
    }

    @Test func `one that stands by goes on with that when its connection is cut`() async throws {
        let first = try scene.start(0)
        let second = try scene.start(1)
        _ = try await post("m-1", minute: 0, to: second)
        let cut = """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE query LIKE '%FROM belfry_lease WHERE NOT%' AND pid <> pg_backend_pid()
            """
        for _ in 0..<3 {
            while try server.query(cut).isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        }
        // It has a connection again, or would have said that it had none.
        while try server.query(cut).isEmpty { #expect(try await readiness(second).contains("standby: passes on to")) }
        let metrics = try await second.manage("GET", "/metrics").text
        #expect(metrics.contains("\nbelfry_engine_failures_total 0\n"))
        withExtendedLifetime(first) {}
    }

    @Test func `who waits for an answer that is passed on is not the one that makes room`() async throws {
        let other = try Workplace([
            "belfry.yaml": KillScene.configuration(store: store).replacing(
                "tokens.yaml }", with: "tokens.yaml, limits: { connections: 2 } }")
        ])
        try FileManager.default.copyItem(at: scene.place.file("tokens.yaml"), to: other.file("tokens.yaml"))
        let first = try scene.start(0)
        _ = try await post("m-1", minute: 0, to: first)
        let cursor = try await first.get("/v1/decisions").fields["next"] as? String ?? ""
        let second = try LiveService(in: other, "--listen", "127.0.0.1:\(scene.ports[1])", token: scene.token)
        let waiting = try second.client()
        try waiting.send(
            "GET /v1/decisions?after=\(cursor)&wait=30s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(scene.token)\r\n\r\n"
        )
        let others = try (0..<3).map { _ in try second.client() }
        for other in others { #expect(try other.ask("GET", "/v1/subjects").status == 200) }
        _ = try await post("m-2", minute: 61, to: first)
        let answer = try waiting.answer()
        #expect(answer.status == 200 && answer.text.contains(#""id":"ana:2""#))
    }

    @Test func `a shadow is refused at once, also while another replica decides`() throws {
        let first = try scene.start(0)
        let refused = try scene.place.belfry(
            ["serve", "--listen", "127.0.0.1:\(scene.ports[1])", "--manage", "127.0.0.1:0", "--shadow", "belfry.yaml"],
            input: Data(),
            started: { process in
                // One that stands by would go on.
                DispatchQueue.global().asyncAfter(deadline: .now() + 60) { process.terminate() }
            })
        #expect(refused.status == 1 && refused.errors.contains("there is no shadow beside '"), "\(refused.errors)")
        #expect(refused.errors.contains("  why: the store of a shadow is a file beside that of its run"))
        #expect(first.stop() == 0)
    }

    @Test func `a stream goes through the replica that passes on`() async throws {
        let first = try scene.start(0)
        let second = try scene.start(1)
        _ = try await post("m-1", minute: 0, to: first)
        let page = try await second.get("/v1/decisions")
        let cursor = page.fields["next"] as? String ?? ""
        let client = PlainClient(port: scene.ports[1], token: scene.token)
        async let seen = withCheckedContinuation { over in
            Thread {
                var lines: [String] = []
                try? client.follow("/v1/decisions/stream", headers: ["Last-Event-ID": cursor]) { line in
                    if line.hasPrefix("data: ") { lines.append(line) }
                    return lines.count < 2
                }
                over.resume(returning: lines)
            }.start()
        }
        _ = try await post("m-2", minute: 1, to: first)
        _ = try await post("m-3", minute: 61, to: second)
        #expect(await seen.map { $0.contains("notification.created") } == [false, true])
    }
}
