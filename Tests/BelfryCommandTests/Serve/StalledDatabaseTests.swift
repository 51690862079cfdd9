import BelfryModel
import BelfryPostgres
import PostgresServer
import Testing

/// A service whose database stands still, with all connections open.
@Suite struct StalledDatabaseTests {
    private func post(_ id: String, minute: Int, to service: LiveService) async throws -> LiveService.Answer {
        try await service.post(KillScene.signal(id, minute: minute), as: "application/cloudevents+json")
    }

    @Test func `requests are answered 503 while it stands still, and decided once when it goes on`() async throws {
        // Not the shared one: other tests go on with that.
        let server = try PostgresServer()
        let scene = try KillScene(store: try server.store())
        let service = try scene.start()
        #expect(try await post("m-1", minute: 0, to: service).status == 200)
        try server.pause()
        let began = ContinuousClock.now
        async let read = service.get("/v1/subjects")
        let refused = try await post("m-2", minute: 61, to: service)
        #expect(refused.status == 503, "\(refused.text)")
        #expect(refused.fields["code"] as? String == "failing" && refused.fields["fix"] != nil)
        let unread = try await read
        #expect(unread.status == 503, "\(unread.text)")
        #expect(ContinuousClock.now - began < .seconds(90))
        #expect(try await service.manage("GET", "/readyz").status == 503)
        try server.resume()
        var answer = try await post("m-2", minute: 61, to: service)
        try await service.wait(for: "an answer of the database") {
            answer = try await post("m-2", minute: 61, to: service)
            return answer.status != 503
        }
        #expect(answer.status == 200 && answer.text.contains(#""id":"ana:2""#), "\(answer.text)")
        let made = try scene.place.decisions().compactMap { Value(json: Array($0.utf8)[...])?.map?["cause"]?.text }
        #expect(made == ["m-1", "m-2"])
        #expect(service.stop() == 0)
    }

    @Test func `what another transaction has locked is to be asked for again`() async throws {
        let store = try PostgresServer.shared.get().store()
        let scene = try KillScene(store: store)
        let service = try scene.start()
        #expect(try await post("m-1", minute: 0, to: service).status == 200)
        let other = try PostgresConnection(try #require(PostgresAddress(store)))
        for (table, path) in [("belfry_pieces", "/v1/decisions"), ("belfry_records", "/v1/subjects")] {
            try other.run("BEGIN")
            try other.run("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
            let refused = try service.client().ask("GET", path)
            try other.run("ROLLBACK")
            #expect(refused.status == 503 && refused.text.contains("canceling statement due to lock timeout"))
            #expect(refused.text.contains("end what locks its tables"))
            #expect(try service.client().ask("GET", path).status == 200)
        }
    }

    @Test func `health is answered while many wait for it`() async throws {
        let server = try PostgresServer()
        let scene = try KillScene(store: try server.store())
        let service = try scene.start()
        #expect(try await post("m-1", minute: 0, to: service).status == 200)
        let request = "GET /v1/subjects HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(service.token)\r\n\r\n"
        var isSeen = false
        // The database is waited for for five seconds, and a machine may be busy for as long: then it is tried again.
        for _ in 0..<3 where !isSeen {
            try server.pause()
            let readers = try (0..<8).map { _ in try service.client() }
            for reader in readers { try reader.send(request) }
            #expect(try service.client().ask("GET", "/openapi.yaml").status == 200)
            #expect(try service.client(of: service.management).ask("GET", "/livez").status == 200)
            isSeen = readers.contains { !$0.hasAnswer }
            try server.resume()
            for reader in readers { #expect([200, 503].contains(try reader.answer().status)) }
            try await service.wait("/v1/subjects", for: "ana")
        }
        #expect(isSeen)
        #expect(service.stop() == 0)
    }

    @Test func `a command ends while it stands still, and says why`() throws {
        let server = try PostgresServer()
        let scene = try KillScene(store: try server.store())
        try server.pause()
        let result = try scene.place.belfry("decisions", "list")
        #expect(result.errors.contains("why: PostgreSQL cannot be reached: "), "\(result.errors)")
        try server.resume()
    }
}
