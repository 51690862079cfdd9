import BelfryModel
import Foundation
import Testing

/// `/api/v2`: silences of a service.
@Suite struct SilenceServiceTests {
    @Test func `a silence of the configuration is not changed from outside`() async throws {
        let place = try Workplace([
            "belfry.yaml": ServiceTests.configuration + "\nsilences: [ { id: conf, matchers: { campaign: hello } } ]\n"
        ])
        let service = try LiveService(in: place)
        for value in ["hello", "bye"] {
            let body =
                #"{"id":"conf","matchers":[{"name":"campaign","value":"\#(value)"}],"startsAt":"2026-01-01T00:00:00Z","#
                + #""endsAt":"2099-01-01T00:00:00Z","createdBy":"mia","comment":""}"#
            let refused = try await service.post(body, as: "application/json", to: "/api/v2/silences")
            #expect(refused.status == 400, "\(refused.text)")
            #expect((refused.json as? String)?.hasPrefix("the silence is in the configuration: conf") == true)
        }
        #expect(try await service.send("DELETE", service.api + "/api/v2/silence/conf", [:]).status == 400)
        _ = place
    }

    @Test(arguments: ["thread", "process"])
    func `a silence holds whatever has become of the configuration, and brings nothing else into force`(
        isolation: String
    ) async throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        let service = try LiveService(in: place, "--isolation", isolation)
        let body =
            #"{"matchers":[{"name":"subject","value":"u0"}],"startsAt":"2026-01-01T00:00:00Z","#
            + #""endsAt":"2099-01-01T00:00:00Z","createdBy":"mia","comment":""}"#
        func isSilenced(_ number: Int) async throws -> Bool {
            try await service.post(ServiceTests.signals(number..<number + 1), as: "application/x-ndjson").text
                .contains(#""code":"silenced""#)
        }
        try place.write(
            ServiceTests.configuration + "\nsilences: [ { matchers: { subject: u1 } } ]\n", to: "belfry.yaml")
        let first = try await service.post(body, as: "application/json", to: "/api/v2/silences")
        #expect(first.status == 200, "\(first.text)")
        #expect(try await isSilenced(0))
        #expect(try await !isSilenced(1))
        try place.write("chain: [", to: "belfry.yaml")
        let second = try await service.post(
            body.replacing("u0", with: "u2"), as: "application/json", to: "/api/v2/silences")
        #expect(second.status == 200, "\(second.text)")
        #expect(try await isSilenced(2))
        #expect(try await !isSilenced(3))
        #expect(try await service.manage("POST", "/-/reload").status == 422)
    }

    @Test func `silences that the configuration includes by itself are read where it has them`() async throws {
        let place = try Workplace([
            "belfry.yaml": ServiceTests.configuration + "\ninclude: ['./*.json']\n",
            "z.json": #"{"campaigns": [ { "id": "last", "message": "Bye" } ]}"#,
        ])
        let body =
            #"{"matchers":[{"name":"subject","value":"u0"}],"startsAt":"2026-01-01T00:00:00Z","#
            + #""endsAt":"2099-01-01T00:00:00Z","createdBy":"mia","comment":""}"#
        for _ in 0..<2 {
            let service = try LiveService(in: place)
            for _ in 0..<2 {
                let made = try await service.post(body, as: "application/json", to: "/api/v2/silences")
                #expect(made.status == 200, "\(made.text)")
            }
            // What is in force is what a reload finds.
            let tag = try await service.get("/v1/strategies").headers["etag"]
            #expect(try await service.manage("POST", "/-/reload").status == 200)
            #expect(try await service.get("/v1/strategies").headers["etag"] == tag && tag != nil)
            service.kill()
        }
    }

    @Test func `a silence is made, counted, kept over a restart, and expired`() async throws {
        let (place, first) = try ServiceTests.started()
        let body =
            #"{"matchers":[{"name":"campaign","value":"hel.*","isRegex":true}],"startsAt":"2026-01-01T00:00:00Z","#
            + #""endsAt":"2099-01-01T00:00:00Z","createdBy":"mia","comment":"The tills\#u{98} are\#u{7F} down"}"#
        let made = try await first.post(body, as: "application/json", to: "/api/v2/silences")
        let id = try #require(made.fields["silenceID"] as? String)
        #expect(
            try await first.post(ServiceTests.signals(0..<1), as: "application/x-ndjson").text.contains(
                #""silence":"\#(id)""#))
        first.kill()
        let service = try LiveService(in: place)
        let silence = try await service.get("/api/v2/silence/\(id)").fields
        #expect((silence["suppressed"] as? [String: Any])?["count"] as? Int == 1)
        #expect((silence["status"] as? [String: String])?["state"] == "active")
        let updated = try #require((silence["updatedAt"] as? String).flatMap(Instant.init(rfc3339:)))
        #expect(updated > Instant(rfc3339: "2026-01-01T00:00:00Z")!)
        // What JSON may have as it is, and YAML may not.
        #expect(silence["comment"] as? String == "The tills\u{98} are\u{7F} down")
        let matching = try await service.get("/api/v2/silences?filter=campaign=hello%20there")
        #expect((matching.json as? [Any])?.isEmpty == true)
        #expect(try await service.send("DELETE", service.api + "/api/v2/silence/\(id)", [:]).status == 200)
        let expired = try await service.get("/api/v2/silence/\(id)").fields
        #expect((expired["status"] as? [String: String])?["state"] == "expired")
        #expect(expired["updatedAt"] as? String == expired["endsAt"] as? String)
        let senseless = body.replacing("hel.*", with: "").replacing(#","isRegex":true"#, with: "")
        let refused = try await service.post(senseless, as: "application/json", to: "/api/v2/silences")
        #expect(refused.status == 400 && refused.json as? String != nil)
        // As text, these would be others, or nothing.
        for name in ["data_a!", "data.a=b", "data_a.b", "data_a "] {
            let matcher = body.replacing(#""name":"campaign""#, with: #""name":"\#(name)""#)
            let unreadable = try await service.post(matcher, as: "application/json", to: "/api/v2/silences")
            #expect(unreadable.status == 400, "\(name): \(unreadable.text)")
        }
    }
}
