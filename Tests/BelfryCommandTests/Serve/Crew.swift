import Foundation

/// Threads that are waited for.
final class Crew: Sendable {
    private let group = DispatchGroup()

    func hire(_ work: @escaping @Sendable () -> Void) {
        group.enter()
        let group = group
        Thread {
            work()
            group.leave()
        }.start()
    }

    func wait() { group.wait() }
}
