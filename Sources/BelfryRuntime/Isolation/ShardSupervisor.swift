import BelfryCore
import BelfryEngine
import BelfryModel
import CLinux
import Glibc

/// Speaks with the process of a shard, and watches it: on a thread of the shard, or on the one that asks when the shard has nothing to do.
///
/// The process can be thrown away: what it has saved is here, and what it was asked since. When it dies, or is ended because a call of a plugin
/// takes too much, another one is forked and decides the same again, without the call that did it.
final class ShardSupervisor {
    private let place: ShardPlace
    private var settings: ShardSettings
    private let storedTimers: [(subject: String, due: Instant)]
    private let committed: CommittedRecords
    private let inbox: ShardInbox

    private var zygote: Zygote
    private var process: Running?
    /// What is to be answered, the first one first. The first `sent` of them are with the process.
    private var flights: [ShardFlight] = []
    private var sent = 0
    /// What makes up for the process when it dies.
    private var unsaved: SentRequests
    /// How many tasks are to be saved each.
    private var cautious = 0
    private var capacity: Int
    /// Subjects whose records were traced.
    private var traced: Set<SubjectKey>?
    /// Why nothing can be decided any more: records may not be what they were.
    private var failure: (any Error)?

    /// The process at work.
    private struct Running {
        let number: pid_t
        let channel: ShardChannel
        /// Readable when it has ended; -1 once nothing is left of it.
        var end: Int32
        var watch: CallWatch
        var knowsTimers = false
        /// Whether a plugin has closed its socket. It ends when it notices that.
        var isDeaf = false
        var requests = 0
        var answers = 0
        /// How many records it has. Those that are too many leave when it saves.
        var records = 0
        /// Why it was ended from here.
        var endedFor: CallWatch.Excess?
        /// Whether it has nearly as much memory as it may.
        var isLarge = false
        /// Subjects whose records it was given, and has not told a trace of yet.
        var untraced: Set<SubjectKey> = []
        /// How often it was seen to sleep outside of calls although there is something to do.
        var sleepy = 0

        /// Ends it, once.
        ///
        /// - Returns: how it had ended before.
        mutating func remove() -> ProcessEnd {
            guard end >= 0 else { return .signal(SIGKILL) }
            kill(number, SIGKILL)
            close(end)
            end = -1
            return ProcessEnd.wait(for: number) ?? .signal(SIGKILL)
        }
    }

    /// How many requests lie with the process: the one that it decides, and the next.
    private static let ahead = 2
    /// Behind a death so many tasks are saved each, since another one may follow soon.
    private static let mostCautious = 32

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
            switch task.work {
            case .makeRoom(let capacity, let stored):
                self.capacity = min(self.capacity, capacity ?? .max)
                if let stored { committed.didStore(stored[place.index]) }
                target.change { $0 = ShardAnswer() }
            case .forget(let subject):
                // The process has it too.
                try save()
                endProcess()
                committed.forget(subject)
                target.change { $0 = ShardAnswer() }
            default:
                let flight = ShardFlight(task, of: place.index, target)
                flight.gathering.settled = PlannedFault.quarantined(task.quarantined, of: zygote.entries)
                flights.append(flight)
            }
        }
    }

    /// Has all be answered, and the process save.
    private func save() throws {
        flights.append(.saving())
        while !flights.isEmpty {
            try send()
            if !flights.isEmpty { try wait(isQuick: true) }
        }
    }

    /// Hands over what can be.
    private func send() throws {
        while sent < min(flights.count, Self.ahead) {
            let flight = flights[sent]
            if flight.isLocal(place) || wantsTimers(flight) || wantsFreshProcess(flight) {
                // What was sent is answered first.
                guard sent == 0 else { return }
            }
            if flight.isLocal(place), !flight.mustSave || unsaved.isSaved {
                try finishFirst()
            } else if process == nil {
                try beginAgain()
            } else if wantsTimers(flight) || wantsFreshProcess(flight), !unsaved.isSaved {
                flights.insert(.saving(), at: 0)
            } else if wantsFreshProcess(flight) {
                endProcess()
            } else {
                flights[sent].saves = saves(flight)
                try send(flights[sent])
                sent += 1
            }
        }
    }

    /// Whether the process is to save with it.
    private func saves(_ flight: ShardFlight) -> Bool {
        if flight.mustSave || unsaved.isSaveDue || (process?.records ?? 0) > capacity { return true }
        if flight.isReplay { return !flights.dropFirst(sent + 1).contains(where: \.isReplay) }
        defer { cautious = max(0, cautious - 1) }
        return cautious > 0
    }

    /// Forks a process, and has it first make up for what the last one had not saved.
    private func beginAgain() throws {
        process = try begin()
        flights.insert(contentsOf: try unsaved.takeReplays(), at: 0)
    }

    /// Whether it needs timers that the process is not told of, as there are in the records that were saved.
    private func wantsTimers(_ flight: ShardFlight) -> Bool { flight.needsTimers && process?.knowsTimers == false }

    private func wantsFreshProcess(_ flight: ShardFlight) -> Bool {
        guard let process else { return false }
        return (flight.wantsFreshProcess && process.requests > 0) || (process.isLarge && !flight.isLocal(place))
    }

    private func send(_ flight: ShardFlight) throws {
        var request = flight.request(place, capacity: capacity)
        if flight.needsTimers, !process!.knowsTimers {
            request.timers = try committed.timers(storedTimers) { isMine(stableHash($0)) }
            process!.knowsTimers = true
        }
        let message = unsaved.add(request)
        let length = try process!.channel.write(to: process!.requests % 2 == 0 ? .request : .nextRequest) { writer in
            message.withUnsafeBytes { writer.raw($0) }
        }
        process!.requests += 1
        // A process that has hung up has died, and `wait` notices that at once.
        process!.channel.ring(.request, length)
    }

    /// How often the thread that asks looks for the answer before it sleeps.
    private static let looks = 200

    /// Waits until there is something to do, and looks at what the process does meanwhile.
    private func wait(isQuick: Bool) throws {
        if let bell = process?.channel.heard(within: isQuick ? Self.looks : 1) {
            process?.sleepy = 0
            return try take(bell)
        }
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
        if polls[1].revents == 0 || process.watch.isDue { watch() }
    }

    private func watch() {
        guard let note = process?.channel.note.pointee else { return }
        if let excess = process?.watch.look(note) {
            process?.endedFor = excess
            kill(process!.number, SIGKILL)
        } else if note.current == nil, process!.watch.isWaiting {
            wakeUp()
        }
    }

    /// A plugin may have written over what the process listens to, or have closed it.
    private func wakeUp() {
        process!.sleepy += 1
        if process!.sleepy == Self.mostSleepy / 2 { process!.channel.wakeOther() }
        if process!.sleepy == Self.mostSleepy { kill(process!.number, SIGKILL) }
    }

    /// So often, every 10 ms, a process may be seen to sleep that has something to do.
    private static let mostSleepy = 200

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

    // MARK: What the process says

    private func take(_ bell: ShardChannel.Bell) throws {
        switch bell.kind {
        case .question: try giveRecords(bell.length)
        case .answer:
            guard sent > 0, let process,
                let message = process.channel.message(
                    process.answers % 2 == 0 ? .answer : .nextAnswer, bell.length)
            else { throw ShardFailure.nonsense }
            self.process!.answers += 1
            do throws(MessageReader.Nonsense) {
                try flights[0].gathering.answer.append(message)
            } catch {
                // What was read so far is in the answer: nothing of it can be used.
                throw ShardFailure.nonsense
            }
            try takeAnswer()
        case .ready, .request, .records: throw ShardFailure.nonsense
        }
    }

    private func takeAnswer() throws {
        let answer = flights[0].gathering.answer
        if let failure = answer.failure { throw failure }
        guard flights[0].isAnswered(by: answer) else { throw ShardFailure.nonsense }
        guard isSound(answer) else { throw ShardFailure.nonsense }
        try committed.take(answer, saves: flights[0].saves)
        unsaved.didAnswer(saves: flights[0].saves, changes: answer.newChanges)
        answer.taken = answer.changes.count
        if let told = process?.untraced { traced?.formUnion(told) }
        process?.untraced = []
        process?.records = answer.records
        sent -= 1
        try finishFirst()
        noteMemory()
    }

    /// Whether it tells of the shard's subjects only.
    private func isSound(_ answer: ShardAnswer) -> Bool {
        RecordChanges.areSound(answer.newChanges, isMine)
            && answer.output.calls.allSatisfy { isMine(stableHash($0.subject)) }
            && answer.outgoing.allSatisfy { isMine(stableHash($0.item.subject)) }
    }

    /// The first one is answered.
    private func finishFirst() throws {
        let gathering = flights[0].gathering
        if gathering.parts == 1 { try complete(gathering.answer, to: flights[0].task) }
        gathering.parts -= 1
        flights.removeFirst()
        if gathering.parts == 0 { gathering.target.change { $0 = gathering.answer } }
    }

    private func complete(_ answer: ShardAnswer, to task: ShardTask) throws {
        if case .recent(let limit) = task.work { answer.recent = try committed.recent(limit) }
        // Another process has to know what has passed.
        if case .tick(let time, bound: nil) = task.work { settings.passed = max(settings.passed, time) }
        if let part = task.part { try committed.collect(part, answer) }
        (answer.dirty, answer.shared) = (committed.dirtyCount, committed.shared.used)
        // Those that the process has are some of these.
        answer.records = committed.count
    }

    /// Gives the process records that it does not have.
    private func giveRecords(_ length: Int) throws {
        guard let process, let bytes = process.channel.read(.question, length) else { throw ShardFailure.nonsense }
        var reader = MessageReader(bytes)
        let subjects = try? reader.list { reader throws(MessageReader.Nonsense) in try reader.text() }
        guard let subjects, subjects.allSatisfy({ isMine(stableHash($0)) }) else { throw ShardFailure.nonsense }
        let records = try committed.lend(subjects)
        if traced != nil { self.process!.untraced.formUnion(subjects.map(SubjectKey.init)) }
        let written = try process.channel.write(to: .records) { message in
            for lent in records {
                message.optional(lent.bytes) { $0.bytes($1) }
                message.number(lent.lastDecision)
                message.number(lent.place)
            }
        }
        process.channel.ring(.records, written)
    }

    private func isMine(_ hash: UInt64) -> Bool { BatchReader.shard(hash, of: place.count) == place.index }

    /// Looks whether the process is to be replaced between two tasks: its records are kept here, and no call is to be blamed for their memory.
    private func noteMemory() {
        guard let memory = process?.watch.memoryIfDue() else { return }
        process!.isLarge = memory > zygote.configuration.limits.memory.bytes / 4 * 3
    }

    // MARK: The process

    private func begin() throws -> Running {
        var start = MessageWriter()
        ShardStart(
            passed: settings.passed, capacity: capacity, hasJournal: settings.store.isDurable, save: committed.save,
            traced: traced
        ).write(to: &start)
        let (channel, number) = try zygote.fork(.shard, start.array, over: makeChannel) { channel in
            channel.hear().flatMap { $0.kind == .ready && $0.length > 1 ? pid_t(exactly: $0.length) : nil }
        }
        let end = belfry_process_descriptor(number)
        guard end >= 0 else {
            let failure = SystemFailure("watch a shard's process")
            kill(number, SIGKILL)
            _ = ProcessEnd.wait(for: number)
            throw failure
        }
        return Running(
            number: number, channel: channel, end: end,
            watch: CallWatch(.process(number), zygote.configuration.limits))
    }

    private func makeChannel() throws -> (ShardChannel, other: [Int32]) {
        let records = try committed.shared.descriptorToGive()
        do {
            let (channel, other) = try ShardChannel.make()
            return (channel, other + [records])
        } catch {
            close(records)
            throw error
        }
    }

    /// Lets go of the process, whatever it is at.
    private func endProcess() {
        if process == nil { return }
        _ = process?.remove()
        forgetProcess()
    }

    private func forgetProcess() {
        (process, sent) = (nil, 0)
        unsaved.processEnded()
        committed.processEnded()
    }

    /// The process has died, or hung up: another one does its work, without the call that it died of.
    private func replaceProcess() throws {
        guard let end = process?.remove() else { return }
        try takeWhatIsComplete()
        guard let process else { return }
        let (note, wasAtWork) = (process.channel.note.pointee, sent > 0)
        forgetProcess()
        guard wasAtWork, !flights.isEmpty else { return }
        cautious = Self.mostCautious
        let death = ShardDeath(
            end: end, note: note, endedFor: process.endedFor, limits: zygote.configuration.limits)
        noteFault(death)
        flights.replaceSubrange(0..<1, with: try flights[0].after(death, zygote))
    }

    /// Takes the answers that the process has given.
    private func takeWhatIsComplete() throws {
        while sent > 0, let bell = process?.channel.heard() { if bell.kind == .answer { try take(bell) } }
    }

    /// An entry that did it too often is not called from the next piece on.
    private func noteFault(_ death: ShardDeath) {
        guard let quarantine = settings.quarantine, let fault = death.fault, fault.entry < zygote.entries.count,
            !death.isByStranger, flights[0].noteDeath(death.note),
            quarantine.fault(of: zygote.entries[fault.entry], fault.message)
        else { return }
        flights[0].exclude(fault.entry, after: death.note)
        for flight in flights.dropFirst() where flight.gathering !== flights[0].gathering {
            flight.exclude(fault.entry)
        }
    }
}
