import BelfryModel
import Foundation
import Synchronization
import Testing

/// A service, or replicas of one, each at one address through all its lives, and what clients know of it.
final class KillScene: Sendable {
    let place: Workplace
    let ports: [UInt16]
    let token: String
    private let isOver = Atomic(false)
    /// How many decisions there are in the end; 0 until that is known.
    private let total = Atomic(0)
    /// For each signal that was answered, the decisions of the answer.
    private let answers = Mutex<[String: [String]]>([:])
    private let pages = Mutex<[String]>([])
    private let streamed = Mutex<[String]>([])

    static func configuration(store: String) -> String {
        """
        app: shop
        store: "\(store)"
        serve: { tokens: tokens.yaml }
        chain:
          - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
        campaigns:
          - { id: hello, message: Hello, triggers: [ { on: request } ] }
        """
    }

    init(store: String, replicas: Int = 1) throws {
        place = try Workplace(["belfry.yaml": Self.configuration(store: store)])
        let made = try place.belfry("tokens", "new", "all", "--role", "admin")
        token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let first = UInt16.random(in: 20_000..<32_000)
        ports = (0..<replicas).map { first + UInt16($0) }
    }

    func start(_ replica: Int = 0) throws -> LiveService {
        try LiveService(in: place, "--listen", "127.0.0.1:\(ports[replica])", token: token)
    }

    /// Asks any replica.
    private var client: PlainClient { PlainClient(ports: ports, token: token) }

    private static let lines = ["Content-Type": "application/x-ndjson"]

    // MARK: Clients

    /// - Returns: the cursor behind the first decision.
    private func begin() throws -> String {
        let client = client
        _ = try client.ask(
            "POST", "/v1/signals", headers: Self.lines, body: Array(Self.signal("first", of: "nobody", minute: 0).utf8))
        let page = try client.ask("GET", "/v1/decisions")
        return Value(json: Array(page.text.utf8)[...])?.map?["next"]?.text ?? ""
    }

    /// Three signals at a time, each for a subject of its own; what is not answered is sent again as it was.
    private func post(as number: Int) {
        let client = client
        var round = 0
        repeat {
            let ids = (0..<3).map { "\(number)-\(round)-\($0)" }
            let body = ids.enumerated().map { Self.signal($1, of: "s\(number)-\($0)", minute: 25 * round) }.joined(
                separator: "\n")
            while true {
                guard let answer = try? client.ask("POST", "/v1/signals", headers: Self.lines, body: Array(body.utf8)),
                    answer.status == 200, note(answer.text, ids)
                else {
                    usleep(5000)
                    continue
                }
                break
            }
            round += 1
        } while !isOver.load(ordering: .relaxed)
    }

    static func signal(_ id: String, of subject: String = "ana", minute: Int) -> String {
        let time = Instant(milliseconds: 1_772_445_600_000 + Int64(minute) * 60_000)
        return
            #"{"id":"\#(id)","type":"notification.requested","subject":"\#(subject)","time":"\#(time)","data":{"campaign":"hello"}}"#
    }

    /// - Returns: whether all were answered.
    private func note(_ body: String, _ ids: [String]) -> Bool {
        let results = body.split(separator: "\n").compactMap { Value(json: Array($0.utf8)[...])?.map }
        guard results.compactMap({ $0["id"]?.text }) == ids else { return false }
        answers.withLock { answers in
            for (id, result) in zip(ids, results) { answers[id] = (result["decisions"]?.list ?? []).map(\.json) }
        }
        return true
    }

    // MARK: Readers

    private func readPages(after first: String) {
        let client = client
        var cursor = first
        while !hasAll(pages) {
            let path = "/v1/decisions?limit=50&wait=200ms&after=\(cursor)"
            guard let answer = try? client.ask("GET", path), answer.status == 200,
                let page = Value(json: Array(answer.text.utf8)[...])?.map, let next = page["next"]?.text
            else {
                usleep(5000)
                continue
            }
            pages.withLock { $0 += (page["decisions"]?.list ?? []).map(\.json) }
            cursor = next
        }
    }

    private func readStream(after first: String) {
        let client = client
        var cursor = first
        while !hasAll(streamed) {
            // An event is taken when it is whole.
            var (id, decision) = (cursor, "")
            try? client.follow("/v1/decisions/stream", headers: ["Last-Event-ID": cursor]) { line in
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                if line.hasPrefix("data: ") { decision = Value(json: Array(line.utf8.dropFirst(6))[...])?.json ?? "" }
                if line.isEmpty, !decision.isEmpty {
                    streamed.withLock { $0.append(decision) }
                    (cursor, decision) = (id, "")
                }
                return !hasAll(streamed)
            }
            usleep(5000)
        }
    }

    private func hasAll(_ read: borrowing Mutex<[String]>) -> Bool {
        let total = total.load(ordering: .relaxed)
        return total > 0 && read.withLock { $0.count } >= total
    }

    // MARK: From the beginning to the end

    /// Has clients post and readers read while `kills` kills, and checks what came of it.
    func run(clients: Int, _ name: String, kills: () throws -> Void) throws {
        let first = try begin()
        let (posting, reading) = (Crew(), Crew())
        for client in 0..<clients { posting.hire { self.post(as: client) } }
        reading.hire { self.readPages(after: first) }
        reading.hire { self.readStream(after: first) }
        try kills()
        isOver.store(true, ordering: .relaxed)
        posting.wait()
        let journal = try place.decisions(after: first)
        total.store(journal.count, ordering: .relaxed)
        reading.wait()
        check(journal, clients: clients, name)
    }

    /// Each signal that was answered was decided once, as it was answered; nothing else was; and readers had all of it, in order.
    private func check(_ journal: [String], clients: Int, _ name: String) {
        let answers = answers.withLock { $0 }
        print("\(name), \(clients) clients: \(answers.count) signals, \(journal.count) decisions")
        #expect(answers.count > clients)
        let made = Dictionary(grouping: journal) { Value(json: Array($0.utf8)[...])?.map?["cause"]?.text ?? "" }
        #expect(made.count == answers.count, "nothing was decided that nobody was told of")
        for (signal, answer) in answers { #expect(made[signal] == answer, "\(signal)") }
        #expect(made.values.allSatisfy { $0.count == 1 })
        #expect(pages.withLock { $0 } == journal)
        #expect(streamed.withLock { $0 } == journal)
    }
}
