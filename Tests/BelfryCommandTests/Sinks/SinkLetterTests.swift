import BelfryEngine
import BelfryJournal
import BelfryModel
import Foundation
import Testing

@testable import BelfryDelivery

/// What a sink was not given: it is kept, told of, and can be sent again.
@Suite struct SinkLetterTests {
    @Test func `what is sent again counts as waiting, and its letters go when that is noted`() throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path))
        let worker = try bench.worker()
        try bench.decide("ana:1", "bob:1")
        bench.answer { _ in .dropped("says no") }
        worker.work()
        bench.answer { _ in nil }
        #expect(try worker.act(.resend) == 2)
        #expect(worker.status.waiting == 2)
        worker.work()
        for done in bench.target.waiting.withLock({ $0 }) { done(.taken) }
        worker.work()
        #expect(worker.status.waiting == 0 && worker.status.delivered == 2)
        bench.pass(.seconds(1))
        worker.work()
        #expect(try folder.text(of: "journal/dead-crm.jsonl") == "")
    }

    @Test func `what has waited too long is given up, kept, told of, and can be sent again`() throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path))
        let worker = try bench.worker { $0.expires = .minutes(10) }
        try bench.decide("ana:1", "ana:2", "bob:1")
        bench.answer { $0.subject == "ana" ? .refused("answers 400") : .taken }
        worker.work()
        bench.pass(.minutes(11))
        worker.work()
        #expect(worker.status.dropped == 2 && worker.status.waiting == 0)
        let letters = try DeadLetters(of: "crm", beside: bench.journal.location).all
        #expect(letters.compactMap { $0["decision"]?.map?["id"]?.text } == ["ana:1", "ana:2"])
        #expect(letters.allSatisfy { $0["why"] == "has waited for longer than 10m" })
        let failed = bench.receipts.withLock { $0 }.filter { $0.contains("notification.failed") }
        #expect(
            failed.first
                == #"{"specversion":"1.0","id":"ana:1/crm/notification.failed","source":"/sinks/crm","type":"notification.failed","#
                + #""subject":"ana","data":{"sink":"crm","notification":"sale/1","campaign":"sale","#
                + #""reason":"has waited for longer than 10m"}}"#)
        _ = bench.tried
        bench.answer { _ in .taken }
        #expect(try worker.act(.resend) == 2)
        worker.work()
        #expect(bench.tried == ["ana:1", "ana:2"])
        #expect(try worker.act(.resend) == 0)
        #expect(try DeadLetters(of: "crm", beside: bench.journal.location).all.isEmpty)
    }

    @Test func `what is to be sent again is so after a restart, too`() throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path))
        let first = try bench.worker()
        try bench.decide("ana:1", "bob:1")
        bench.answer { _ in .dropped("says no") }
        first.work()
        bench.answer { $0.subject == "ana" ? .refused("answers 400") : .dropped("says no") }
        #expect(try first.act(.resend) == 2)
        first.work()
        bench.pass(.seconds(1))
        first.work()
        _ = bench.tried
        bench.answer { _ in .taken }
        let second = try bench.worker()
        #expect(second.status.waiting == 1 && second.status.state == .failing)
        second.work()
        #expect(bench.tried == ["ana:1"] && second.status.waiting == 0 && second.status.state == .ready)
        bench.pass(.seconds(1))
        second.work()
        let letters = try DeadLetters(of: "crm", beside: bench.journal.location).all
        #expect(letters.compactMap { $0["decision"]?.map?["id"]?.text } == ["bob:1"])
        #expect(try bench.worker().status.waiting == 0)
    }

    @Test func `letters that cannot be read are not taken for none`() throws {
        let folder = try Workplace([:])
        try FileManager.default.createDirectory(
            at: folder.file("journal/dead-crm.jsonl"), withIntermediateDirectories: true)
        let letters = DeadLetters(of: "crm", beside: .folder(folder.file("journal").path))
        #expect(throws: JournalError.self) { try letters.all }
    }

    @Test(arguments: [SinkAction.skip, .skipAll])
    func `what is sent again is sent once, and can be skipped again`(action: SinkAction) throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path))
        let worker = try bench.worker()
        try bench.decide("ana:1")
        bench.answer { $0.id == "ana:1" ? .refused("answers 400") : .taken }
        worker.work()
        #expect(try worker.act(.skip) == 1)
        for _ in 1...3 { #expect(try worker.act(.resend) == 1) }
        try bench.decide("ana:2")
        worker.work()
        #expect(bench.tried == ["ana:1", "ana:1"] && worker.status.waiting == 2)
        #expect(try worker.act(action) == (action == .skip ? 1 : 2))
        worker.work()
        #expect(bench.tried == (action == .skip ? ["ana:2"] : []) && worker.status.waiting == 0)
        let letters = try DeadLetters(of: "crm", beside: bench.journal.location).all
        let kept = letters.compactMap { $0["decision"]?.map?["id"]?.text }
        #expect(kept == (action == .skip ? ["ana:1"] : ["ana:1", "ana:2"]))
    }

    @Test func `what somebody got who was erased is not tried again, neither what is under way nor what is sent again`()
        throws
    {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path))
        let worker = try bench.worker()
        try bench.decide("eve:1", "bob:1", "ana:1", "ana:2")
        bench.answer { $0.subject == "eve" ? .dropped("answers 400") : $0.subject == "ana" ? nil : .taken }
        worker.work()
        bench.answer { $0.subject == "ana" ? nil : .refused("answers 422") }
        #expect(try worker.act(.resend) == 1)
        try worker.forget("eve")
        try worker.forget("ana")
        _ = bench.tried
        for done in bench.target.waiting.withLock({ $0 }) { done(.failed("answers 503")) }
        bench.pass(.hours(2))
        bench.answer { _ in .taken }
        worker.work()
        #expect(bench.tried.isEmpty)
        #expect(try DeadLetters(of: "crm", beside: bench.journal.location).all.isEmpty)
        try bench.decide("ana:3")
        worker.work()
        #expect(bench.tried == ["ana:3"] && worker.status.waiting == 0)
    }

    @Test func `what many were not given is kept at once`() throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path))
        let worker = try bench.worker()
        try bench.decide((1...500).map { "s\($0):1" })
        #expect(try worker.act(.skipAll) == 500)
        let letters = try DeadLetters(of: "crm", beside: bench.journal.location).all
        #expect(letters.compactMap { $0["decision"]?.map?["id"]?.text } == (1...500).map { "s\($0):1" })
    }
}
