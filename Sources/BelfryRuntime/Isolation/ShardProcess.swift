import BelfryModel

/// A shard with a process of its own, with which a thread of this process speaks (`ShardSupervisor`).
final class ShardProcess: ShardWorker {
    private let inbox = ShardInbox()

    /// - Throws: `NoThread`, or why no process could be forked.
    init(
        _ zygote: Zygote, _ settings: ShardSettings, _ place: ShardPlace,
        _ timers: [(subject: String, due: Instant)]
    ) throws {
        inbox.park(try ShardSupervisor(zygote, settings, place, timers, inbox))
        do { try startThread { [inbox] in inbox.work() } } catch {
            inbox.takeIdle()?.end()
            throw error
        }
    }

    func begin(_ task: ShardTask) -> Monitor<ShardAnswer?> {
        let target = Monitor<ShardAnswer?>(nil)
        if task.isQuick, let supervisor = inbox.takeIdle() {
            supervisor.work(off: [.task(task, target)], isQuick: true)
            inbox.park(supervisor)
        } else {
            inbox.add(.task(task, target))
        }
        return target
    }

    /// From the next task on, everything is decided by processes of this.
    func take(_ zygote: Zygote) { inbox.add(.take(zygote)) }

    /// Also waits for that: nothing is left of the process then.
    func end() { inbox.end() }
}
