import BelfryEngine
import BelfryModel
import Foundation
import Testing

@testable import BelfryDelivery

/// Order, retries, places: a sink with time that is moved by hand.
@Suite struct SinkTests {
    @Test
    func `a delivery that fails holds back its subject only, and is tried again after 5 s, 30 s, 2 min, 10 min, 1 h`()
        throws
    {
        let bench = try SinkBench()
        let worker = try bench.worker()
        try bench.decide("ana:1", "bob:1", "ana:2", "bob:2")
        bench.answer { $0.id == "ana:1" ? .refused("answers 422") : .taken }
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1", "bob:2"])
        for pause: Duration in [.seconds(5), .seconds(30), .minutes(2), .minutes(10), .hours(1), .hours(1)] {
            bench.pass(pause - .milliseconds(1))
            worker.work()
            #expect(bench.tried.isEmpty)
            bench.pass(.milliseconds(1))
            worker.work()
            #expect(bench.tried == ["ana:1"])
        }
        bench.answer { _ in .taken }
        bench.pass(.hours(1))
        worker.work()
        #expect(bench.tried == ["ana:1", "ana:2"])
        #expect(worker.status.state == .ready && worker.status.delivered == 4 && worker.status.failedAttempts == 7)
        #expect(bench.said.withLock { $0.count } == 2)
    }

    @Test func `a target that is down is left alone, tried with one, and then gets everything in order`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        let subjects = (0..<40).map { "s\($0)" }
        for number in 1...3 { for subject in subjects { try bench.decide("\(subject):\(number)") } }
        bench.answer { _ in .failed("answers 503") }
        var attempts = 0
        for _ in 0..<720 {
            worker.work()
            attempts += bench.tried.count
            bench.pass(.seconds(5))
        }
        #expect(attempts < 40, "\(attempts) attempts in an hour")
        #expect(worker.status.state == .failing && worker.status.why == "answers 503")
        bench.answer { _ in .taken }
        bench.pass(.hours(1))
        worker.work()
        let tried = bench.tried
        #expect(tried.count == 120 && Set(tried).count == 120)
        for subject in subjects {
            #expect(tried.filter { $0.hasPrefix(subject + ":") } == (1...3).map { "\(subject):\($0)" })
        }
    }

    @Test func `a target that asks for it is left alone for so long`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        try bench.decide("ana:1", "bob:1")
        bench.answer { $0.id == "ana:1" ? .failed("answers 429", pause: .minutes(7)) : .taken }
        _ = worker.step()
        #expect(bench.tried == ["ana:1", "bob:1"])
        worker.work()
        try bench.decide("cem:1")
        bench.pass(.minutes(6))
        worker.work()
        #expect(bench.tried.isEmpty)
        bench.answer { _ in .taken }
        bench.pass(.minutes(1))
        worker.work()
        #expect(Set(bench.tried) == ["cem:1", "ana:1"])
    }

    @Test func `one that wants a pause for a subject holds back that one, and resuming tries it at once`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        try bench.decide("ana:1", "bob:1", "bob:2")
        bench.answer { $0.id == "ana:1" ? .refused("answers 429", pause: .hours(1)) : .taken }
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1", "bob:2"])
        bench.pass(.minutes(59))
        worker.work()
        #expect(bench.tried.isEmpty)
        _ = try worker.act(.resume)
        worker.work()
        #expect(bench.tried == ["ana:1"])
    }

    @Test func `resuming tries a target at once that asked to be left alone`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        try bench.decide("ana:1")
        bench.answer { _ in .failed("answers 429", pause: .hours(1)) }
        worker.work()
        bench.answer { _ in .taken }
        bench.pass(.minutes(30))
        worker.work()
        #expect(bench.tried == ["ana:1"])
        _ = try worker.act(.resume)
        worker.work()
        #expect(bench.tried == ["ana:1"] && worker.status.delivered == 1)
    }

    @Test func `one subject has one delivery under way, and a sink so many as it says`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker { $0.concurrency = 2 }
        try bench.decide("ana:1", "ana:2", "bob:1", "cem:1")
        bench.answer { _ in nil }
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1"])
        bench.target.waiting.withLock { $0.removeFirst() }(.taken)
        worker.work()
        #expect(bench.tried == ["cem:1"])
    }

    @Test func `a rate is kept`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker { $0.rate = .init("2/s") }
        try bench.decide("a:1", "b:1", "c:1", "d:1", "e:1", "f:1")
        var times: [Int] = []
        for step in 0..<40 {
            worker.work()
            times += bench.tried.map { _ in step * 100 }
            bench.pass(.milliseconds(100))
        }
        #expect(times.count == 6 && zip(times, times.dropFirst()).allSatisfy { 400...600 ~= $1 - $0 }, "\(times)")
    }

    @Test func `one that waits for its rate has something to deliver yet`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker { $0.rate = .init("1/h") }
        try bench.decide("ana:1", "bob:1")
        worker.work()
        #expect(bench.tried == ["ana:1"])
        #expect(!worker.isIdle)
        bench.pass(.hours(1))
        worker.work()
        #expect(bench.tried == ["bob:1"])
        #expect(worker.isIdle)
    }

    @Test func `a 2xx is taken, also where the end comes before that of its body`() throws {
        let server = try EventServer(
            then: .status(200, headers: ["Transfer-Encoding: chunked"], body: "1\r\n{\r\n"))
        let (sender, ending) = (HTTPSender(.all), Ending())
        let request = HTTPRequest(
            url: server.url, headers: [.init(name: "user-agent", value: "mine")], body: [], timeout: .seconds(30))
        sender.send(request) { ending.end(SinkOutcome($0)) }
        #expect(server.wait(for: 1))
        // The answer is on its way.
        Thread.sleep(forTimeInterval: 0.5)
        sender.cancel()
        #expect(ending.wait() == .taken)
        #expect(server.posts[0].headers["user-agent"] == "mine", "and one field says who sends it")
    }

    @Test func `another process goes on where this one was, with what had not arrived`() throws {
        let bench = try SinkBench()
        let first = try bench.worker()
        try bench.decide("ana:1", "bob:1")
        try bench.decide("ana:2", "cem:1")
        bench.answer { $0.subject == "ana" ? .refused("answers 422") : .taken }
        first.work()
        bench.pass(.seconds(2))
        first.work()
        _ = bench.tried
        try bench.decide("dea:1")
        bench.answer { _ in .taken }
        let second = try bench.worker()
        #expect(second.status.waiting == 3)
        second.work()
        #expect(bench.tried == ["ana:1", "dea:1", "ana:2"])
        bench.pass(.seconds(2))
        second.work()
        #expect(second.entry >= bench.journal.last - 2)
        #expect(try bench.worker().status.waiting == 0)
    }

    @Test func `a new sink gets what is decided from then on`() throws {
        let bench = try SinkBench()
        try bench.decide("ana:1")
        let worker = try bench.worker()
        try bench.decide("ana:2")
        worker.work()
        #expect(bench.tried == ["ana:2"])
    }

    @Test func `a kill before anything was noted loses nothing, and what is idle notes nothing`() throws {
        let bench = try SinkBench()
        _ = try bench.worker()
        try bench.decide("ana:1")
        let second = try bench.worker()
        second.work()
        #expect(bench.tried == ["ana:1"])
        bench.pass(.seconds(2))
        second.work()
        let last = bench.journal.last
        for _ in 0..<10 {
            bench.pass(.seconds(2))
            second.work()
        }
        #expect(bench.journal.last == last)
    }

    @Test func `many decisions that a sink does not want are passed without a ring`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker { $0.types = ["notification.opened"] }
        for entry in 0..<12 { try bench.decide((0..<1000).map { "s\($0):\(entry + 1)" }) }
        while case .rest(let until?) = worker.step(), until == .zero {}
        #expect(worker.status.waiting == 0)
    }

    @Test func `410 stops a sink, and resuming it tries at once`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        try bench.decide("ana:1", "bob:1")
        bench.answer { _ in .gone("answers 410 Gone") }
        worker.work()
        bench.pass(.hours(5))
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1"])
        #expect(worker.status.state == .stopped && worker.status.why == "answers 410 Gone")
        bench.answer { _ in .taken }
        _ = try worker.act(.resume)
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1"])
        #expect(worker.status.state == .ready)
    }

    @Test func `one that was gone is resumed by another process, which knows how many wait`() throws {
        let bench = try SinkBench()
        let first = try bench.worker()
        try bench.decide("ana:1")
        bench.answer { _ in .gone("answers 410 Gone") }
        first.work()
        bench.pass(.seconds(1))
        first.work()
        let second = try bench.worker()
        second.work()
        #expect(second.status.state == .stopped && second.status.waiting == 1)
        #expect(try second.act(.resume) == 1)
    }

    @Test func `one for which nothing waits any more has no trouble`() throws {
        let bench = try SinkBench()
        let first = try bench.worker()
        try bench.decide("ana:1")
        bench.answer { _ in .refused("answers 400") }
        first.work()
        bench.pass(.seconds(1))
        first.work()
        #expect(first.status.state == .failing)
        // It does not want what failed.
        let second = try bench.worker { $0.types = ["notification.deleted"] }
        second.work()
        #expect(second.status.waiting == 0 && second.status.state == .ready)
    }

    @Test func `paused, nothing leaves; skipped, the one that failed is given up`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        _ = try worker.act(.pause)
        try bench.decide("ana:1", "bob:1", "bob:2")
        worker.work()
        #expect(bench.tried.isEmpty && worker.status.state == .paused && worker.status.waiting == 3)
        _ = try worker.act(.resume)
        bench.answer { $0.id == "bob:1" ? .refused("answers 400") : .taken }
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1"])
        #expect(try worker.act(.skip) == 1)
        worker.work()
        #expect(bench.tried == ["bob:2"] && worker.status.waiting == 0 && worker.status.dropped == 1)
    }

    @Test func `one that was gone when it was only tried gets everything once it is resumed`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        try bench.decide((1...6).map { "u\($0):1" })
        bench.answer { _ in .failed("answers 503") }
        for _ in 1...2 { worker.work() }
        bench.answer { _ in .gone("answers 410 Gone") }
        bench.pass(.minutes(1))
        worker.work()
        #expect(worker.status.state == .stopped)
        _ = bench.tried
        bench.answer { _ in .taken }
        _ = try worker.act(.resume)
        worker.work()
        #expect(Set(bench.tried) == Set((1...6).map { "u\($0):1" }) && worker.status.waiting == 0)
    }

    @Test func `what is under way is left alone, and what waits behind it is not`() throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path))
        let worker = try bench.worker()
        try bench.decide("ana:1", "ana:2", "bob:1")
        bench.answer { _ in .refused("answers 400") }
        worker.work()
        #expect(try worker.act(.skipAll) == 3)
        _ = bench.tried
        bench.answer { _ in nil }
        #expect(try worker.act(.resend) == 3)
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1"])
        #expect(try worker.act(.skipAll) == 1)
        for done in bench.target.waiting.withLock({ $0 }) { done(.taken) }
        worker.work()
        #expect(bench.tried.isEmpty && worker.status.waiting == 0)
    }

    @Test func `nothing of a subject that was erased leaves any more`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        bench.answer { _ in .refused("answers 422") }
        try bench.decide("ana:1", "bob:1", "ana:2")
        worker.work()
        try worker.forget("ana")
        _ = bench.tried
        bench.answer { _ in .taken }
        bench.pass(.seconds(5))
        worker.work()
        #expect(bench.tried == ["bob:1"])
    }

    @Test func `types and conditions choose`() throws {
        let bench = try SinkBench()
        var sink = Configuration.Sink(id: "x", target: .file("x"))
        sink.types = ["notification.created"]
        sink.when = try Condition(["subject": "ana", "data.notification": "sale/1"])
        let filter = SinkFilter(sink, DecisionProperties([]))
        let data: Value = ["notification": "sale/1"]
        #expect(filter.takes(["type": "notification.created", "subject": "ana", "data": data]))
        #expect(!filter.takes(["type": "notification.created", "subject": "bob", "data": data]))
        #expect(!filter.takes(["type": "notification.opened", "subject": "ana", "data": data]))
        _ = bench
    }

    @Test(
        arguments: [
            ["notification": "sale/1", "firstOpenedAt": "2026-03-02T09:00:00Z"],
            ["type": "simpleNotification", "attributes": ["notification": "sale/1"]], ["campaign": "sale"],
        ] as [Value])
    func `a decision that only names its notification is of its campaign`(data: Value) throws {
        var sink = Configuration.Sink(id: "x", target: .file("x"))
        sink.when = try Condition(["campaign.tags": ["$elemMatch": ["$eq": "spring"]]])
        var sale = Configuration.Campaign(id: "sale")
        sale.document = ["tags": ["spring"]]
        let filter = SinkFilter(sink, DecisionProperties([sale, Configuration.Campaign(id: "news")]))
        #expect(filter.takes(["type": "notification.opened", "data": data]))
        #expect(!filter.takes(["type": "notification.opened", "data": ["notification": "news/1"]]))
    }

    @Test(arguments: [
        ("93.184.216.34", true), ("10.1.2.3", false), ("127.0.0.1", false), ("169.254.169.254", false),
        ("192.168.0.1", false), ("172.31.255.255", false), ("172.32.0.1", true), ("100.64.0.1", false),
        ("0.0.0.0", false), ("255.255.255.255", false), ("::1", false), ("fe80::1", false), ("fd00::1", false),
        ("2606:2800:220:1::1", true), ("::ffff:10.0.0.1", false), ("64:ff9b::a00:1", false), ("2002:a00:1::", false),
    ])
    func `only the open network may be connected to, unless it is said`(address: String, isOpen: Bool) throws {
        let found = try SinkTests.address(address)
        #expect(AddressPolicy.open(besides: []).allows(found) == isOpen)
        #expect(AddressPolicy.all.allows(found))
    }

    private static func address(_ text: String) throws -> SocketAddress {
        var storage = [UInt8](repeating: 0, count: 28)
        if text.contains(":") {
            storage[0] = UInt8(AF_INET6)
            try #require(inet_pton(AF_INET6, text, &storage[8]) == 1)
        } else {
            storage[0] = UInt8(AF_INET)
            try #require(inet_pton(AF_INET, text, &storage[4]) == 1)
        }
        return try #require(storage.withUnsafeBytes { SocketAddress($0.baseAddress!) })
    }

    @Test func `an answer that comes after a sink was begun anew is of no account`() throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path), segmentSize: 200)
        let worker = try bench.worker()
        bench.answer { _ in nil }
        try bench.decide("ana:1")
        worker.work()
        #expect(bench.tried == ["ana:1"])
        for number in 1...8 { try bench.decide("bob:\(number)") }
        bench.journal.drop(through: bench.journal.last)
        // Behind a cursor that is not kept.
        try worker.forget("nobody")
        worker.work()
        try #require(worker.status.state == .broken)
        bench.answer { _ in .taken }
        _ = try worker.act(.resume)
        for done in bench.target.waiting.withLock({ $0 }) { done(.taken) }
        worker.work()
        try bench.decide("ana:2")
        worker.work()
        #expect(bench.tried.last == "ana:2" && worker.status.state == .ready)
    }
}
