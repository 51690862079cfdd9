import Foundation
import Testing

/// `POST /v1/signals`, over a real socket.
@Suite struct SignalServiceTests {
    private static func signal(_ id: String, of subject: String = "ana", at time: String = "2026-03-02T09:00:00Z")
        -> String
    {
        #"{"specversion":"1.0","id":"\#(id)","source":"test","type":"notification.requested","subject":"\#(subject)","#
            + #""time":"\#(time)","data":{"campaign":"hello"}}"#
    }

    private func result(_ answer: LiveService.Answer, _ index: Int = 0) throws -> [String: Any] {
        try #require((answer.fields["results"] as? [[String: Any]])?[index])
    }

    @Test func `a duplicate gets what its signal was decided to last, also after a restart`() async throws {
        let (place, service) = try ServiceTests.started()
        let signal = ServiceTests.signals(0..<1)
        let reset = #"{"type":"subject.reset","subject":"u0","time":"2026-03-02T09:01:00Z"}"#
        func ids(_ service: LiveService, _ headers: [String: String] = [:]) async throws -> String {
            let text = try await service.post(signal, as: "application/x-ndjson", headers: headers).text
            return ["u0:1", "u0:2"].filter { text.contains(#""id":"\#($0)""#) }.joined()
        }
        let key = ["Idempotency-Key": "k-1"]
        #expect(try await ids(service, key) == "u0:1")
        _ = try await service.post(reset, as: "application/x-ndjson")
        #expect(try await ids(service) == "u0:2")
        #expect(try await ids(service) == "u0:2")
        service.kill()
        let next = try LiveService(in: place)
        #expect(try await ids(next) == "u0:2")
        // The request with the key gets its own answer, and that is not the latest.
        #expect(try await ids(next, key) == "u0:1")
        #expect(try await ids(next) == "u0:2")
    }

    @Test func `an event is decided, and its decisions come with the answer`() async throws {
        let (place, service) = try ServiceTests.started()
        let answer = try await service.post(Self.signal("s-1"), as: "application/cloudevents+json")
        #expect(answer.status == 200)
        let result = try result(answer)
        #expect(result["id"] as? String == "s-1")
        #expect(result["status"] as? String == "decided")
        let decision = try #require((result["decisions"] as? [[String: Any]])?.first)
        #expect(decision["id"] as? String == "ana:1")
        #expect(decision["type"] as? String == "notification.created")
        #expect((answer.fields["counts"] as? [String: Int])?["decisions"] == 1)
        _ = place
    }

    @Test func `a CRLF at the end of a line is neither counted nor repeated`() async throws {
        let (place, service) = try ServiceTests.started()
        func line(_ id: String, _ length: Int) -> String {
            let signal = Self.signal(id, of: id)
            return signal + String(repeating: " ", count: length - signal.utf8.count) + "\r\n"
        }
        let rest = "nope\r\n\r\n" + line("long", (1 << 20) + 1) + Self.signal("last", of: "last")
        let answer = try await service.post(line("whole", 1 << 20) + rest, as: "application/x-ndjson")
        let lines = answer.text.split(separator: "\n")
        try #require(lines.count == 4, "\(lines)")
        #expect(lines[0].hasPrefix(#"{"id":"whole","status":"decided""#))
        #expect(lines[1].contains(#""input":"nope"}"#))
        #expect(lines[2].contains(#""line":4,"code":"line-too-long""#))
        #expect(lines[2].utf8.count < 500, "its beginning is enough")
        #expect(lines[3].hasPrefix(#"{"id":"last","status":"decided""#))
        _ = place
    }

    @Test func `a signal that comes again gets the decisions of the first time, after a kill too`() async throws {
        let (place, service) = try ServiceTests.started()
        let first = try await service.post(Self.signal("s-1"), as: "application/cloudevents+json")
        let again = try await service.post(Self.signal("s-1"), as: "application/cloudevents+json")
        #expect(try result(again)["status"] as? String == "duplicate")
        #expect(try bytes(of: "decisions", in: again) == bytes(of: "decisions", in: first))
        service.kill()
        let next = try LiveService(in: place)
        let afterwards = try await next.post(Self.signal("s-1"), as: "application/cloudevents+json")
        #expect(try result(afterwards)["status"] as? String == "duplicate")
        #expect(try bytes(of: "decisions", in: afterwards) == bytes(of: "decisions", in: first))
    }

    private func bytes(of name: String, in answer: LiveService.Answer) throws -> Data {
        try JSONSerialization.data(withJSONObject: try #require(try result(answer)[name]), options: .sortedKeys)
    }

    @Test func `a batch, lines and headers say the same as one event`() async throws {
        let (place, service) = try ServiceTests.started()
        let batch = try await service.post(
            "[\n  \(Self.signal("b-1", of: "bo")),\n  \(Self.signal("b-2", of: "cy"))\n]",
            as: "application/cloudevents-batch+json")
        #expect(try result(batch, 1)["id"] as? String == "b-2")
        let lines = try await service.post(
            Self.signal("l-1", of: "di") + "\n\nnonsense\n" + Self.signal("l-2", of: "eve"), as: "application/x-ndjson")
        #expect(lines.headers["content-type"] == "application/x-ndjson")
        let results = lines.text.split(separator: "\n").map(String.init)
        #expect(results.count == 3)
        #expect(results[1].contains(#""status":"rejected","reject":{"line":3,"code":"invalid-json""#))
        let binary = try await service.post(
            #"{"campaign":"hello"}"#, as: "application/json",
            headers: [
                "ce-id": "h-1", "ce-source": "test", "ce-type": "notification.requested", "ce-subject": "j%C3%BCrgen",
                "ce-time": "2026-03-02T09:00:00Z",
            ])
        let decision = try #require((try result(binary)["decisions"] as? [[String: Any]])?.first)
        #expect(decision["subject"] as? String == "jürgen")
        _ = place
    }

    @Test func `a type of CloudEvents says how an event comes, whatever is in headers besides`() async throws {
        let (place, service) = try ServiceTests.started()
        let headers = ["ce-id": "other", "ce-type": "ping", "ce-subject": "bo"]
        let one = try await service.post(Self.signal("s-1"), as: "application/cloudevents+json", headers: headers)
        #expect(try result(one)["id"] as? String == "s-1" && one.text.contains(#""id":"ana:1""#), "\(one.text)")
        let batch = try await service.post(
            "[\(Self.signal("s-2", of: "cy"))]", as: "Application/CloudEvents-Batch+JSON; charset=utf-8",
            headers: headers)
        #expect(try result(batch)["id"] as? String == "s-2" && batch.text.contains(#""id":"cy:1""#), "\(batch.text)")
        _ = place
    }

    @Test(arguments: [
        (#""x-2""#, "x-2"), (#""x \"2\" \\""#, #"x "2" \"#), (#""%22x%22""#, #""x""#), ("%22x%22", #""x""#),
        (#"x"2"#, #"x"2"#), (#""x"#, #""x"#), (#""x"2""#, #""x"2""#),
    ])
    func `a text in a header may be in quotes`(field: String, id: String) async throws {
        let (place, service) = try ServiceTests.started()
        let answer = try await service.post(
            #"{"campaign":"hello"}"#, as: "application/json",
            headers: [
                "ce-id": field, "ce-source": "test", "ce-type": #""notification.requested""#, "ce-subject": "ana",
                "ce-time": "2026-03-02T09:00:00Z",
            ])
        #expect(try result(answer)["id"] as? String == id && answer.text.contains("decided"), "\(answer.text)")
        _ = place
    }

    @Test func `a signal without a time gets the time of day, however long none came`() async throws {
        let (place, service) = try ServiceTests.started()
        let before = Date()
        let answer = try await service.post(
            Self.signal("s-1").replacing(#""time":"2026-03-02T09:00:00Z","#, with: ""),
            as: "application/cloudevents+json")
        let decision = try #require((try result(answer)["decisions"] as? [[String: Any]])?.first)
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let time = try format.parse(try #require(decision["time"] as? String))
        // Instants have milliseconds.
        #expect(time.timeIntervalSince(before) > -0.001)
        _ = place
    }

    @Test func `what wants only counts gets only counts`() async throws {
        let (place, service) = try ServiceTests.started()
        for type in ["application/cloudevents+json", "application/x-ndjson"] {
            let answer = try await service.post(
                Self.signal("m-\(type.count)", of: "\(type.count)"), as: type, headers: ["Prefer": "return=minimal"])
            #expect(answer.headers["content-type"] == "application/json")
            #expect(
                answer.text == #"{"counts":{"signals":1,"decided":1,"duplicate":0,"rejected":0,"decisions":1}}"#)
        }
        _ = place
    }

    @Test(arguments: [
        ("{", "application/cloudevents+json", 400, "invalid-json"),
        (" ", "application/cloudevents+json", 400, "invalid-json"),
        ("{}", "application/cloudevents-batch+json", 400, "invalid-json"),
        ("[{}", "application/cloudevents-batch+json", 400, "invalid-json"),
        ("[{},]", "application/cloudevents-batch+json", 400, "invalid-json"),
        (#"[{"data":1e}]"#, "application/cloudevents-batch+json", 400, "invalid-json"),
        ("x", "text/plain", 415, "unsupported-media-type"),
    ])
    func `a body that is not what its type says is a problem`(
        body: String, type: String, status: Int, code: String
    ) async throws {
        let (place, service) = try ServiceTests.started()
        let answer = try await service.post(body, as: type)
        #expect(answer.status == status)
        #expect(answer.headers["content-type"] == "application/problem+json")
        #expect(answer.fields["code"] as? String == code)
        _ = place
    }

    @Test(arguments: [
        "1e400", String(repeating: "9", count: 30), #""\ud800""#,
        String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
    ])
    func `a value that cannot be taken rejects its event alone, as that of a line`(value: String) async throws {
        let (place, service) = try ServiceTests.started()
        let odd = Self.signal("odd").replacing(#"{"campaign":"hello"}"#, with: #"{"campaign":"hello","x":\#(value)}"#)
        let line = try await service.post(odd, as: "application/x-ndjson")
        #expect(line.text.hasPrefix(#"{"status":"rejected","reject":{"line":1,"code":"invalid-json","#), "\(line.text)")
        let one = try await service.post(odd, as: "application/cloudevents+json")
        #expect(one.status == 200 && one.text.contains("[\(line.text.dropLast())]"), "\(one.text)")
        let batch = try await service.post(
            "[\(Self.signal("s-1")), \(odd), 7,\n\(Self.signal("s-2", of: "bo"))]",
            as: "application/cloudevents-batch+json")
        #expect(batch.status == 200)
        let results = try (0..<4).map { try result(batch, $0) }
        #expect(
            results.map { $0["status"] as? String } == ["decided", "rejected", "rejected", "decided"], "\(batch.text)")
        let reject = try #require(results[1]["reject"] as? [String: Any])
        #expect(reject["line"] as? Int == 2 && reject["code"] as? String == "invalid-json")
        #expect(reject["input"] as? String == odd)
        let binary = try await service.post(
            #"{"campaign":"hello","x":\#(value)}"#, as: "application/json",
            headers: [
                "ce-id": "h-1", "ce-source": "test", "ce-type": "notification.requested", "ce-subject": "ana",
                "ce-time": "2026-03-02T09:00:00Z",
            ])
        #expect(binary.status == 200)
        #expect((try result(binary)["reject"] as? [String: Any])?["code"] as? String == "invalid-json")
        _ = place
    }

    @Test func `a list without events is answered by one without results`() async throws {
        let (place, service) = try ServiceTests.started()
        let answer = try await service.post(" [ ] ", as: "application/cloudevents-batch+json")
        #expect(
            answer.text
                == #"{"results":[],"counts":{"signals":0,"decided":0,"duplicate":0,"rejected":0,"decisions":0}}"#)
        _ = place
    }

    @Test(arguments: [#"return="minimal""#, "Return = minimal; x=y", "wait=5, return=minimal"])
    func `a preference for little may be in quotes, and have parameters`(preference: String) async throws {
        let (place, service) = try ServiceTests.started()
        let answer = try await service.post(
            Self.signal("s-1"), as: "application/cloudevents+json", headers: ["Prefer": preference])
        #expect(answer.fields.keys.sorted() == ["counts"], "\(answer.text)")
        let other = try await service.post(
            Self.signal("s-2"), as: "application/cloudevents+json", headers: ["Prefer": "return=minimalist"])
        #expect(other.fields["results"] != nil, "\(other.text)")
        _ = place
    }

    @Test func `bytes that are no UTF-8 are a problem`() async throws {
        let (place, service) = try ServiceTests.started()
        let body: [UInt8] = Array("[\(Self.signal("s-1")),".utf8) + [0x22, 0xC3, 0x28, 0x22, 0x5D]
        let answer = try await service.send(
            "POST", service.api + "/v1/signals", ["Content-Type": "application/cloudevents-batch+json"], Data(body))
        #expect(answer.status == 400 && answer.fields["code"] as? String == "invalid-json", "\(answer.text)")
        _ = place
    }

    @Test func `what a service decided is what a run decides`() async throws {
        let (place, service) = try ServiceTests.started()
        let signals = (0..<200).map { number in
            Self.signal(
                "n-\(number)", of: "s\(number % 7)", at: "2026-03-02T\(10 + number / 60):\(10 + number % 50):00Z")
        }
        let answer = try await service.post(signals.joined(separator: "\n"), as: "application/x-ndjson")
        #expect(answer.text.split(separator: "\n").count == 200)
        let page = try await service.get("/v1/decisions?limit=10000")
        let served = try #require(page.fields["decisions"] as? [[String: Any]]).map { $0["id"] as? String }
        #expect(service.stop() == 0)
        let run = try place.belfry("run", "--store", "memory:", input: signals.joined(separator: "\n"))
        let ran = run.lines.map {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["id"] as? String
        }
        #expect(served == ran)
        #expect(!ran.isEmpty)
    }
}
