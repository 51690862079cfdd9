import BelfryEngine
import BelfryModel
import Glibc

/// Speaks with the process of a shard, and watches it: on a thread of the shard, or on the one that asks when the shard has nothing to do.
///
/// The process can be thrown away: what it has saved is here, and what it was asked since. When it dies, or is ended because a call of a plugin
/// takes too much, another one is forked and decides the same again, without the call that did it.
final class ShardSupervisor {
    let place: ShardPlace
    var settings: ShardSettings
    let storedTimers: [(subject: String, due: Instant)]
    let committed: CommittedRecords
    private let inbox: ShardInbox

    var zygote: Zygote
    var process: Running?
    /// What is to be answered, the first one first. The first `sent` of them are with the process.
    var flights: [ShardFlight] = []
    var sent = 0
    /// What makes up for the process when it dies.
    var unsaved: SentRequests
    /// How many tasks are to be saved each.
    var cautious = 0
    var capacity: Int
    /// Subjects whose records were traced.
    var traced: Set<SubjectKey>?
    /// Why nothing can be decided any more: records may not be what they were.
    private var failure: (any Error)?

    /// - Throws: why no process could be forked.
    init(
        _ zygote: Zygote, _ settings: ShardSettings, _ place: ShardPlace,
        _ timers: [(subject: String, due: Instant)], _ inbox: ShardInbox
    ) throws {
        (self.zygote, self.settings, self.place, self.inbox) = (zygote, settings, place, inbox)
        storedTimers = timers
        unsaved = SentRequests(isDurable: settings.store.isDurable)
        committed = try CommittedRecords(settings.store, zygote.names)
        capacity = settings.capacity
        traced = settings.traced
        process = try begin()
    }

    /// Works jobs off, with what comes meanwhile.
    ///
    /// - Parameter isQuick: whether the thread that asks does it: it takes no other jobs, and looks for the answer before it sleeps.
    func work(off jobs: [ShardInbox.Job], isQuick: Bool = false) {
        var jobs = jobs
        repeat {
            do {
                if let failure { throw failure }
                while let job = jobs.first {
                    try take(job)
                    jobs.removeFirst()
                }
                try send()
                if !flights.isEmpty { try wait(isQuick: isQuick) }
            } catch {
                fail(error, jobs)
                jobs = []
            }
            if !isQuick { jobs = inbox.takeJobs() }
        } while !jobs.isEmpty || !flights.isEmpty
    }

    /// Nothing is left of the process then.
    func end() { endProcess() }

    private func take(_ job: ShardInbox.Job) throws {
        switch job {
        case .take(let next):
            // The run has waited for everything before it. Records are saved by what they refer to now.
            try save()
            endProcess()
            zygote = next
            committed.know(next.names)
        case .task(let task, let target):
            if let stored = task.part?.stored { committed.didStore(stored[place.index]) }
            if try isDoneHere(task) { return target.change { $0 = ShardAnswer() } }
            let flight = ShardFlight(task, of: place.index, target)
            flight.gathering.settled = PlannedFault.quarantined(task.quarantined, of: zygote.entries)
            flights.append(flight)
        }
    }

    /// - Returns: false if the process has to do it.
    private func isDoneHere(_ task: ShardTask) throws -> Bool {
        switch task.work {
        case .makeRoom(let capacity, let stored):
            self.capacity = min(self.capacity, capacity ?? .max)
            if let stored { committed.didStore(stored[place.index]) }
            return true
        case .forget(let subject):
            // The process has it too.
            try save()
            endProcess()
            committed.forget(subject)
            return true
        default: return false
        }
    }

    /// Forks a process for what is in force now.
    func begin() throws -> Running {
        let start = ShardStart(
            passed: settings.passed, capacity: capacity, hasJournal: settings.store.isDurable, save: committed.save,
            traced: traced)
        return try Running(zygote, start, committed.shared)
    }

    /// Has all be answered, and the process save.
    private func save() throws {
        flights.append(.saving())
        while !flights.isEmpty {
            try send()
            if !flights.isEmpty { try wait(isQuick: true) }
        }
    }

    /// How often the thread that asks looks for the answer before it sleeps.
    private static let looks = 200

    /// Waits until there is something to do, and looks at what the process does meanwhile.
    private func wait(isQuick: Bool) throws {
        if let bell = process?.channel.heard(within: isQuick ? Self.looks : 1) { return try take(bell) }
        guard let process else { return }
        process.channel.sleep(true)
        defer { process.channel.sleep(false) }
        if let bell = process.channel.heard() { return try take(bell) }
        var polls = [isQuick ? -1 : inbox.bell, process.isDeaf ? -1 : process.channel.socket, process.end].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        poll(&polls, nfds_t(polls.count), CallWatch.every)
        let isWoken = polls[1].revents & Int16(POLLIN) != 0 && process.channel.wake()
        if polls[2].revents != 0 { return try replaceProcess() }
        if polls[1].revents != 0, !isWoken { self.process?.isDeaf = true }
        // A plugin may write to the socket without an end.
        if polls[1].revents == 0 || process.watch.isDue { self.process?.look() }
    }

    /// Nothing is decided any more, and whatever is asked is told why.
    private func fail(_ error: any Error, _ jobs: [ShardInbox.Job]) {
        failure = error
        let answer = ShardAnswer()
        answer.failure = error
        for flight in flights where flight.gathering.parts > 0 {
            flight.gathering.parts = 0
            flight.gathering.target.change { $0 = answer }
        }
        for case .task(_, let target) in jobs { target.change { $0 = answer } }
        (flights, sent) = ([], 0)
        _ = process?.remove()
        process = nil
    }
}
