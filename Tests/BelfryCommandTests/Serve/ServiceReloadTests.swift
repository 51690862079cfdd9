import Foundation
import Testing

/// A service that reads its configuration anew.
@Suite struct ServiceReloadTests {
    private static let configuration = """
        app: shop
        store: sqlite:belfry.db
        campaigns:
          - { id: hello, message: Hello, triggers: [ { on: request } ] }
        """
    private static let signal =
        #"{"id":"s-1","type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#

    @Test func `a reload takes what is right, and refuses the rest with all errors`() async throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        try place.write(Self.configuration.replacing("message: Hello", with: "mesage: Hello"), to: "belfry.yaml")
        let refused = try await service.manage("POST", "/-/reload")
        #expect(refused.status == 422)
        #expect((refused.fields["errors"] as? [[String: Any]])?.count == 1)
        try place.write(Self.configuration.replacing("message: Hello", with: "message: Goodbye"), to: "belfry.yaml")
        let taken = try await service.manage("POST", "/-/reload")
        #expect(taken.status == 200 && taken.fields["restart"] == nil)
        let answer = try await service.post(Self.signal, as: "application/x-ndjson")
        #expect(answer.text.contains("Goodbye"))
    }

    @Test func `a hangup asks for a reload`() async throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        try place.write(Self.configuration.replacing("message: Hello", with: "message: Goodbye"), to: "belfry.yaml")
        service.hangUp()
        try await service.wait(for: "the reload") {
            try await service.manage("GET", "/metrics").text.contains(#"belfry_reloads_total{result="done"} 1"#)
        }
        let answer = try await service.post(Self.signal, as: "application/x-ndjson")
        #expect(answer.text.contains("Goodbye"))
        #expect(service.stop() == 0)
    }

    @Test func `a hangup says what has changed, as a run that watches does`() throws {
        let chain = "\nplugins: { directories: [plugins, bundled] }\nchain: [ { strategy: gate } ]\n"
        let place = try Workplace(["belfry.yaml": Self.configuration + chain])
        try place.installGate("1.0.0")
        let service = try LiveService(in: place, "--isolation", "thread")
        try place.installGate("2.0.0")
        service.hangUp()
        #expect(try service.hear("reloaded") == "reloaded: plugins: 'test.gate' 1.0.0 → 2.0.0")
        try place.write(
            Self.configuration.replacing("Hello,", with: "Goodbye,") + chain, to: "belfry.yaml")
        service.hangUp()
        #expect(try service.hear("reloaded") == "reloaded: campaigns: 'hello' changed")
        service.hangUp()
        #expect(try service.hear("reloaded") == "reloaded")
        #expect(service.stop() == 0)
    }

    @Test func `what plugins find wrong is among the errors`() async throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        let chain = "\nchain: [ { strategy: cooldown, parameters: { perod: 1s } }, { strategy: nosuch } ]\n"
        try place.write(Self.configuration + chain, to: "belfry.yaml")
        let refused = try await service.manage("POST", "/-/reload")
        let errors = try #require(refused.fields["errors"] as? [[String: Any]], "\(refused.text)")
        #expect(
            errors.contains {
                $0["path"] as? String == "chain[1]" || ($0["found"] as? String)?.contains("nosuch") == true
            })
        #expect(errors.contains { ($0["path"] as? String)?.hasPrefix("chain[0].parameters") == true }, "\(errors)")
        #expect(errors.allSatisfy { $0["line"] as? Int == 5 })
    }

    @Test func `a reload says which settings want a restart`() async throws {
        let (place, service) = try ServiceTests.started(Self.configuration)
        try place.write(
            Self.configuration.replacing("belfry.db", with: "other.db")
                + "\nisolation: process\nserve: { limits: { rate: 1 } }\n", to: "belfry.yaml")
        for _ in 0..<2 {
            let taken = try await service.manage("POST", "/-/reload")
            #expect(taken.fields["restart"] as? [String] == ["store", "isolation", "serve.limits"])
        }
        try place.write(Self.configuration, to: "belfry.yaml")
        #expect(try await service.manage("POST", "/-/reload").fields["restart"] == nil)
    }

    @Test func `an edit knows what it edits by one of several tags, and edits nothing that has changed`() async throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        let service = try LiveService(in: place)
        let tag = try #require(try await service.get("/v1/strategies").headers["etag"])
        func edit(_ tags: String) async throws -> LiveService.Answer {
            try await service.send(
                "PATCH", service.api + "/v1/strategies", ["If-Match": tags], Data(#"{"disable":"cooldown"}"#.utf8))
        }
        for tags in [#""zz", "yy""#, "W/\(tag)"] { #expect(try await edit(tags).status == 412, "\(tags)") }
        #expect(try await edit("\"zz\", \(tag)").status == 200)
        let broken = try place.text(of: "belfry.yaml").replacing("message: Hello", with: "mesage: Hello")
        try place.write(broken, to: "belfry.yaml")
        let refused = try await edit("*")
        #expect(refused.status == 409 && refused.fields["code"] as? String == "changed", "\(refused.text)")
        #expect(try place.text(of: "belfry.yaml") == broken)
    }

    @Test func `a reload without any token changes nothing`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration + "\nserve: { tokens: tokens.yaml }\n"])
        let secret = try place.belfry("tokens", "new", "laptop", "--role", "admin").lines[0]
        let service = try LiveService(in: place, token: secret)
        try FileManager.default.removeItem(at: place.file("tokens.yaml"))
        let refused = try await service.manage("POST", "/-/reload")
        #expect(refused.status == 422)
        #expect((refused.fields["found"] as? String)?.hasSuffix("so every call would be refused") == true)
        #expect(try await service.get("/v1/config").status == 200)
    }
}
