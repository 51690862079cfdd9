import Foundation
import Testing

/// `GET /v1/decisions` and what is below it, where clients go on and what decisions came of.
@Suite struct DecisionServiceTests {
    private static let digest = """
        app: shop
        store: sqlite:belfry.db
        chain:
          - { strategy: digest, parameters: { window: 15m } }
        campaigns:
          - { id: mail, title: "{count} mails", triggers: [ { on: request } ] }
        """

    @Test func `a decision of a timer has the signal that armed it, however long ago that came`() async throws {
        let place = try Workplace(["belfry.yaml": Self.digest])
        let service = try LiveService(in: place, "--clock", "signals")
        // Quotes in an id are written otherwise in a line.
        for (id, subject) in [(#"a \"1\""#, "ana"), (#"a \"1\""#, "bo"), ("a2", "ana")] {
            let signal =
                #"{"id":"\#(id)","type":"notification.requested","subject":"\#(subject)","time":"2026-03-02T09:00:00Z","#
                + #""data":{"campaign":"mail"}}"#
            #expect(try await service.post(signal, as: "application/x-ndjson").status == 200)
        }
        let end = #"{"id":"the-end","type":"clock.advanced","time":"2026-03-02T09:20:00Z"}"#
        #expect(try await service.post(end, as: "application/x-ndjson").status == 200)
        let page = try await service.get("/v1/decisions?subject=ana&type=notification.created")
        let id = try #require(ServiceTests.ids(in: page).last, "\(page.text)")
        let signal = try #require(try await service.get("/v1/decisions/\(id)").fields["signal"] as? [String: Any])
        #expect(signal["id"] as? String == #"a "1""# && signal["subject"] as? String == "ana")
        let shown = try place.belfry("decisions", "show", id)
        #expect(shown.output.contains(#""signal":{"id":"a \"1\"""#), "\(shown.output)")
    }

    @Test(arguments: ["sqlite:belfry.db", "memory:"])
    func `a cursor of a journal that is gone is refused, and skips nothing`(store: String) async throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        var cursor = ""
        for lives in 0..<2 {
            let service = try LiveService(in: place, "--clock", "signals", "--store", store)
            if !cursor.isEmpty {
                let page = try await service.get("/v1/decisions?after=\(cursor)")
                #expect(page.status == 410 && page.fields["found"] as? String == cursor, "\(page.text)")
            }
            _ = try await service.post(ServiceTests.signals(lives..<lives + 3), as: "application/x-ndjson")
            cursor = try #require(try await service.get("/v1/decisions").fields["next"] as? String)
            #expect(try await service.get("/v1/decisions?after=\(cursor)").status == 200)
            #expect(service.stop() == 0)
            // Whatever has not left is in the records.
            try? FileManager.default.removeItem(at: place.file("belfry.db.journal"))
        }
    }

    @Test func `a stream says where it is, though it has nothing to give`() async throws {
        let (place, service) = try ServiceTests.started()
        _ = try await service.post(ServiceTests.signals(0..<2), as: "application/x-ndjson")
        let client = try service.client()
        async let ids = withCheckedContinuation { (over: CheckedContinuation<[String], Never>) in
            Thread {
                var ids: [String] = []
                try? client.follow("/v1/decisions/stream?type=nothing", headers: [:]) { line in
                    if line.hasPrefix("id: ") { ids.append(String(line.dropFirst(4))) }
                    return ids.last?.hasPrefix("d3-") != true
                }
                over.resume(returning: ids)
            }.start()
        }
        try await service.wait(for: "the stream") {
            try await service.manage("GET", "/metrics").text.contains("belfry_streams 1")
        }
        _ = try await service.post(ServiceTests.signals(2..<3), as: "application/x-ndjson")
        let seen = await ids
        #expect(seen.first?.hasPrefix("d2-") == true && seen.last?.hasPrefix("d3-") == true, "\(seen)")
        let rest = try await service.get("/v1/decisions?after=\(seen.last ?? "")")
        #expect(rest.status == 200 && ServiceTests.ids(in: rest).isEmpty)
        _ = place
    }

    @Test func `a page of large decisions ends at 8 MiB, and the next one goes on there`() async throws {
        let configuration = """
            app: shop
            store: sqlite:belfry.db
            campaigns:
              - { id: hello, message: \(String(repeating: "x", count: 900_000)), triggers: [ { on: request } ] }
            """
        let (place, service) = try ServiceTests.started(configuration)
        let answer = try await service.post(
            ServiceTests.signals(0..<12), as: "application/x-ndjson", headers: ["Prefer": "return=minimal"])
        #expect(answer.text.contains(#""decisions":12"#), "\(answer.text)")
        let first = try await service.get("/v1/decisions?limit=10000")
        let cursor = try #require(first.fields["next"] as? String)
        let rest = try await service.get("/v1/decisions?limit=10000&after=\(cursor)")
        #expect(ServiceTests.ids(in: first).count == 10)
        #expect(ServiceTests.ids(in: first) + ServiceTests.ids(in: rest) == (0..<12).map { "u\($0):1" })
        // One that matches nothing goes on as well.
        let none = try await service.get("/v1/decisions?type=nothing")
        #expect(none.fields["next"] as? String == rest.fields["next"] as? String)
        _ = place
    }

    @Test func `a parameter that is given twice is refused`() async throws {
        let (place, service) = try ServiceTests.started()
        let answer = try await service.get("/v1/decisions?subject=a&limit=1&subject=b")
        #expect(answer.status == 400 && answer.fields["code"] as? String == "invalid-parameter", "\(answer.text)")
        #expect(answer.fields["found"] as? String == "subject")
        _ = place
    }
}
