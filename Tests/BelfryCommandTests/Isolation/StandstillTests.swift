import Foundation
import Testing

/// A plugin that has its process spin where no call is under way: nothing waits for it without an end.
@Suite struct StandstillTests {
    private func workplace(_ sin: Int, isolation: String = "process") throws -> Workplace {
        let place = try Workplace(chain: "{ strategy: spinner, control: optional }", isolation: isolation)
        try PluginFiles.compile([PluginFiles.own("spinner")], into: place.file("plugins"), defining: "SIN=\(sin)")
        return place
    }

    private func request(_ subject: String) -> String {
        #"{"id":"\#(subject)","type":"notification.requested","subject":"\#(subject)","#
            + #""time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
    }

    @Test func `a process that spins outside of calls is replaced, and what it had to do is done`() throws {
        let place = try workplace(0)
        defer { withExtendedLifetime(place) {} }
        let run = try LiveRun(in: place)
        try run.send([request("ana")])
        #expect(try JSON(run.nextDecision())["type"] == "notification.created")
        try run.hear("the plugin spins")
        try run.send([request("bob")])
        let decision = try JSON(run.nextDecision())
        #expect(decision["type"] == "notification.created" && decision["subject"] == "bob")
        #expect(try run.end() == 0, "\(run.unheard())")
    }

    @Test func `simulate ends with a sentence`() throws {
        let place = try workplace(1)
        // Too many to be read at once: a copy of the process is made in between.
        try place.write((0..<20_000).map { request("a\($0)") }.asFile, to: "signals.jsonl")
        let result = try place.belfry("simulate", "--signals", "signals.jsonl", "--against", "belfry.yaml")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(
            result.errors.contains(
                "the process that works with the plugins did not come to an end, outside of every call of one\n"),
            "\(result.errors)")
    }

    // It waits in its thread: suspended, it would come again behind the tests that wait for their turn, and the engine spins until then.
    @Test func `a service whose engine stands still ends all the same when it is asked to`() throws {
        let place = try workplace(0, isolation: "thread")
        defer { withExtendedLifetime(place) {} }
        let service = try LiveService(in: place)
        let port = try #require(service.api.split(separator: ":").last.flatMap { UInt16($0) })
        let answer = try PlainClient(port: port, token: service.token).ask(
            "POST", "/v1/signals", headers: ["Content-Type": "application/x-ndjson"],
            body: Array((request("ana") + "\n").utf8))
        #expect(answer.status == 200)
        _ = try service.hear("the plugin spins")
        #expect(service.stop() == 1)
        _ = try service.hear("the service was ended before all was decided that it had taken")
    }
}
