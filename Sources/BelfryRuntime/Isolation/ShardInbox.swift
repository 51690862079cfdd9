import CLinux
import Glibc

/// What a shard's process is to do.
final class ShardInbox: Sendable {
    private let state = Monitor(State())
    /// Readable when there is something in it.
    let bell = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))

    private struct State {
        /// Nil while a thread has it.
        var supervisor: ShardSupervisor?
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
        let isLate = state.change { state in
            if !state.isOver { state.jobs.append(job) }
            return state.isOver
        }
        guard isLate else { return _ = eventfd_write(bell, 1) }
        guard case .task(_, let target) = job else { return }
        let answer = ShardAnswer()
        answer.failure = ShardFailure(description: "the run has ended")
        target.change { $0 = answer }
    }

    /// Says that nothing comes any more, and waits until all is done.
    func end() {
        state.change { $0.isOver = true }
        state.wait { $0.hasEnded ? .done(()) : .wait() }
    }

    func takeJobs() -> [Job] {
        var count: eventfd_t = 0
        eventfd_read(bell, &count)
        return state.changeQuietly { state in
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    /// Takes the supervisor for the thread that asks, if it is free.
    func takeIdle() -> ShardSupervisor? { state.changeQuietly { $0.jobs.isEmpty ? $0.supervisor.take() : nil } }

    func park(_ supervisor: ShardSupervisor) {
        let isWanted = state.changeQuietly { state in
            state.supervisor = supervisor
            return !state.jobs.isEmpty || state.isOver
        }
        if isWanted { state.change { _ in } }
    }

    /// What the shard's thread does, until nothing comes any more, and all is done.
    func work() {
        while let supervisor = next() {
            let jobs = takeJobs()
            if jobs.isEmpty {
                supervisor.end()
                break
            }
            supervisor.work(off: jobs)
            park(supervisor)
        }
        state.change { $0.hasEnded = true }
    }

    /// Waits for jobs, or for the end without any.
    private func next() -> ShardSupervisor? {
        state.wait { state in
            guard !state.jobs.isEmpty || state.isOver, let supervisor = state.supervisor.take() else { return .wait() }
            return .done(supervisor)
        }
    }
}
