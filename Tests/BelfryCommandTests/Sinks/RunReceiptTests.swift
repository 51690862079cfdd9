import Foundation
import Testing

/// What became of notifications, as signals of `belfry run --clock wall` (docs/sinks.md, "Receipts").
@Suite struct RunReceiptTests {
    private static let configuration = """
        app: shop
        store: sqlite:s.db
        sinks:
          - { id: shell, type: exec, command: [sh, -c, 'while read -r line; do echo drop no such device; done'], when: { campaign.id: hello } }
        campaigns:
          - { id: hello, message: Hello }
          - { id: letter, message: You could not be reached, triggers: [ { on: notification.failed } ] }
        """

    @Test func `a delivery that fails is a signal while the run goes by the time of day`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let run = try LiveRun(in: place, "--clock", "wall")
        try run.send([
            #"{"id":"s-1","type":"notification.requested","subject":"ana","data":{"campaign":"hello"}}"#
        ])
        let first = try JSON(run.nextDecision())
        #expect(first["data"]?.map?["campaign"] == "hello")
        let second = try JSON(run.nextDecision())
        #expect(second["data"]?.map?["campaign"] == "letter")
        #expect(second["cause"] == "ana:1/shell/notification.failed")
        #expect(try run.end() == 0)
    }

    @Test func `without a clock what is decided does not depend on it`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        let result = try place.belfry(
            "run",
            input: [
                #"{"id":"s-1","type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
            ].asFile)
        #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
    }
}
