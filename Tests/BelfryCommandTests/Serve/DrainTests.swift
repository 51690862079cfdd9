import Foundation
import Testing

/// A service that is asked to end, and what is under way then.
@Suite struct DrainTests {
    private let place: Workplace
    private let service: LiveService
    private let client, health: PlainClient

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:belfry.db
            campaigns:
              - { id: hello, message: Hello, triggers: [ { on: request } ] }
            """
        ])
        service = try LiveService(in: place)
        (client, health) = (try service.client(), try service.client(of: service.management))
    }

    private func signal(_ number: Int) -> String {
        #"{"specversion":"1.0","id":"s-\#(number)","source":"test","type":"notification.requested","#
            + #""subject":"\#(number)","time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
    }

    private func head(_ type: String, _ field: String) -> String {
        let fields = [
            "POST /v1/signals HTTP/1.1", "Host: localhost", "Authorization: Bearer \(service.token)",
            "Content-Type: application/\(type)", "Expect: 100-continue", field,
        ]
        return fields.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private func chunk(_ text: String) -> String { String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n" }

    /// Sends the head of a request, its beginning when that is let in, and asks the service to end. Returns when it says that it ends.
    private func sendAndAskToEnd(_ head: String, _ beginning: String) throws {
        try client.send(head)
        try #require(try client.answer().status == 100)
        try client.send(beginning)
        // What is asked now is answered after the head was looked at.
        try #require(try health.ask("GET", "/readyz").text == "ready\n")
        try askToEnd()
    }

    private func askToEnd() throws {
        service.askToEnd()
        try #require(try health.wait("/readyz", for: "draining\n"))
    }

    /// - Parameter count: of signals: a few are answered before Hummingbird, many are not.
    @Test(arguments: [1, 1000])
    func `a request that was let in is decided when its body has come`(count: Int) throws {
        let body = "[" + (0..<count).map(signal).joined(separator: ",") + "]"
        try sendAndAskToEnd(
            head("cloudevents-batch+json", "Content-Length: \(body.utf8.count)"), String(body.dropLast(100)))
        try client.send(String(body.suffix(100)))
        let answer = try client.answer()
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""counts":{"signals":\#(count),"decided":\#(count),"#))
        #expect(service.end() == 0)
    }

    @Test func `lines that wait for more end with what came`() throws {
        try client.send(head("x-ndjson", "Transfer-Encoding: chunked"))
        #expect(try client.answer().status == 100)
        try client.send(chunk(signal(1) + "\n"))
        try #require(
            try health.wait(
                "/metrics", for: #"belfry_signals_total{type="notification.requested",result="decided"} 1"#))
        try askToEnd()
        let answer = try client.answer()
        #expect(answer.status == 200)
        #expect(answer.text.hasPrefix(#"{"id":"s-1","status":"decided","#) && answer.text.hasSuffix("}\n"))
        #expect(throws: PlainClient.Gone.self, "the connection is closed") { try client.answer() }
        #expect(service.end() == 0)
    }

    @Test func `a line that has begun is decided when it is whole`() throws {
        let line = signal(1) + "\n"
        try sendAndAskToEnd(head("x-ndjson", "Transfer-Encoding: chunked"), chunk(String(line.dropLast(50))))
        try client.send(chunk(String(line.suffix(50))) + "0\r\n\r\n")
        #expect(try client.answer().text.hasPrefix(#"{"id":"s-1","status":"decided","#))
        #expect(service.end() == 0)
    }
}
