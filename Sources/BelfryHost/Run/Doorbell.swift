import Glibc
import Synchronization

/// Where threads wait for what others are about to do: they look for a while, and then sleep, so that somebody else gets the processor.
final class Doorbell: Sendable {
    private let sleepers = Atomic(0)
    private let bell = Monitor(())

    /// Wakes those who wait for something that has just been done.
    func ring() {
        // Either this sees who sleeps, or who is about to sleep sees what was done.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        if sleepers.load(ordering: .relaxed) > 0 { bell.change { _ in } }
    }

    func wait(until isTrue: () -> Bool) {
        for attempt in 0..<Self.patience {
            if isTrue() { return }
            if attempt > Self.patience - 10 { sched_yield() }
        }
        sleepers.add(1, ordering: .sequentiallyConsistent)
        bell.wait { _ in isTrue() ? .done(()) : .wait() }
        sleepers.subtract(1, ordering: .relaxed)
    }

    private static let patience = 30_000
}
