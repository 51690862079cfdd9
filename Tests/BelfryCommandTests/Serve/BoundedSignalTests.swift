import Foundation
import Testing

/// Requests that bring a few signals as a whole: they are answered before Hummingbird, and others on the same connection are not.
@Suite struct BoundedSignalTests {
    private static let configuration = """
        app: shop
        store: sqlite:belfry.db
        serve: { limits: { queue: 100 } }
        campaigns:
          - { id: hello, message: Hello, triggers: [ { on: request } ] }
        """

    private static func signal(_ id: String, of subject: String) -> String {
        #"{"specversion":"1.0","id":"\#(id)","source":"test","type":"notification.requested","subject":"\#(subject)","#
            + #""time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
    }

    private func request(
        _ line: String, _ service: LiveService, _ fields: [String] = [], body: String? = nil
    ) -> String {
        let fields = ["Host: localhost", "Authorization: Bearer \(service.token)"] + fields
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        return ([line + " HTTP/1.1"] + fields + length).joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    private func post(_ body: String, _ service: LiveService, _ fields: String...) -> String {
        request("POST /v1/signals", service, ["Content-Type: application/cloudevents+json"] + fields, body: body)
    }

    @Test func `requests that come together are answered in their order`() throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        let client = try service.client()
        try client.send(
            post(Self.signal("s-1", of: "ana"), service) + request("GET /v1/subjects/ana", service)
                + post("{", service) + post(Self.signal("s-2", of: "ana"), service)
                + request("GET /v1/nothing", service) + post(Self.signal("s-3", of: "bo"), service))
        #expect(try client.answer().text.contains(#""id":"ana:1""#))
        #expect(try client.answer().text.hasPrefix(#"{"subject":"ana""#))
        let wrong = try client.answer()
        #expect(wrong.status == 400)
        #expect(wrong.text.contains(#""code":"invalid-json""#))
        #expect(try client.answer().text.contains(#""id":"ana:2""#))
        #expect(try client.answer().status == 404)
        #expect(try client.answer().text.contains(#""id":"bo:1""#))
        _ = place
    }

    @Test func `a client that says that nothing more comes gets its answer`() throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        let client = try service.client()
        try client.send(post(Self.signal("s-1", of: "ana"), service), isLast: true)
        #expect(try client.answer().text.contains(#""id":"ana:1""#))
        #expect(throws: PlainClient.Gone.self) { try client.answer() }
        _ = place
    }

    @Test func `an answer has what all have, and says the same however the head is`() throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        let client = try service.client()
        try client.send(post(Self.signal("s-1", of: "ana"), service))
        let quick = try client.answer()
        try client.send(post(Self.signal("s-1", of: "bo"), service, "Connection: close"))
        let other = try client.answer()
        #expect(Set(quick.headers.keys) == Set(other.headers.keys))
        for (name, value) in quick.headers where !["date", "content-length"].contains(name) {
            #expect(other.headers[name] == value, "\(name)")
        }
        let format = try Regex(#"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] 20\d\d \d\d:\d\d:\d\d GMT"#)
        #expect(try format.wholeMatch(in: try #require(quick.headers["date"])) != nil)
        #expect(quick.text == other.text.replacing("bo", with: "ana"))
        #expect(throws: PlainClient.Gone.self, "the connection is closed") { try client.answer() }
        _ = place
    }

    @Test func `whoever may not post is told so`() throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        let client = try service.client()
        let asked = post(Self.signal("s-1", of: "ana"), service)
        try client.send(asked.replacing(service.token, with: "nonsense"))
        let unknown = try client.answer()
        #expect(unknown.status == 401)
        #expect(unknown.headers["www-authenticate"] == "Bearer")
        try client.send(asked.replacing("Host: localhost", with: "Host: example.org"))
        #expect(try client.answer().status == 421)
        try client.send(asked)
        #expect(try client.answer().status == 200)
        _ = place
    }

    @Test func `what finds no room is refused at once, and is taken later`() throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        let (large, small) = (try service.client(), try service.client())
        let health = try service.client(of: service.management)
        let many = "[" + (0..<10_000).map { Self.signal("m-\($0)", of: "\($0)") }.joined(separator: ",") + "]"
        let fields = ["Content-Type: application/cloudevents-batch+json"]
        try large.send(request("POST /v1/signals", service, fields, body: many))
        // What is larger than all the room comes when nothing else is there.
        try #require(try health.wait("/metrics", for: "belfry_queue_signals 0\n", toGo: true))
        let answer = try small.ask(Self.signal("s-1", of: "ana"))
        // Lines are refused as soon as their head is there, and what comes behind them has its turn.
        let lines = try service.client()
        try lines.send(
            request("POST /v1/signals", service, ["Content-Type: application/x-ndjson", "Content-Length: 12"])
                + "one\ntwo\n")
        #expect(try lines.answer().text.contains(#""code":"queue-full""#))
        try lines.send("end\n" + request("GET /v1/nothing", service))
        #expect(try lines.answer().status == 404)
        #expect(answer.status == 503)
        #expect(answer.text.contains(#""code":"queue-full""#))
        #expect(answer.headers["retry-after"] == "1")
        #expect(try large.answer().status == 200)
        #expect(try small.ask(Self.signal("last", of: "bo")).status == 200)
        #expect(try health.ask("GET", "/metrics").text.contains(#"belfry_limits_total{limit="queue"} 2"#))
        _ = place
    }
}

extension PlainClient {
    /// Posts a signal.
    fileprivate func ask(_ signal: String) throws -> (status: Int, headers: [String: String], text: String) {
        try ask(
            "POST", "/v1/signals", headers: ["Content-Type": "application/cloudevents+json"], body: Array(signal.utf8))
    }
}
