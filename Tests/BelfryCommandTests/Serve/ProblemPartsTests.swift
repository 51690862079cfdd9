import Foundation
import Testing

/// What cannot be asked or done is told in parts, each in a member of its own, with the words of the command line.
@Suite struct ProblemPartsTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": ServiceTests.configuration.replacing("store: sqlite:belfry.db\n", with: "") + """

                  - { id: stay, triggers: [ { id: far, on: enter, regions: [dam] } ] }
                regions: [ { id: dam, kind: geofence, latitude: 52, longitude: 4 } ]
                """
        ])
    }

    private func expect(_ answer: LiveService.Answer, _ code: String, _ parts: [String]) {
        #expect(answer.status == 422, "\(answer.text)")
        let found = ["code", "title", "found", "expected", "fix"].map { answer.fields[$0] as? String }
        #expect(found == [code] + parts, "\(answer.text)")
    }

    @Test(arguments: ["thread", "process"])
    func `a question about what is not there`(isolation: String) async throws {
        let service = try LiveService(in: place, "--isolation", isolation)
        _ = try await service.post(ServiceTests.signals(0..<1), as: "application/x-ndjson")
        for (question, parts) in [
            (
                #""campaign":"helo""#,
                [
                    "there is no campaign 'helo'", "the configuration has none of that id",
                    "the id of a campaign that it has", "did you mean 'hello'?",
                ]
            ),
            (
                #""campaign":"stay","trigger":"far""#,
                [
                    "there is no such candidate", "the trigger 'far' of campaign 'stay' waits at regions", "a region",
                    "name one of its regions, with --region on the command line",
                ]
            ),
        ] {
            let answer = try await service.post(
                #"{"subject":"u0",\#(question)}"#, as: "application/json", to: "/v1/explain")
            expect(answer, "unanswered", parts)
        }
    }

    @Test func `an edit of an entry that is not there`() async throws {
        let service = try LiveService(in: place)
        for (edit, what, name) in [
            (#"{"enable":"nope"}"#, "enable 'nope'", "nope"),
            (#"{"move":"cooldown","before":"nope"}"#, "move 'cooldown' before 'nope'", "nope"),
            (#"{"disable":"coldown"}"#, "disable 'coldown'", "coldown"),
        ] {
            let answer = try await service.send(
                "PATCH", service.api + "/v1/strategies", ["If-Match": "*", "Content-Type": "application/json"],
                Data(edit.utf8))
            let fix = name == "nope" ? "name one of its entries, or add 'nope' to the file" : "did you mean 'cooldown'?"
            expect(
                answer, "not-edited",
                ["cannot \(what)", "the chain has cooldown, but no '\(name)'", "an entry of the chain", fix])
        }
    }
}
