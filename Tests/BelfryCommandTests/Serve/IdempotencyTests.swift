import BelfryJournal
import BelfryModel
import BelfryRuntime
import BelfryStore
import Foundation
import Testing

/// Requests with an `Idempotency-Key`: they are done once.
@Suite struct IdempotencyTests {
    @Test func `a request with a key is done once`() async throws {
        let (place, service) = try ServiceTests.started()
        let key = ["Idempotency-Key": "k-1"]
        let lines = ServiceTests.signals(0..<2).replacing(#""id":"s-0","#, with: "")
        let first = try await service.post(lines, as: "application/x-ndjson", headers: key)
        let again = try await service.post(lines, as: "application/x-ndjson", headers: key)
        #expect(first.text == again.text && again.headers["idempotency-replayed"] == "true")
        #expect(try await service.post(lines + "\n", as: "application/x-ndjson", headers: key).status == 422)
        #expect(
            try await service.post(lines, as: "application/x-ndjson", headers: ["Idempotency-Key": "a b"]).status == 400
        )
        #expect(ServiceTests.ids(in: try await service.get("/v1/decisions")).count == 2)
        _ = place
    }

    @Test func `a request with a key is done once, over a kill too`() async throws {
        let (place, service) = try ServiceTests.started()
        let key = ["Idempotency-Key": "k-1"]
        // Signals without an id are no duplicates; more than a batch of them, and one that is rejected.
        let lines = (0..<1500).map { #"{"type":"ping","subject":"u\#($0 % 9)","time":"2026-03-02T09:00:00Z"}"# }
        let body = ([ServiceTests.signals(0..<3), "nonsense", ServiceTests.signals(0..<1)] + lines).joined(
            separator: "\n")
        let first = try await service.post(body, as: "application/x-ndjson", headers: key)
        #expect(first.status == 200 && first.text.split(separator: "\n").count == 1505)
        service.kill()
        let next = try LiveService(in: place)
        let before = try await next.manage("GET", "/admin/v1/status").fields["journal"] as? [String: Int]
        let again = try await next.post(body, as: "application/x-ndjson", headers: key)
        #expect(again.text == first.text && again.headers["idempotency-replayed"] == "true")
        #expect(try await next.post(body + " ", as: "application/x-ndjson", headers: key).status == 422)
        let after = try await next.manage("GET", "/admin/v1/status").fields["journal"] as? [String: Int]
        #expect(before?["decisions"] == after?["decisions"])
    }

    @Test func `of a request with a key, what was erased is decided anew, and nothing else`() async throws {
        let (place, service) = try ServiceTests.started()
        let key = ["Idempotency-Key": "k-1"]
        // Without an id, a second decision of it would not pass for a duplicate.
        let nameless = ServiceTests.signals(2..<3).replacing(#""id":"s-2","#, with: "")
        let quiet = #"{"id":"q-1","type":"ping","subject":"u1","time":"2026-03-02T09:00:00Z"}"#
        let body = [quiet, ServiceTests.signals(0..<2), nameless].joined(separator: "\n")
        let first = try await service.post(body, as: "application/x-ndjson", headers: key)
        #expect(first.text.contains(#""id":"u1:1""#))
        #expect(try await service.send("DELETE", service.api + "/v1/subjects/u1", [:]).status == 200)
        let anew = try await service.post(body, as: "application/x-ndjson", headers: key)
        let (before, lines) = (first.text.split(separator: "\n"), anew.text.split(separator: "\n"))
        #expect(lines.count == 4 && [0, 1, 3].allSatisfy { lines[$0] == before[$0] }, "\(anew.text)")
        #expect(anew.text.contains(#""id":"s-1","status":"decided","decisions":[{"specversion":"1.0","id":"u1:2""#))
        #expect(anew.headers["idempotency-replayed"] == nil)
        #expect(try await service.get("/v1/subjects").fields["subjects"] as? [String] == ["u0", "u1", "u2"])
        service.kill()
        let next = try LiveService(in: place)
        let again = try await next.post(body, as: "application/x-ndjson", headers: key)
        #expect(again.text == anew.text && again.headers["idempotency-replayed"] == "true", "\(again.text)")
        #expect(ServiceTests.ids(in: try await next.get("/v1/decisions")) == ["u0:1", "u2:1", "u1:2"])
    }

    @Test func `a request of which a kill left a part is done to its end`() throws {
        let store = try OpenStore(inMemory: MemoryStore())
        let mark = RequestMark(key: "k", body: "b", isMinimal: false, count: 3)
        let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        var entry = JournalEntry(writtenAt: now)
        let piece = #"{"key":"k","body":"b","minimal":false,"count":3,"first":0,"results":[null,[0,0]]}"#
        entry[.requests] = Array((piece + "\n").utf8)
        try store.journal.append(entry)
        let log = RequestLog(store.journal)
        let found = try #require(try log.find("k", since: .distantPast))
        #expect(found.mark == mark && found.results.count == 2)
        let rest = piece.replacing(#""first":0,"results":[null,[0,0]]"#, with: #""first":2,"results":[null]"#)
        entry[.requests] = Array(rest.utf8)
        try store.journal.append(entry)
        #expect(try log.find("k", since: .distantPast)?.results.compactMap(\.self).count == 3)
        #expect(try log.find("k", since: now + Duration(milliseconds: 60_000)) == nil)
        #expect(try log.find("other", since: .distantPast) == nil)
    }
}
