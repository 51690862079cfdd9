import BelfryEngine
import BelfryJournal
import BelfryModel

/// What the status of a sink is made of.
struct SinkLook: Sendable {
    var record: SinkRecord
    /// How many decisions are sent again.
    var resent: Int
    /// Why it is broken; nil if it is not.
    var broken: String?
}

/// What a sink has in memory, and what is noted of it. One thread at a time.
struct SinkState: ~Copyable {
    private let sink: Configuration.Sink
    private let journal: Journal
    private let surroundings: SinkSurroundings
    private let messages: SinkMessages
    private let letters: DeadLetters
    private var reader: SinkReader
    private var queue: SinkQueue
    private var record: SinkRecord
    private var saved: (record: SinkRecord, at: Duration)
    /// The ids of those that were sent again, and whether they have arrived: their letters go, or stay, when that is noted.
    private var ended: [SubjectKey: Bool] = [:]
    /// Whether there is something to note.
    private var hasNews = false
    /// How often in a row what was taken could not be brought to the disk.
    private var failedSyncs = 0
    /// When the last attempt was begun.
    private var begunAt = Duration.zero

    /// That the journal has grown is to be noted after so many entries: each note makes it grow.
    private static let mostEntries: UInt64 = 1000
    /// A place is noted so often at most.
    private static let pause = Duration.seconds(1)

    init(
        _ sink: Configuration.Sink, _ filter: SinkFilter, _ journal: Journal, _ surroundings: SinkSurroundings
    ) throws {
        (self.sink, self.journal, self.surroundings) = (sink, journal, surroundings)
        messages = SinkMessages(sink: sink.id, say: surroundings.say)
        letters = DeadLetters(of: sink.id, beside: journal.location)
        reader = SinkReader(of: journal, filter, messages)
        let known = journal.value(SinkRecord.key(of: sink.id)).flatMap { SinkRecord($0) }
        // A new sink gets what is decided from now on.
        record = known ?? SinkRecord(entry: journal.durable, reached: journal.decisions)
        record.isRemoved = false
        saved = (record, surroundings.clock())
        queue = SinkQueue(
            sink, SinkWindow(entry: record.entry, reached: record.reached, missing: record.missing))
        // Before anything is decided, or a kill would make it new once more.
        if known == nil { try write() }
        reader.open(for: queue)
        do { _ = try sendAgain() } catch { messages.unreadableLetters(error) }
    }

    private func write() throws {
        var entry = JournalEntry(writtenAt: surroundings.now())
        entry.values[SinkRecord.key(of: sink.id)] = record.bytes
        try journal.append(entry)
    }

    // MARK: Looking

    /// The last entry of the journal of which nothing is needed any more, by what is noted: another process goes on from there.
    var entry: UInt64 { reader.broken == nil || reader.isOutOfReach ? saved.record.entry : .max }

    var isAtRest: Bool { queue.isAtRest }

    /// Whether nothing can be delivered before time has passed, other than what the rate asks for.
    var isIdle: Bool {
        if isResting { return queue.isAtRest }
        let hasAll = queue.window.through.number >= journal.decisions
        // What waits for nothing but its turn in the rate is still to be delivered.
        return queue.isAtRest && hasAll && !queue.hasReady(at: surroundings.clock())
    }

    /// When the attempts that are under way are over at the latest; nil if none is.
    var attemptsEnd: Duration? { queue.isAtRest ? nil : begunAt + sink.timeout }

    /// When there is something to do.
    var due: Duration? {
        if !isResting, !reader.isAtEnd, queue.hasRoom { return surroundings.clock() }
        let noted = hasNews ? saved.at + Self.pause : nil
        let next = isResting ? nil : queue.due
        return [noted, next].compactMap { $0 }.min()
    }

    private var isResting: Bool { record.isPaused || record.stopped != nil || reader.broken != nil }

    /// What its status is made of.
    var look: SinkLook { SinkLook(record: current, resent: queue.resentCount, broken: reader.broken) }

    // MARK: Delivering

    /// Reads on, and gives what is to begin now.
    mutating func next() -> [SinkItem] {
        if isResting {
            reader.checkForLoss(of: queue)
            return []
        }
        read()
        expire()
        let now = surroundings.clock()
        var items: [SinkItem] = []
        while let item = queue.next(at: now) { items.append(item) }
        if !items.isEmpty { begunAt = now }
        return items
    }

    private mutating func read() {
        if reader.read(into: &queue) { hasNews = true }
        if reader.isAtEnd { forgetTrouble() }
    }

    /// Where nothing waits, nothing fails.
    private mutating func forgetTrouble() {
        guard record.trouble != nil, queue.count == 0, queue.resentCount == 0 else { return }
        (record.trouble, hasNews) = (nil, true)
    }

    private mutating func expire() {
        guard let expires = sink.expires else { return }
        giveUp(queue.take(writtenBefore: surroundings.now() - expires), why: "has waited for longer than \(expires)")
    }

    /// - Parameter address: of the target.
    mutating func end(_ item: SinkItem, _ outcome: SinkOutcome, at address: String) {
        // A queue that was begun anew has nothing of those before.
        guard item.turn == queue.turn else { return }
        hasNews = true
        let isForgotten = queue.end(item, outcome, at: surroundings.clock())
        switch outcome {
        case .taken: succeed(item, isForgotten, at: address)
        case .dropped(let why): if !isForgotten { giveUp([item], why: "\(address) \(why)") }
        case .failed(let why, _), .refused(let why, _):
            // What was erased meanwhile is not tried again.
            if isForgotten, queue.failing == 0 { record.failedAttempts += 1 } else { fail(why, at: address) }
        case .gone(let why):
            record.stopped = why
            messages.stopped(address, why)
        }
    }

    private mutating func succeed(_ item: SinkItem, _ isForgotten: Bool, at address: String) {
        record.delivered += 1
        if record.trouble != nil, queue.failing == 0 {
            record.trouble = nil
            messages.recovered(address)
        }
        if item.number == 0 { ended[SubjectKey(item.id)] = true }
        tell(of: item, "notification.delivered", if: sink.receipts == .all && !isForgotten)
    }

    private mutating func fail(_ why: String, at address: String) {
        record.failedAttempts += 1
        if record.trouble == nil { messages.failing(address, why) }
        record.trouble = why
    }

    private mutating func giveUp(_ items: [SinkItem], why: String) {
        guard let first = items.first else { return }
        hasNews = true
        record.dropped += items.count
        if queue.failing == 0 { record.trouble = nil }
        for item in items where item.number == 0 { ended[SubjectKey(item.id)] = false }
        var problem: (any Error)?
        do {
            // What is sent again still has its letter.
            try letters.append(items.filter { $0.number > 0 }, why: why, at: surroundings.now())
        } catch {
            problem = error
        }
        messages.givenUp(first, others: items.count - 1, why: why, unkept: problem)
        for item in items { tell(of: item, "notification.failed", why, if: sink.receipts != .none) }
    }

    /// What became of a notification is a signal.
    private func tell(of item: SinkItem, _ type: String, _ why: String? = nil, if isWanted: Bool) {
        let decision = item.decision
        guard isWanted, let receive = surroundings.receive, decision["type"] == "notification.created",
            let data = decision["data"]?.map
        else { return }
        var content: Fields = ["sink": .text(sink.id)]
        for name in ["notification", "campaign"] { content[name] = data[name] }
        content["reason"] = why.map { .text($0) }
        receive(item.signal(type, from: sink.id, content))
    }

    // MARK: Noting

    /// With how far it is now.
    private var current: SinkRecord {
        var current = record
        (current.entry, current.reached) = (queue.window.entry, queue.window.last)
        current.missing = queue.window.outstanding
        return current
    }

    /// - Parameter sync: what was taken is to survive the machine before it is noted.
    mutating func save(isEnding: Bool, sync: () throws -> Void) {
        let now = surroundings.clock()
        guard isEnding || saved.at + Self.pause <= now,
            hasNews || queue.window.entry > saved.record.entry + Self.mostEntries
        else { return }
        settle(sync)
        record = current
        do {
            try noteLetters()
            try write()
            (saved, hasNews) = ((record, now), false)
        } catch {
            saved.at = now
            messages.unsaved(error)
        }
    }

    /// What was taken survives the machine then, or is delivered again: a later sync would succeed, and not bring it to the disk.
    private mutating func settle(_ sync: () throws -> Void) {
        do {
            try sync()
            failedSyncs = 0
        } catch {
            failedSyncs += 1
            goBack()
            queue.leaveAlone(for: RetrySchedule.pause(after: failedSyncs), at: surroundings.clock())
            if record.trouble == nil { messages.unsynced(error) }
            record.failedAttempts += 1
            record.trouble = "\(error)"
        }
    }

    /// Begins anew where the journal says that it is.
    private mutating func goBack() {
        let place = saved.record
        queue = SinkQueue(
            sink, SinkWindow(entry: place.entry, reached: place.reached, missing: place.missing), turn: queue.turn + 1)
        record.delivered = place.delivered
        // The letters of what has arrived since are there yet.
        ended = ended.filter { !$0.value }
        reader.open(for: queue)
        do { _ = try sendAgain() } catch { messages.unreadableLetters(error) }
    }

    private mutating func noteLetters() throws {
        if ended.isEmpty { return }
        try letters.note(ended)
        ended = [:]
    }

    // MARK: Operators

    /// - Parameter sync: as of `save`.
    /// - Returns: how many decisions that was about.
    mutating func act(_ action: SinkAction, sync: () throws -> Void) throws -> Int {
        settle(sync)
        hasNews = true
        defer { save(isEnding: true) {} }
        switch action {
        case .pause: record.isPaused = true
        case .resume: resume()
        case .skip:
            if queue.count == 0 { read() }
            guard let item = queue.takeFirst() else { return 0 }
            giveUp([item], why: "was skipped")
            return 1
        case .skipAll: return skipAll()
        case .resend: return try resend()
        }
        return waiting
    }

    /// As its status has it: also what was not read yet, such as after a start.
    private var waiting: Int {
        SinkStatus(sink, current, decisions: journal.decisions).waiting + queue.resentCount
    }

    private mutating func resume() {
        (record.isPaused, record.stopped) = (false, nil)
        queue.resume()
        if reader.broken == nil { return }
        if !reader.isOutOfReach { queue = SinkQueue(sink, reader.oldestPlace(for: queue), turn: queue.turn + 1) }
        reader.reopen(for: queue)
    }

    private mutating func skipAll() -> Int {
        var count = 0
        repeat {
            read()
            let items = queue.takeAll()
            giveUp(items, why: "was skipped")
            count += items.count
        } while !reader.isAtEnd && reader.broken == nil
        return count
    }

    private mutating func resend() throws -> Int {
        try noteLetters()
        try letters.resend()
        return try sendAgain()
    }

    /// Queues the letters that are to be sent again.
    private mutating func sendAgain() throws -> Int {
        let items = try letters.resent.compactMap { letter in
            letter["decision"]?.map.flatMap { decision in
                SinkItem(0, 0, writtenAt: surroundings.now(), decision, line: Array(Value.map(decision).json.utf8))
            }
        }
        for item in items { queue.add(item, isAgain: true) }
        return items.count
    }

    mutating func forget(_ subject: String) throws {
        queue.forget(subject)
        if queue.failing == 0 { record.trouble = nil }
        reader.open(for: queue)
        try letters.forget(subject)
    }
}
