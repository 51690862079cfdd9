import Testing

/// Clients that wait with their body until they are told to send it.
@Suite struct ContinueTests {
    private static let configuration = ServiceTests.configuration + "\nserve: { limits: { body: 1KiB } }\n"

    private func head(_ service: LiveService, _ fields: String..., token: String? = nil) -> String {
        let fields =
            [
                "POST /v1/signals HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token ?? service.token)",
                "Expect: 100-continue",
            ] + fields
        return fields.joined(separator: "\r\n") + "\r\n\r\n"
    }

    @Test func `a body is asked for, and taken`() throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        let client = try service.client()
        for (number, type) in ["application/cloudevents+json", "application/x-ndjson"].enumerated() {
            let body = ServiceTests.signals(number..<number + 1)
            try client.send(head(service, "Content-Type: \(type)", "Content-Length: \(body.utf8.count)"))
            #expect(try client.answer().status == 100)
            try client.send(body)
            let answer = try client.answer()
            #expect(answer.status == 200 && answer.text.contains(#""status":"decided""#), "\(answer)")
        }
        _ = place
    }

    @Test func `a body that will not be taken is not asked for`() throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        let type = "Content-Type: application/cloudevents+json"
        for (head, status, code) in [
            (head(service, type, "Content-Length: 1025"), 413, "too-large"),
            (head(service, type, "Content-Length: 100", token: "nonsense"), 401, "unauthorized"),
            (head(service, "Content-Type: text/plain", "Content-Length: 100"), 415, "unsupported-media-type"),
            (head(service, type, "Content-Length: 100", "Content-Encoding: br"), 415, "unsupported-encoding"),
        ] {
            let client = try service.client()
            try client.send(head)
            let answer = try client.answer()
            #expect(answer.status == status && answer.text.contains("\"code\":\"\(code)\""), "\(answer)")
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.headers["connection"] == "close")
            #expect(throws: PlainClient.Gone.self, "the connection is closed") { try client.answer() }
        }
        _ = place
    }
}
