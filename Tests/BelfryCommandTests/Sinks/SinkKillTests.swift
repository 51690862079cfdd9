import Foundation
import Testing

/// Deliveries while the process is killed and the receiver fails: each arrives, in order for each subject.
@Suite struct SinkKillTests {
    private static let notifications = Load.number("BELFRY_SINK_NOTIFICATIONS") ?? 600
    private static let kills = Load.number("BELFRY_SINK_KILLS") ?? 4

    @Test func `each decision arrives, in order for each subject, whatever is killed`() throws {
        let server = try UnreliableServer(seed: 7)
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:s.db
            campaigns: [{ id: sale, title: Sale }]
            sinks:
              - { id: crm, type: webhook, url: '\(server.url)', timeout: 1s, allow: [127.0.0.1] }
              - { id: dead, type: webhook, url: 'http://127.0.0.1:9/', timeout: 1s, allow: [127.0.0.1] }
              - { id: copy, type: file, path: copy.jsonl }
            """,
            "signals.jsonl": (0..<Self.notifications).map { number in
                #"{"id":"s-\#(number)","type":"notification.requested","subject":"p\#(number % 97)","#
                    + #""time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
            }.asFile,
        ])
        let arguments = ["run", "--signals", "signals.jsonl", "--output", "decisions.jsonl"]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<Self.kills {
            _ = try place.belfry(arguments, input: Data()) { process in
                let count = server.count
                let wanted = Int.random(in: 1...max(1, Self.notifications / Self.kills / 2), using: &random)
                try process.wait { server.count >= count + wanted || !process.isRunning }
                kill(process.processIdentifier, SIGKILL)
            }
        }
        server.recover()
        for _ in 0..<100 where server.ids.count < Self.notifications {
            let result = try place.belfry(arguments, input: Data())
            #expect(result.status == 0, "\(result.errors)")
        }
        let decided = try place.text(of: "decisions.jsonl").split(separator: "\n").map {
            try JSON(String($0))["id"]!.text!
        }
        #expect(decided.count == Self.notifications)
        #expect(Set(server.ids) == Set(decided) && server.ids.count == decided.count)
        let number = { (id: Substring) in Int(id.split(separator: ":")[1])! }
        for (subject, ids) in Dictionary(grouping: server.ids, by: { $0.prefix { $0 != ":" } }) {
            #expect(ids.map { number($0[...]) } == Array(1...ids.count), "\(subject)")
        }
        var seen: Set<String> = []
        let copied = try place.text(of: "copy.jsonl").split(separator: "\n").map { try JSON(String($0))["id"]!.text! }
            .filter { seen.insert($0).inserted }
        #expect(Set(copied) == Set(decided))
    }
}

/// A receiver that fails, closes, answers half, hangs, and loses its answers; what it took is known by its id, in the order of first arrival. A
/// sink takes a 200 for an answer without its body.
final class UnreliableServer: Sendable {
    private let server: EventServer

    init(seed: Int) throws {
        let troubles: [EventServer.Reply] = [
            .status(500), .close, .breakOff, .status(503), .status(422), .status(302, headers: ["Location: /"]), .hang,
        ]
        server = try EventServer(
            (0..<100_000).map { number in
                let place = number + seed
                return place % 17 == 0 ? troubles[place / 17 % troubles.count] : .status(200)
            })
    }

    var url: String { server.url }
    var count: Int { server.posts.count }
    func recover() { server.recover() }

    /// What was taken, each once, as a receiver that looks at ids would have it. What was closed without a word may be processed twice.
    var ids: [String] {
        var seen: Set<String> = []
        return server.answered.compactMap { $0.headers["webhook-id"] }.filter { seen.insert($0).inserted }
    }
}
