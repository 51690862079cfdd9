import BelfryModel
import Testing

@testable import BelfryDelivery
@testable import BelfryRuntime

/// What the delivery cannot show, since its commits and steps never overlap.
@Suite struct ForwardScheduleTests {
    @Test func `an item that is under way before it is announced is counted once`() {
        var schedule = ForwardSchedule((batch: 10, every: .seconds(60)), waiting: 1)
        #expect(schedule.next(at: .zero) == .attempt)
        schedule.cut(2)
        schedule.taken()
        #expect(schedule.next(at: .zero) == .rest(until: nil))
        schedule.committed(1, at: .zero)
        #expect(schedule.waiting == 0 && schedule.next(at: .hours(1)) == .rest(until: nil))
        schedule.committed(1, at: .hours(1))
        #expect(schedule.waiting == 1)
    }

    @Test func `an empty commit is none`() {
        var schedule = ForwardSchedule((batch: 10, every: .zero), waiting: 0)
        schedule.committed(0, at: .zero)
        #expect(schedule.next(at: .zero) == .rest(until: nil))
        schedule.end(at: .zero)
        #expect(schedule.next(at: .zero) == .end)
    }
}
