import Testing

/// What a client in HTTP/1.0 gets, and what it need not say.
@Suite struct HTTPVersionTests {
    private func request(_ line: String, _ service: LiveService, _ fields: String..., body: String = "") -> String {
        let fields = ["Authorization: Bearer \(service.token)", "Content-Length: \(body.utf8.count)"] + fields
        return ([line] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    @Test func `an answer that comes piece by piece has no chunks, and ends with the connection`() throws {
        let (place, service) = try ServiceTests.started()
        let client = try service.client()
        let lines = "Content-Type: application/x-ndjson"
        try client.send(
            request("POST /v1/signals HTTP/1.0", service, lines, body: ServiceTests.signals(0..<2)))
        let answer = try client.rest()
        let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        #expect(parts[0].hasPrefix("HTTP/1.0 200 OK\r\n"), "\(answer)")
        #expect(parts[0].contains("Connection: close") && !parts[0].lowercased().contains("transfer-encoding"))
        #expect(parts[1].hasPrefix(#"{"id":"s-0","status":"decided""#) && parts[1].hasSuffix("}\n"), "\(answer)")
        _ = place
    }

    @Test func `every answer is the last one, in its turn`() throws {
        let (place, service) = try ServiceTests.started()
        let client = try service.client()
        let old = request("GET /v1/subjects HTTP/1.0", service, "Connection: keep-alive")
        try client.send(request("GET /v1/subjects HTTP/1.1", service, "Host: localhost") + old + old)
        let first = try client.answer()
        #expect(first.status == 200 && first.headers["connection"] == nil)
        let last = try client.answer()
        #expect(last.text == first.text && last.headers["connection"] == "close")
        #expect(throws: PlainClient.Gone.self) { try client.answer() }
        _ = place
    }

    @Test func `a client that cannot know the answer 100 gets none`() throws {
        let (place, service) = try ServiceTests.started()
        let client = try service.client()
        let fields = ["Content-Type: application/cloudevents+json", "Expect: 100-continue"]
        try client.send(
            request("POST /v1/signals HTTP/1.0", service, fields[0], fields[1], body: ServiceTests.signals(0..<1)))
        #expect(try client.answer().status == 200)
        _ = place
    }

    @Test func `the host may be left out, but not in a later version`() throws {
        let (place, service) = try ServiceTests.started()
        for (url, path) in [(service.api, "/v1/subjects"), (service.management, "/livez")] {
            let (old, new) = (try service.client(of: url), try service.client(of: url))
            try old.send(request("GET \(path) HTTP/1.0", service))
            #expect(try old.answer().status == 200)
            try new.send(request("GET \(path) HTTP/1.1", service))
            let answer = try new.answer()
            #expect(answer.status == 400 && answer.text.contains(#""code":"no-host""#), "\(answer)")
            #expect(answer.headers["content-type"] == "application/problem+json")
        }
        _ = place
    }
}
