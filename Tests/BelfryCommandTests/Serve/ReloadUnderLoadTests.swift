import BelfryModel
import Foundation
import Synchronization
import Testing

/// Reloads while clients post, so often as the environment says (`make service-restarts`).
@Suite struct ReloadUnderLoadTests {
    private let reloads = Load.number("BELFRY_RELOADS") ?? 5
    private static let clients = 4

    /// What a decision says twice tells whether it was made by two configurations.
    private static func configuration(_ generation: Int) -> String {
        """
        app: shop
        store: sqlite:belfry.db
        chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
        campaigns: [ { id: hello, title: "\(generation)", message: "\(generation)", triggers: [ { on: request } ] } ]
        """
    }

    // It waits in its thread: suspended, it would come again when the thousand tests before it in the queue are through, and clients go on.
    @Test func `reloads lose no signal, and mix no generations`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration(0)])
        let service = try LiveService(in: place)
        let port = try #require(service.management.split(separator: ":").last.flatMap { UInt16($0) })
        let management = PlainClient(port: port, token: service.token)
        let load = Crowd(service)
        for number in 0..<Self.clients { load.begin(number) }
        var generations: [String] = []
        for generation in 1...reloads {
            try place.write(Self.configuration(generation), to: "belfry.yaml")
            let taken = try management.ask("POST", "/-/reload")
            #expect(taken.status == 200)
            generations.append(Value(json: Array(taken.text.utf8)[...])?.map?["generation"]?.text ?? "")
            // What is answered now was decided by this one.
            let answered = load.count
            while load.count < answered + 50 { usleep(1000) }
        }
        let sent = load.end()
        let journal = try place.decisions().compactMap(Made.init)
        print("\(reloads) reloads: \(sent) signals, \(journal.count) decisions")
        #expect(load.failures.withLock { $0 }.isEmpty)
        #expect(journal.count == sent && Set(journal.map(\.cause)).count == sent)
        #expect(journal.allSatisfy { $0.title == $0.message })
        let order = journal.compactMap { Int($0.title) }
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 }, "none goes back")
        #expect(Set(order) == Set(0...reloads))
        #expect(Set(generations).count == reloads)
        #expect(service.stop() == 0)
    }

    private struct Made {
        let cause, title, message: String

        init?(_ decision: String) {
            guard let fields = Value(json: Array(decision.utf8)[...])?.map, let data = fields["data"]?.map else {
                return nil
            }
            (cause, title) = (fields["cause"]?.text ?? "", data["title"]?.text ?? "")
            message = data["message"]?.text ?? ""
        }
    }

    /// Clients that post signals, each for a new subject.
    private final class Crowd: Sendable {
        private let port: UInt16
        private let token: String
        private let isOver = Atomic(false)
        private let sent = Atomic(0)
        private let crew = Crew()
        let failures = Mutex<[String]>([])

        init(_ service: LiveService) {
            (port, token) = (UInt16(service.api.split(separator: ":").last ?? "") ?? 0, service.token)
        }

        /// How many signals were answered.
        var count: Int { sent.load(ordering: .relaxed) }

        func begin(_ client: Int) {
            crew.hire { [self] in
                let caller = PlainClient(port: port, token: token)
                var round = 0
                while !isOver.load(ordering: .relaxed) {
                    post(by: caller, (0..<10).map { "\(client)-\(round)-\($0)" })
                    round += 1
                }
            }
        }

        private func post(by caller: PlainClient, _ ids: [String]) {
            let body = ids.map { id in
                #"{"id":"\#(id)","type":"notification.requested","subject":"\#(id)","data":{"campaign":"hello"}}"#
            }.joined(separator: "\n")
            let answer = try? caller.ask(
                "POST", "/v1/signals", headers: ["Content-Type": "application/x-ndjson"], body: Array(body.utf8))
            let decided = answer?.text.split(separator: "\n").count { $0.contains(#""status":"decided""#) }
            if decided != ids.count { failures.withLock { $0.append("\(answer?.status ?? 0) \(answer?.text ?? "")") } }
            sent.add(ids.count, ordering: .relaxed)
        }

        /// - Returns: how many signals were sent.
        func end() -> Int {
            isOver.store(true, ordering: .relaxed)
            crew.wait()
            return count
        }
    }
}
