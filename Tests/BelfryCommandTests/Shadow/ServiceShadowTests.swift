import Foundation
import Testing

/// The shadow of a service.
@Suite struct ServiceShadowTests {
    private static func configuration(_ most: Int) -> String {
        """
        app: shop
        store: sqlite:belfry.db
        chain: [{ strategy: max-per-period, parameters: { max: \(most), period: 1d } }]
        campaigns: [{ id: hello, message: Hello }]
        """
    }

    /// Without a time: both sides are to see the same one.
    private static func request(_ id: Int) -> String {
        #"{"id":"s-\#(id)","type":"notification.requested","subject":"ana","data":{"campaign":"hello"}}"#
    }

    @Test func `a service tells what another configuration decides`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration(3), "other.yaml": Self.configuration(1)])
        let service = try LiveService(in: place, "--shadow", "other.yaml")
        for id in 1...4 {
            let answer = try await service.post(Self.request(id), as: "application/x-ndjson")
            #expect(answer.status == 200)
        }
        try await service.wait("/v1/shadow", for: #""compared":4"#)
        let report = try await service.wait("/v1/shadow", for: #""id":"ana:3""#)
        let shadow = try JSON(report)
        #expect(shadow["state"]?.text == "following" && shadow["outcome"]?.integer == 2)
        #expect(shadow["transitions"]?.json == #"[{"a":"created","b":"suppressed","count":2}]"#)
        #expect(shadow["differences"]?.list?.count == 2)
        #expect(try JSON(try await service.get("/v1/shadow?limit=1").text)["differences"]?.list?.count == 1)
        #expect(try await service.get("/v1/shadow?limit=no").status == 400)
        let metrics = try await service.manage("GET", "/metrics").text
        #expect(metrics.contains(#"belfry_shadow_differences_total{kind="outcome"} 2"#), "\(metrics)")
        #expect(metrics.contains("belfry_shadow_following 1"))

        let listed = try place.belfry(
            "decisions", "list", "--shadow", "--url", service.api,
            environment: ["BELFRY_TOKEN": service.token])
        #expect(listed.lines.count == 2, "\(listed.errors)")
        #expect(service.stop() == 0)
        #expect(try place.belfry("decisions", "list", "--shadow").lines.count == 2)
    }

    @Test func `who is erased is erased from the shadow, too`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration(3), "other.yaml": Self.configuration(1)])
        let service = try LiveService(in: place, "--shadow", "other.yaml")
        for id in 1...3 { _ = try await service.post(Self.request(id), as: "application/x-ndjson") }
        try await service.wait("/v1/shadow", for: #""compared":3"#)
        #expect(try await service.send("DELETE", service.api + "/v1/subjects/ana", [:]).status == 200)
        try await service.wait("/v1/shadow", for: #""differences":[]"#)
        #expect(service.stop() == 0)
        #expect(try place.belfry("state", "show", "ana", "--store", "sqlite:belfry.db.shadow").status != 0)
    }

    @Test func `without a shadow there is nothing to tell`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration(3)])
        let service = try LiveService(in: place)
        let answer = try await service.get("/v1/shadow")
        #expect(answer.status == 404 && answer.text.contains(#""code":"no-shadow""#), "\(answer.text)")
    }
}
