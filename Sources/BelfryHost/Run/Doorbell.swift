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
        if Self.look(until: isTrue) { return }
        sleepers.add(1, ordering: .relaxed)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        bell.wait { _ in isTrue() ? .done(()) : .wait() }
        sleepers.subtract(1, ordering: .relaxed)
    }

    /// Asks again and again for some microseconds: to fall asleep and be woken takes longer than most waits.
    ///
    /// - Returns: whether it has become true.
    static func look(until isTrue: () -> Bool) -> Bool {
        let end = ContinuousClock.now + .microseconds(30)
        repeat {
            // To ask for the time takes longer than to look.
            for _ in 0..<16 where isTrue() { return true }
        } while ContinuousClock.now < end
        return false
    }
}
