import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryRuntime

/// What the status of a sink is made of.
struct SinkLook: Sendable {
    var record: SinkRecord
    /// How many decisions are sent again.
    var resent: Int
    /// Why it is broken; nil if it is not.
    var broken: String?
}

/// A sink's place in the journal, what it has in memory, and what is noted of it. One thread at a time.
struct SinkState: ~Copyable {
    private let sink: Configuration.Sink
    private let filter: SinkFilter
    private let journal: Journal
    private let surroundings: SinkSurroundings
    private let letters: DeadLetters
    private var feed: DecisionFeed?
    private var queue: SinkQueue
    private var record: SinkRecord
    private var saved: (record: SinkRecord, at: Duration)
    private var broken: String?
    /// Whether the journal has what it could not read: the database that has it was out of reach.
    private var isOutOfReach = false
    /// The ids of those that were sent again, and whether they have arrived: their letters go, or stay, when that is noted.
    private var ended: [SubjectKey: Bool] = [:]
    /// Whether there is something to note.
    private var hasNews = false
    /// When the last attempt was begun.
    private var begunAt = Duration.zero
    /// The oldest entry of the journal, when a sink at rest last looked for what it waits for.
    private var oldestSeen: UInt64 = 0
    /// Whether the journal had nothing more, when it was last looked at.
    private var isAtEnd = false

    /// That the journal has grown is to be noted after so many entries: each note makes it grow.
    private static let mostEntries: UInt64 = 1000
    /// A place is noted so often at most.
    private static let pause = Duration.seconds(1)

    init(
        _ sink: Configuration.Sink, _ filter: SinkFilter, _ journal: Journal, _ surroundings: SinkSurroundings
    ) throws {
        (self.sink, self.filter, self.journal, self.surroundings) = (sink, filter, journal, surroundings)
        letters = DeadLetters(of: sink.id, beside: journal.location)
        let known = journal.value(SinkRecord.key(of: sink.id)).flatMap { SinkRecord($0) }
        // A new sink gets what is decided from now on.
        record = known ?? SinkRecord(entry: journal.last, reached: journal.decisions)
        record.isRemoved = false
        saved = (record, surroundings.clock())
        queue = SinkQueue(
            sink, SinkWindow(entry: record.entry, reached: record.reached, missing: record.missing))
        // Before anything is decided, or a kill would make it new once more.
        if known == nil { try write() }
        open()
        do { _ = try sendAgain() } catch {
            surroundings.say("warning: sink '\(sink.id)': what is to be sent again cannot be read: \(error)")
        }
    }

    private func write() throws {
        var entry = JournalEntry(writtenAt: surroundings.now())
        entry.values[SinkRecord.key(of: sink.id)] = record.bytes
        try journal.append(entry)
    }

    /// Begins to read where the queue stands.
    private mutating func open() {
        isAtEnd = false
        do {
            feed = try DecisionFeed(of: journal, after: queue.window.through.number, entry: queue.window.through.entry)
        } catch {
            fail(error)
        }
    }

    private mutating func fail(_ error: any Error) {
        feed = nil
        isOutOfReach = (error as? JournalError).map { [.unreachable, .held].contains($0.code) } ?? false
        let entry = queue.window.through.entry
        guard journal.oldest > entry + 1 else {
            // What is damaged is so for every sink: the journal's own error knows what to do.
            broken = (error as? JournalError)?.reason ?? "\(error)"
            return surroundings.say("warning: sink '\(sink.id)' is broken: \(error)")
        }
        lose(after: entry)
    }

    private mutating func lose(after entry: UInt64) {
        (feed, isOutOfReach) = (nil, false)
        broken = SinkStatus.lost(after: entry)
        surroundings.say(
            """
            warning: sink '\(sink.id)' is broken: what it has not taken is not in the journal any more
              why: \(SinkStatus.lost(after: entry))
              fix: 'belfry sinks resume \(sink.id)' goes on with the oldest decision that is kept
            """)
    }

    // MARK: Looking

    /// The last entry of the journal of which nothing is needed any more, by what is noted: another process goes on from there.
    var entry: UInt64 { broken == nil || isOutOfReach ? saved.record.entry : .max }

    var isAtRest: Bool { queue.isAtRest }

    /// Whether nothing can be delivered before time has passed, other than what the rate asks for.
    var isIdle: Bool {
        if record.isPaused || record.stopped != nil || broken != nil { return queue.isAtRest }
        let hasAll = queue.window.through.number >= journal.decisions
        // What waits for nothing but its turn in the rate is still to be delivered.
        return queue.isAtRest && hasAll && !queue.hasReady(at: surroundings.clock())
    }

    /// When the attempts that are under way are over at the latest; nil if none is.
    var attemptsEnd: Duration? { queue.isAtRest ? nil : begunAt + sink.timeout }

    /// When there is something to do.
    var due: Duration? {
        if !isResting, !isAtEnd, queue.hasRoom { return surroundings.clock() }
        let noted = hasNews ? saved.at + Self.pause : nil
        let next = isResting ? nil : queue.due
        return [noted, next].compactMap { $0 }.min()
    }

    private var isResting: Bool { record.isPaused || record.stopped != nil || broken != nil }

    /// What its status is made of.
    var look: SinkLook { SinkLook(record: current, resent: queue.resentCount, broken: broken) }

    // MARK: Delivering

    /// Reads on, and gives what is to begin now.
    mutating func next() -> [SinkItem] {
        if isResting {
            checkForLoss()
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

    /// What a sink that is paused or stopped does not read is dropped with the journal all the same. What is in memory is still delivered
    /// once it is resumed.
    private mutating func checkForLoss() {
        let (through, oldest) = (queue.window.through, journal.oldest)
        guard broken == nil, queue.count == 0, oldest != oldestSeen, oldest > through.entry + 1 else { return }
        oldestSeen = oldest
        // Entries without decisions are no loss.
        let kept = (try? journal.reader().next())?.decisionsBefore ?? journal.decisions
        if kept > through.number { lose(after: through.entry) }
    }

    private mutating func read() {
        isAtEnd = false
        var count = 0
        do {
            while queue.hasRoom, count < 5000, let feed {
                let (decisions, last) = (journal.decisions, journal.last)
                let items = try feed.next()
                count += items.count
                for item in items { take(item) }
                if !items.isEmpty { continue }
                if !feed.isBlocked { queue.reachEnd(decisions, of: last) }
                forgetTrouble()
                return isAtEnd = true
            }
        } catch {
            fail(error)
        }
    }

    /// Where nothing waits, nothing fails.
    private mutating func forgetTrouble() {
        guard record.trouble != nil, queue.count == 0, queue.resentCount == 0 else { return }
        (record.trouble, hasNews) = (nil, true)
    }

    private mutating func take(_ item: DecisionFeed.Item) {
        hasNews = true
        let decision = item.decision
        guard filter.takes(decision), let subject = decision["subject"]?.text, let id = decision["id"]?.text else {
            return queue.pass(item.number, entry: item.place.entry)
        }
        queue.add(
            SinkItem(
                number: item.number, entry: item.place.entry, writtenAt: item.place.writtenAt, subject: subject, id: id,
                line: item.line))
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
            surroundings.say(
                """
                warning: sink '\(sink.id)' is stopped: \(address) \(why)
                  fix: 'belfry sinks resume \(sink.id)' when it wants decisions again
                """)
        }
    }

    private mutating func succeed(_ item: SinkItem, _ isForgotten: Bool, at address: String) {
        record.delivered += 1
        if record.trouble != nil, queue.failing == 0 {
            record.trouble = nil
            surroundings.say("note: sink '\(sink.id)' goes on: \(address) takes decisions again")
        }
        if item.number == 0 { ended[SubjectKey(item.id)] = true }
        tell(of: item, "notification.delivered", if: sink.receipts == .all && !isForgotten)
    }

    private mutating func fail(_ why: String, at address: String) {
        record.failedAttempts += 1
        defer { record.trouble = why }
        if record.trouble != nil { return }
        surroundings.say(
            """
            warning: sink '\(sink.id)' fails: \(address) \(why)
              effect: its decisions wait, in order for each subject, and are tried again
            """)
    }

    private mutating func giveUp(_ items: [SinkItem], why: String) {
        guard let first = items.first else { return }
        hasNews = true
        record.dropped += items.count
        if queue.failing == 0 { record.trouble = nil }
        for item in items where item.number == 0 { ended[SubjectKey(item.id)] = false }
        var fix = "'belfry sinks show \(sink.id)' has them, and 'belfry sinks resend \(sink.id)' sends them again"
        do {
            // What is sent again still has its letter.
            try letters.append(items.filter { $0.number > 0 }, why: why, at: surroundings.now())
        } catch {
            surroundings.say("warning: sink '\(sink.id)': decisions that were given up could not be kept: \(error)")
            fix = "they are in the journal as long as that keeps them: 'belfry decisions' prints them"
        }
        let others = items.count == 1 ? "" : " and \(items.count - 1) others"
        surroundings.say(
            """
            warning: sink '\(sink.id)' is not given decision '\(first.id)'\(others)
              why: \(why)
              fix: \(fix)
            """)
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
        record = current
        do {
            try sync()
            try noteLetters()
            try write()
            (saved, hasNews) = ((record, now), false)
        } catch {
            saved.at = now
            surroundings.say("warning: how far sink '\(sink.id)' is cannot be noted: \(error)")
        }
    }

    private mutating func noteLetters() throws {
        if ended.isEmpty { return }
        try letters.note(ended)
        ended = [:]
    }

    // MARK: Operators

    /// - Returns: how many decisions that was about.
    mutating func act(_ action: SinkAction) throws -> Int {
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
        guard broken != nil else { return }
        broken = nil
        if isOutOfReach { return open() }
        let oldest = try? journal.reader().next()
        // What came before that waits no longer.
        let reached = max(queue.window.through.number, oldest?.decisionsBefore ?? 0)
        queue = SinkQueue(
            sink, SinkWindow(entry: (oldest?.number ?? journal.last) - 1, reached: reached, missing: []),
            turn: queue.turn + 1)
        open()
    }

    private mutating func skipAll() -> Int {
        var count = 0
        repeat {
            read()
            let items = queue.takeAll()
            giveUp(items, why: "was skipped")
            count += items.count
        } while !isAtEnd && broken == nil
        return count
    }

    private mutating func resend() throws -> Int {
        try noteLetters()
        try letters.resend()
        return try sendAgain()
    }

    /// Queues the letters that are to be sent again.
    private mutating func sendAgain() throws -> Int {
        let items = try letters.resent.compactMap { letter -> SinkItem? in
            guard let decision = letter["decision"]?.map, let subject = decision["subject"]?.text,
                let id = decision["id"]?.text
            else { return nil }
            return SinkItem(
                number: 0, entry: 0, writtenAt: surroundings.now(), subject: subject, id: id,
                line: Array(Value.map(decision).json.utf8))
        }
        for item in items { queue.add(item, isAgain: true) }
        return items.count
    }

    mutating func forget(_ subject: String) {
        queue.forget(subject)
        if queue.failing == 0 { record.trouble = nil }
        try? letters.forget(subject)
        open()
    }
}
