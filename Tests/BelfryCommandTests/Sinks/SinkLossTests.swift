import BelfryModel
import Testing

@testable import BelfryDelivery

/// Sinks of which the journal has dropped what they had not taken.
@Suite struct SinkLossTests {
    @Test func `what was dropped from the journal breaks a sink, and resuming it goes on with the oldest`() throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path), segmentSize: 1)
        let first = try bench.worker()
        bench.answer { _ in .failed("answers 500") }
        try bench.decide("ana:1")
        first.work()
        bench.pass(.seconds(2))
        first.work()
        try bench.decide("ana:2")
        bench.journal.drop(through: bench.journal.last - 1)
        _ = bench.tried
        bench.answer { _ in .taken }
        let second = try bench.worker()
        second.work()
        #expect(second.status.state == .broken && bench.tried.isEmpty)
        let entry = first.entry
        #expect(second.status.why == "the journal has dropped what came after entry \(entry)")
        #expect(
            bench.said.withLock { $0.last } == """
                warning: sink 'crm' is broken: what it has not taken is not in the journal any more
                  why: the journal has dropped what came after entry \(entry)
                  fix: 'belfry sinks resume crm' goes on with the oldest decision that is kept
                """)
        #expect(try second.act(.resume) == 1)
        second.work()
        #expect(second.status.state == .ready && bench.tried == ["ana:2"])
        // Also for the process that comes after the one that was resumed.
        let third = try bench.worker()
        third.work()
        #expect(third.status.state == .ready && third.status.waiting == 0)
    }

    @Test func `one that is paused breaks, too, once what it waits for is dropped`() throws {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path), segmentSize: 1)
        let worker = try bench.worker()
        _ = try worker.act(.pause)
        let entry = worker.entry
        try bench.decide("ana:1")
        try bench.decide("ana:2")
        worker.work()
        bench.journal.drop(through: entry)
        worker.work()
        #expect(worker.status.state == .paused, "what is dropped had no decision")
        bench.journal.drop(through: bench.journal.last - 1)
        worker.work()
        #expect(worker.status.state == .broken)
        #expect(worker.status.why == "the journal has dropped what came after entry \(entry)")
        bench.answer { _ in .taken }
        #expect(try worker.act(.resume) == 1)
        worker.work()
        #expect(bench.tried == ["ana:2"] && worker.status.state == .ready)
    }

    @Test func `a decision that was not durable at first arrives once it is, also where a sink begins to read anew`()
        throws
    {
        let folder = try Workplace([:])
        let bench = try SinkBench(.folder(folder.file("journal").path), segmentSize: 1)
        let worker = try bench.worker()
        worker.work()
        try bench.decideInVain("ana:1", in: folder.file("journal"))
        worker.work()
        // As after any erasure.
        try worker.forget("eve")
        worker.work()
        #expect(bench.tried.isEmpty)
        // A sink that is new by then gets it, too: what it notes makes both durable.
        let new = try bench.worker { $0.id = "new" }
        try bench.decide("bob:1")
        for sink in [worker, new] {
            sink.work()
            #expect(bench.tried == ["ana:1", "bob:1"])
        }
    }

    @Test func `what was taken and did not reach the disk is delivered again, after a pause`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        try bench.decide("ana:1", "bob:1")
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1"])
        bench.target.failingSyncs.withLock { $0 = 1 }
        bench.pass(.seconds(1))
        worker.work()
        #expect(bench.tried.isEmpty && worker.status.waiting == 2 && worker.status.delivered == 0)
        #expect(worker.status.state == .failing)
        #expect(
            bench.said.withLock { $0 } == [
                """
                warning: sink 'crm' fails: 'copy' cannot be written: Input/output error
                  effect: what it took since its place was last noted is delivered again
                """
            ])
        bench.pass(.seconds(5))
        worker.work()
        #expect(bench.tried == ["ana:1", "bob:1"])
        #expect(worker.status.state == .ready && worker.status.waiting == 0 && worker.status.delivered == 2)
        bench.pass(.seconds(1))
        worker.work()
        let next = try bench.worker()
        next.work()
        #expect(bench.tried.isEmpty && next.status.delivered == 2)
    }

    @Test func `an operator's action notes nothing that did not reach the disk`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker()
        try bench.decide("ana:1")
        worker.work()
        _ = bench.tried
        bench.target.failingSyncs.withLock { $0 = 1 }
        _ = try worker.act(.pause)
        let next = try bench.worker()
        #expect(next.status.state == .paused && next.status.waiting == 1)
        _ = try next.act(.resume)
        next.work()
        #expect(bench.tried == ["ana:1"])
    }
}
