import BelfryModel
import Testing

@testable import BelfryDelivery

/// How long a run waits at its end, with time that is moved by hand.
@Suite struct SinkPatienceTests {
    @Test func `an attempt that is under way when patience ends may take all of its time`() {
        // From 11 s on one is under way that was begun after 8 s: the one before has failed.
        let steps: [Step] = [(0, 0, 30), (11, 0, 38), (38, 0, 38), (39, 0, 38)]
        #expect(Self.isOver(steps) == [false, false, false, true])
    }

    @Test func `what is begun later gets no more of it, and a delivery begins it anew`() {
        let steps: [Step] = [(0, 0, 30), (11, 0, 30), (31, 0, 59), (31, 1, 59), (42, 1, 59)]
        #expect(Self.isOver(steps) == [false, false, true, false, false])
    }

    @Test func `what waits for its rate, with nothing under way, has no more than patience`() {
        #expect(Self.isOver([(0, 0, nil), (10, 0, nil), (11, 0, nil)]) == [false, false, true])
    }

    @Test func `no attempt goes beyond the limit in all`() {
        #expect(Self.isOver([(0, 0, 30), (20, 1, 30), (21, 2, 30)], limit: .seconds(20)) == [false, false, true])
    }

    /// The time in seconds, how much is done by then, and when the attempts under way are over.
    private typealias Step = (now: Int64, done: Int, attempts: Int64?)

    /// With a patience of 10 s.
    private static func isOver(_ steps: [Step], limit: Duration? = nil) -> [Bool] {
        var patience = SinkPatience(.seconds(10), until: limit)
        return steps.map { step in
            patience.isOver(at: .seconds(step.now), done: step.done, attempts: step.attempts.map { .seconds($0) })
        }
    }

    @Test func `an attempt ends by its timeout after it was begun, however long its sink had something to do`() throws {
        let bench = try SinkBench()
        let worker = try bench.worker { $0.rate = .init("1/h") }
        try bench.decide("ana:1", "bob:1")
        worker.work()
        #expect(!worker.isIdle && worker.attemptsEnd == nil, "what waits for its rate is not under way")
        bench.answer { _ in nil }
        bench.pass(.hours(1))
        worker.work()
        #expect(worker.attemptsEnd == .hours(1) + .seconds(30))
        for done in bench.target.waiting.withLock({ $0 }) { done(.taken) }
        worker.work()
        #expect(worker.isIdle && worker.attemptsEnd == nil)
    }
}
