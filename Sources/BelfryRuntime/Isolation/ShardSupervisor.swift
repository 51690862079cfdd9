import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals
import CLinux
import Glibc

/// What the thread of a shard with a process of its own does: it speaks with that process, and watches it.
///
/// The process can be thrown away: what it has answered is here. When it dies, or is ended because a call of a plugin takes too much, another
/// one is forked and decides the same again from what was committed, without the call that did it.
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
    /// How many signals and timers the process was given since it was asked to save, about.
    private var unsaved = 0
    private var capacity: Int
    /// Subjects whose records were traced.
    private var traced: Set<SubjectKey>?
    private var isOver = false

    /// The process at work.
    private struct Running {
        let number: pid_t
        let channel: ShardChannel
        /// Readable when it has ended.
        let end: Int32
        var watch: CallWatch
        var knowsTimers = false
        var hasDecided = false
        /// Whether a plugin has closed its socket. It ends when it notices that.
        var isDeaf = false
        var requests = 0
        var answers = 0
        /// Why it was ended from here.
        var endedFor: CallWatch.Excess?
    }

    /// How many requests the process has at once: while it decides one, the next one lies ready.
    private static let ahead = 2
    /// So many signals and timers may come between two saves: to write what is changed often is not for each batch, and to make up for what
    /// was not saved is not to take long.
    private static let mostUnsaved = 8192
    /// A tick counts as so many.
    private static let tickWeight = 1000

    /// - Throws: why no process could be forked.
    init(
        _ zygote: Zygote, _ settings: ShardSettings, _ place: ShardPlace,
        _ timers: [(subject: String, due: Instant)], _ inbox: ShardInbox
    ) throws {
        (self.zygote, self.settings, self.place, self.inbox) = (zygote, settings, place, inbox)
        storedTimers = timers
        committed = try CommittedRecords(settings.store, zygote.names)
        capacity = settings.capacity
        traced = settings.traced
        process = try begin()
    }

    /// Ends when the inbox does, and all is done.
    func work() {
        while true {
            do {
                try takeJobs()
                if isOver, flights.isEmpty { break }
                try send()
                try wait()
            } catch {
                fail(error)
            }
        }
        try? endProcess()
        inbox.noteEnd()
    }

    private func takeJobs() throws {
        let (jobs, isOver) = inbox.takeJobs()
        self.isOver = isOver
        for job in jobs { try take(job) }
    }

    private func take(_ job: ShardInbox.Job) throws {
        switch job {
        case .take(let next):
            // The run has waited for everything before it.
            try endProcess()
            zygote = next
            committed.know(next.names)
        case .task(let task, let target):
            switch task.work {
            case .makeRoom(let capacity, let stored):
                self.capacity = min(self.capacity, capacity ?? .max)
                if let stored { committed.didStore(stored[place.index]) }
                target.change { $0 = ShardAnswer() }
            case .forget(let subject):
                // The process has it too.
                try endProcess()
                committed.forget(subject)
                target.change { $0 = ShardAnswer() }
            default:
                let flight = ShardFlight(task, lines(of: task), target)
                flight.gathering.quarantined = PlannedFault.quarantined(task.quarantined, of: zygote.entries)
                flights.append(flight)
            }
        }
    }

    private func lines(of task: ShardTask) -> [SignalBatch.Line] {
        guard case .lines(let batch) = task.work else { return [] }
        return batch.lines(of: place.index).map { batch.lines[$0] }
    }

    /// Hands over what can be.
    private func send() throws {
        while sent < min(flights.count, Self.ahead) {
            let flight = flights[sent]
            if flight.isLocal(place) || wantsSaved(flight) || wantsFreshProcess(flight) {
                // What was sent is answered first.
                guard sent == 0 else { return }
            }
            if flight.isLocal(place), !(flight.mustSave && committed.hasUnsaved) {
                try finishFirst()
                continue
            }
            if wantsSaved(flight), committed.hasUnsaved {
                flights.insert(.saving(), at: 0)
                continue
            }
            if wantsFreshProcess(flight) { try endProcess() }
            if process == nil { process = try begin() }
            unsaved += flight.needsTimers ? Self.tickWeight : flight.pieces.count
            flights[sent].saves = flight.mustSave || unsaved >= Self.mostUnsaved
            if flights[sent].saves { unsaved = 0 }
            try send(flights[sent])
            sent += 1
        }
    }

    /// Whether it is to be told of timers in records as they were saved.
    private func wantsSaved(_ flight: ShardFlight) -> Bool { flight.needsTimers && process?.knowsTimers == false }

    private func wantsFreshProcess(_ flight: ShardFlight) -> Bool {
        flight.wantsFreshProcess && process?.hasDecided == true
    }

    private func send(_ flight: ShardFlight) throws {
        var request = flight.request(place, capacity: capacity)
        if flight.needsTimers, !process!.knowsTimers {
            request.timers = try committed.timers(storedTimers) { isMine(stableHash($0)) }
            process!.knowsTimers = true
        }
        let length = try process!.channel.write(to: process!.requests % 2 == 0 ? .request : .nextRequest) {
            request.write(to: &$0)
        }
        process!.requests += 1
        process!.hasDecided = true
        // A process that does not hear the bell has died, and `wait` notices that at once.
        _ = process!.channel.ring(.request, length)
    }

    /// Waits until there is something to do, and looks at what the process does meanwhile.
    private func wait() throws {
        var polls = [pollfd(fd: inbox.bell, events: Int16(POLLIN), revents: 0)]
        if let process {
            polls.append(
                pollfd(fd: process.isDeaf ? -1 : process.channel.socket, events: Int16(POLLIN), revents: 0))
            polls.append(pollfd(fd: process.end, events: Int16(POLLIN), revents: 0))
        }
        guard sent > 0 || process != nil else { return _ = poll(&polls, nfds_t(polls.count), -1) }
        poll(&polls, nfds_t(polls.count), sent > 0 ? CallWatch.every : -1)
        if polls.count > 1, polls[1].revents & Int16(POLLIN) != 0, let bell = process?.channel.hear() {
            try take(bell)
        } else if polls.count > 2, polls[2].revents != 0 {
            try replaceProcess()
        } else if polls.count > 1, polls[1].revents != 0 {
            process?.isDeaf = true
        } else if sent > 0 {
            watch()
        }
    }

    private func watch() {
        guard let note = process?.channel.note.pointee, let excess = process?.watch.look(note) else { return }
        process?.endedFor = excess
        kill(process!.number, SIGKILL)
    }

    private func fail(_ error: any Error) {
        for flight in flights where flight.gathering.parts > 0 {
            flight.gathering.parts = 0
            flight.gathering.answer.failure = error
            flight.gathering.target.change { $0 = flight.gathering.answer }
        }
        flights = []
        // Nothing is decided any more.
        try? endProcess()
    }

    // MARK: What the process says

    private func take(_ bell: ShardChannel.Bell) throws {
        switch bell.kind {
        case .question: try giveRecords(bell.length)
        case .answer:
            guard sent > 0, let process,
                let bytes = process.channel.read(process.answers % 2 == 0 ? .answer : .nextAnswer, bell.length)
            else { throw ShardFailure.nonsense }
            self.process!.answers += 1
            do throws(MessageReader.Nonsense) {
                var reader = MessageReader(bytes)
                try flights[0].gathering.answer.append(&reader)
            } catch {
                // What was read so far is in the answer: nothing of it can be used.
                throw ShardFailure.nonsense
            }
            try takeAnswer()
        case .ready, .request, .records: break
        }
    }

    private func takeAnswer() throws {
        let answer = flights[0].gathering.answer
        if let failure = answer.failure { throw failure }
        try committed.take(answer, saves: flights[0].saves, isMine)
        sent -= 1
        try finishFirst()
        try keepMemoryInBounds()
    }

    /// The first one is answered.
    private func finishFirst() throws {
        let flight = flights.removeFirst()
        let gathering = flight.gathering
        gathering.parts -= 1
        guard gathering.parts == 0 else { return }
        if case .recent(let limit) = flight.task.work { gathering.answer.recent = try committed.recent(limit) }
        // Another process has to know what has passed.
        if case .tick(let time, bound: nil) = flight.task.work { settings.passed = max(settings.passed, time) }
        if let part = flight.task.part { try committed.collect(part, gathering.answer) }
        gathering.answer.dirty = committed.dirtyCount
        gathering.target.change { $0 = gathering.answer }
    }

    /// Gives the process records that it does not have.
    private func giveRecords(_ length: Int) throws {
        guard let process, let bytes = process.channel.read(.question, length) else { return }
        var reader = MessageReader(bytes)
        let subjects = try reader.list { reader throws(MessageReader.Nonsense) in try reader.text() }
        guard subjects.allSatisfy({ isMine(stableHash($0)) }) else { throw ShardFailure.nonsense }
        let records = try committed.lend(subjects)
        for (subject, lent) in zip(subjects, records) where lent.bytes != nil { traced?.insert(SubjectKey(subject)) }
        let written = try process.channel.write(to: .records) { message in
            for lent in records {
                message.optional(lent.bytes) { $0.bytes($1) }
                message.number(lent.lastDecision)
                message.number(lent.place)
            }
        }
        _ = process.channel.ring(.records, written)
    }

    private func isMine(_ hash: UInt64) -> Bool { BatchReader.shard(hash, of: place.count) == place.index }

    /// Between two tasks its records may go: they are kept here. A call is not to be blamed for them.
    private func keepMemoryInBounds() throws {
        guard sent == 0, let process, process.watch.memory > zygote.configuration.limits.memory.bytes / 4 * 3 else {
            return
        }
        try endProcess()
    }

    // MARK: The process

    private func begin() throws -> Running {
        var start = MessageWriter()
        ShardStart(
            passed: settings.passed, capacity: capacity, hasJournal: settings.store.isDurable, save: committed.save,
            traced: traced
        ).write(to: &start)
        committed.shared.answers = (0, 0)
        let (channel, number) = try zygote.fork(.shard, start.array, over: makeChannel) { channel in
            channel.hear().flatMap { $0.kind == .ready ? pid_t(truncatingIfNeeded: $0.length) : nil }
        }
        return Running(
            number: number, channel: channel, end: belfry_process_descriptor(number),
            watch: CallWatch(.process(number), zygote.configuration.limits))
    }

    private func makeChannel() throws -> (ShardChannel, other: [Int32]) {
        let (channel, other) = try ShardChannel.make()
        return (channel, other + [try committed.shared.descriptorToGive()])
    }

    /// Lets go of the process, whatever it is at.
    private func endProcess() throws {
        sent = 0
        guard let process else { return }
        kill(process.number, SIGKILL)
        _ = ProcessEnd.wait(for: process.number)
        close(process.end)
        (self.process, unsaved) = (nil, 0)
        try committed.processEnded()
    }

    /// The process has died, or hung up: another one does its work, without the call that it died of.
    private func replaceProcess() throws {
        guard let process else { return }
        kill(process.number, SIGKILL)
        let end = ProcessEnd.wait(for: process.number) ?? .signal(SIGKILL)
        close(process.end)
        try takeWhatIsComplete()
        let (note, wasAtWork) = (process.channel.note.pointee, sent > 0)
        (self.process, sent, unsaved) = (nil, 0, 0)
        try committed.processEnded()
        guard wasAtWork, !flights.isEmpty else { return }
        let death = ShardDeath(
            end: end, note: note, endedFor: process.endedFor, limits: zygote.configuration.limits)
        noteFault(death)
        flights.replaceSubrange(0..<1, with: try flights[0].after(death, zygote))
    }

    /// Takes the answers that the process has given, also one that it could not ring for any more.
    private func takeWhatIsComplete() throws {
        while sent > 0, let bell = process?.channel.heard() { try take(bell) }
        let (count, length) = committed.shared.answers
        if sent > 0, count == process.map({ $0.answers + 1 }) {
            try take(ShardChannel.Bell(kind: .answer, length: length))
        }
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

extension ShardFailure {
    static let nonsense = ShardFailure(
        description: """
            a shard's process answered what makes no sense
              why: most likely a plugin writes where it may not
              fix: 'belfry plugins check FILE' looks at a plugin alone; take out of 'chain' what does not work
            """)
    static let noBeginning = ShardFailure(
        description: """
            a shard's process ended before it began
              fix: do that again; --isolation thread does without such processes
            """)
}
