import Synchronization

/// Wakes the tasks that wait for something to happen.
final class Bell: Sendable {
    private let state = Mutex(State())

    private struct State {
        var rings: UInt64 = 0
        var next: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    /// How often it rang.
    var rings: UInt64 { state.withLock { $0.rings } }

    func ring() {
        let waiting = state.withLock { state in
            state.rings += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits until it has rung more often than that, or for so long.
    func wait(past rings: UInt64, atMost time: Swift.Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForRing(past: rings) }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForRing(past rings: UInt64) async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.rings > rings || Task.isCancelled { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }
}
