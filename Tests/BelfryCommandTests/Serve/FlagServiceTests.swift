import Foundation
import Testing

/// Campaigns as flags of OpenFeature (OFREP).
@Suite struct FlagServiceTests {
    @Test func `the context of a flag stands in for what a device has said`() async throws {
        let configuration = ServiceTests.configuration.replacing(
            "cooldown, per: campaign, parameters: { period: 1h }",
            with: #"segmentation, parameters: { osVersion: "2" }"#)
        let place = try Workplace(["belfry.yaml": configuration])
        let service = try LiveService(in: place, "--clock", "signals")
        let device =
            #"{"type":"device.registered","subject":"u1","time":"2026-03-02T09:00:00Z","channel":"d","data":{"osVersion":"1"}}"#
        _ = try await service.post(device, as: "application/x-ndjson")
        for (context, isOn) in [("", false), (#","osVersion":"2""#, true)] {
            let answer = try await service.post(
                #"{"context":{"targetingKey":"u1"\#(context)}}"#, as: "application/json",
                to: "/ofrep/v1/evaluate/flags/hello")
            #expect(answer.fields["value"] as? Bool == isOn, "\(answer.text)")
        }
        _ = place
    }

    @Test func `a flag is on when its campaign would ring, and asking changes nothing`() async throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        let service = try LiveService(in: place, "--clock", "signals")
        let flags = "/ofrep/v1/evaluate/flags"
        func ask(_ path: String, _ context: String) async throws -> LiveService.Answer {
            try await service.post(#"{"context":\#(context)}"#, as: "application/json", to: flags + path)
        }
        let before = try await ask("/hello", #"{"targetingKey":"u0"}"#)
        #expect(before.fields["value"] as? Bool == true && before.fields["variant"] as? String == "on")
        _ = try await service.post(ServiceTests.signals(0..<1), as: "application/x-ndjson")
        let after = try await ask("/hello", #"{"targetingKey":"u0"}"#)
        #expect(after.fields["value"] as? Bool == false)
        #expect((after.fields["metadata"] as? [String: String])?["until"] == "2026-03-02T10:00:00Z")
        #expect((try await ask("", #"{"targetingKey":"u0"}"#).fields["flags"] as? [Any])?.count == 1)
        let unknown = try await ask("/by%65", #"{"targetingKey":"u0"}"#)
        #expect(unknown.status == 404 && unknown.fields["errorCode"] as? String == "FLAG_NOT_FOUND")
        #expect(unknown.fields["key"] as? String == "bye")
        #expect(try await ask("/hello", "{}").fields["errorCode"] as? String == "TARGETING_KEY_MISSING")
        _ = place
    }

    @Test func `a campaign that is not published is a flag that is disabled, with one line that says why`() async throws
    {
        let place = try Workplace([
            "belfry.yaml": ServiceTests.configuration.replacing(
                "message: Hello", with: "message: Hello, published: false")
        ])
        let service = try LiveService(in: place, "--clock", "signals")
        let answer = try await service.post(
            #"{"context":{"targetingKey":"u0"}}"#, as: "application/json", to: "/ofrep/v1/evaluate/flags/hello")
        let reason = answer.fields["metadata"] as? [String: String]
        #expect(answer.fields["reason"] as? String == "DISABLED")
        #expect(
            reason == [
                "code": "disabled", "message": "the campaign 'hello' is never a candidate: it is not published",
            ])
        _ = place
    }
}
