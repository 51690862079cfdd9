import BelfryEngine
import BelfryModel
import CLinux
import Glibc

/// A shard with a process of its own, with which a thread of this process speaks (`ShardSupervisor`).
final class ShardProcess: ShardWorker {
    private let inbox = ShardInbox()

    /// - Throws: `NoThread`, or why no process could be forked.
    init(
        _ zygote: Zygote, _ settings: ShardSettings, _ place: ShardPlace,
        _ timers: [(subject: String, due: Instant)]
    ) throws {
        let supervisor = try ShardSupervisor(zygote, settings, place, timers, inbox)
        try startThread { supervisor.work() }
    }

    func begin(_ task: ShardTask) -> Monitor<ShardAnswer?> {
        let target = Monitor<ShardAnswer?>(nil)
        inbox.add(.task(task, target))
        return target
    }

    /// From the next task on, everything is decided by processes of this.
    func take(_ zygote: Zygote) { inbox.add(.take(zygote)) }

    /// Also waits for that: nothing is left of the process then.
    func end() { inbox.end() }
}

/// What a shard's process is to do.
final class ShardInbox: Sendable {
    private let state = Monitor(State())
    /// Readable when there is something in it.
    let bell = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))

    private struct State {
        var jobs: [Job] = []
        var isOver = false
        var hasEnded = false
    }

    enum Job {
        case task(ShardTask, Monitor<ShardAnswer?>)
        case take(Zygote)
    }

    deinit { close(bell) }

    func add(_ job: Job) {
        state.change { $0.jobs.append(job) }
        eventfd_write(bell, 1)
    }

    /// Says that nothing comes any more, and waits until all is done.
    func end() {
        state.change { $0.isOver = true }
        eventfd_write(bell, 1)
        state.wait { $0.hasEnded ? .done(()) : .wait() }
    }

    /// - Returns: also whether nothing comes any more.
    func takeJobs() -> (jobs: [Job], isOver: Bool) {
        var count: eventfd_t = 0
        eventfd_read(bell, &count)
        return state.change { state in
            defer { state.jobs = [] }
            return (state.jobs, state.isOver)
        }
    }

    func noteEnd() { state.change { $0.hasEnded = true } }
}
