import BelfryJournal
import BelfryModel
import Synchronization

@testable import BelfryDelivery
@testable import BelfryPluginCheck
@testable import BelfryRuntime

/// A delivery with a clock in the test's hand, a jitter that is no surprise, and an endpoint that answers by script.
final class Errand {
    let journal: Journal
    let endpoint: ScriptedEndpoint
    private let delivery: ForwardDelivery
    private let clock: Clock
    private let said = Said()
    private var items: ForwardItems
    private var count = 0

    /// - Parameters:
    ///   - answers: what the endpoint answers, one after the other; after that it takes everything.
    ///   - share: the part of the longest pause to wait, from 0 to 1.
    ///   - left: how many events an earlier run left in the store.
    init(
        batch: Int = 100, every: Duration = .seconds(60), share: Double = 1, journal: Journal? = nil,
        left: Int = 0, answers: [ScriptedEndpoint.Answer] = []
    ) throws {
        let journal = try journal ?? Journal(.memory, store: "test", checkpoint: 0)
        self.journal = journal
        let (clock, said) = (Clock(), said)
        self.clock = clock
        endpoint = ScriptedEndpoint(answers, clock: clock)
        items = ForwardItems(source: "shop", journal: journal)
        try Self.commit(left, from: 0, &items, to: journal)
        count = left
        delivery = try ForwardDelivery(
            ForwardQueue(journal), to: endpoint, batch: batch, every: every,
            in: ForwardDelivery.Surroundings(
                clock: { clock.now.withLock { $0 } }, random: { share },
                say: { text in said.texts.withLock { $0.append(text) } }))
    }

    /// What people were told.
    var texts: [String] { said.texts.withLock { $0 } }
    var status: ForwardStatus { delivery.status }
    /// What was sent: `1m: e1 e2`.
    var posts: [String] { endpoint.posts.map { "\($0.time): \($0.names.joined(separator: " "))" } }

    /// Commits events `e1`, `e2`, … and tells the delivery.
    func commit(_ number: Int, size: Int = 0) throws {
        try Self.commit(number, from: count, size: size, &items, to: journal)
        count += number
        _ = delivery.lookForMore()
    }

    private static func commit(
        _ number: Int, from count: Int, size: Int = 0, _ items: inout ForwardItems, to journal: Journal
    ) throws {
        var entry = JournalEntry(writtenAt: .distantPast)
        let outgoing = (0..<number).map { index in
            Outgoing(
                subject: "ana", time: Instant(milliseconds: 0), cause: "s",
                body: .event(
                    type: "custom", name: "e\(count + index + 1)",
                    attributes: Fields([("x", .text(String(repeating: "x", count: size)))])))
        }
        items.append(outgoing, to: &entry)
        try journal.append(entry)
    }

    /// Lets time pass, step by step, and does what is due.
    ///
    /// - Returns: whether there will be nothing more to do.
    @discardableResult
    func pass(until time: Duration) throws -> Bool {
        while true {
            switch delivery.step() {
            case .attempt: continue
            case .end: return true
            case .rest(let until):
                let next = min(until ?? time, time)
                clock.now.withLock { $0 = max($0, next) }
                if next == time, until != time { return false }
            }
        }
    }

    /// Says that there is no more to come, and goes on.
    ///
    /// - Returns: whether it came to an end within a minute.
    func end() throws -> Bool {
        delivery.end()
        return try pass(until: .minutes(1) + delivery.now)
    }

    func giveUp() throws -> Bool {
        delivery.giveUp()
        return try pass(until: delivery.now)
    }

    /// The delivery of the next run, with the same journal.
    func restarted(batch: Int = 100, answers: [ScriptedEndpoint.Answer] = []) throws -> Errand {
        try Errand(batch: batch, journal: journal, answers: answers)
    }
}

final class Clock: Sendable {
    let now = Mutex(Duration.zero)
}

private final class Said: Sendable {
    let texts = Mutex<[String]>([])
}

/// An endpoint that answers by script, and remembers what it was sent and when.
final class ScriptedEndpoint: ForwardEndpoint {
    struct Answer: Sendable, ExpressibleByIntegerLiteral {
        var answer: EndpointAnswer?

        /// A status.
        init(integerLiteral status: Int) { answer = EndpointAnswer(status: status) }
        init(_ answer: EndpointAnswer?) { self.answer = answer }

        static let silence = Answer(nil)
        static func busy(_ retryAfter: String) -> Answer {
            Answer(EndpointAnswer(status: 429, phrase: "Too Many Requests", retryAfter: retryAfter))
        }
    }

    struct Post: Sendable, Hashable {
        var time: Duration
        var key: String
        var body: String

        var names: [String] { body.matches(of: /"name":"(\w+)"/).map { String($0.1) } }
        var ids: [String] { body.matches(of: /"id":"([^"]+)"/).map { String($0.1) } }
    }

    let address = "http://shop.example/events"
    private let clock: Clock
    private let state: Mutex<(answers: [Answer], posts: [Post])>

    init(_ answers: [Answer], clock: Clock) {
        self.clock = clock
        state = Mutex((answers, []))
    }

    var posts: [Post] { state.withLock { $0.posts } }

    func post(_ batch: ForwardBatch) throws(NoAnswer) -> EndpointAnswer {
        let time = clock.now.withLock { $0 }
        let answer = state.withLock { state in
            state.posts.append(Post(time: time, key: batch.key, body: String(decoding: batch.body, as: UTF8.self)))
            return state.answers.isEmpty ? 200 : state.answers.removeFirst()
        }
        guard let answer = answer.answer else { throw NoAnswer("does not answer within 30s") }
        return answer
    }

    func cancel() {}
    func close() {}
}
